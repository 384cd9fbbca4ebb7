// Package install keeps the plugins of a home: it takes them out of archives, holds
// them in a store, and says which of them may be started.
//
// The store is plugins/store in the home. A plugin lies there in a folder that is
// named for the hash of its contents, complete or not at all. What may be started
// of it stands in plugins.lock: a folder that is there by other means is nobody's.
//
// Invariants:
//
//   - Nothing of a plugin is executed to install it.
//   - A plugin whose signature was checked once is never taken with another key, or
//     with none, unless its operator says so by name.
//   - What a hash was revoked for stays refused, also when it is installed again,
//     until it is restored.
//   - An operation that is cut off leaves the lock as it was before or as it is
//     after. What it leaves in the store counts for nothing and is removed later.
//   - Folders that a turn or a job may still go by are not removed: that is for the
//     process that holds the home, see [Store.Sweep].
//
// What this package does not know is what a plugin means: that is package
// core/internal/host/bundle.
package install
