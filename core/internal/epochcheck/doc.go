// Package epochcheck tries random schedules of what operators, agents and accidents do
// to a home: plugins are installed, upgraded, revoked and restored, turns begin, render,
// deliver and end, processes are killed. Every schedule comes from a seed, and what
// goes wrong prints it:
//
//	VAK_CHECK_SEED=17 go test ./core/internal/epochcheck          that one again
//	VAK_CHECK_SCHEDULES=500 go test ./core/internal/epochcheck    many
//
// A child process holds the home; the parent draws what happens, keeps a model of what
// must come of it, and receives what is delivered. What is asserted:
//
//   - A turn goes by one epoch from its begin to its end, and so do its jobs and records.
//   - What renders and lowers in it is what that epoch names, or nothing: never another
//     version, and never one that was revoked with --now.
//   - Nothing falls back where nothing was taken away.
//   - Numbers of epochs only grow, also over crashes, and what the home keeps of each
//     is what was used.
//   - No process is left behind: after a crash none, at rest only current ones.
//   - Everything accepted arrives, once; a second time only after a crash, and marked.
package epochcheck
