// Package fsys is the little of a file system that the journal needs, so that
// tests can put another one in its place, which fails and crashes on demand. See
// package memfs.
//
// Files are 0600, directories 0700. Nothing is promised to be on the disk before
// [File.Sync], nor a name before [FS.SyncDir] of its directory.
package fsys

import "io"

// FS is a file system. It is safe for concurrent use. Its errors are those of
// package os: errors.Is finds fs.ErrNotExist and system error numbers in them.
type FS interface {
	// Open opens a regular file, for reading only or for both.
	Open(name string, write bool) (File, error)

	// Create makes a file, or empties it.
	Create(name string) (File, error)

	// Rename moves a file in its directory, in place of another.
	Rename(from, to string) error

	Remove(name string) error

	// Mkdir makes a directory, and those above it. It syncs the directory above
	// each one that it made. One that is there is left as it is.
	Mkdir(dir string) error

	// List returns the names of the regular files in dir, sorted.
	List(dir string) ([]string, error)

	// Size returns the length of a regular file in bytes.
	Size(name string) (int64, error)

	// SyncDir makes the names in dir durable, where the system can.
	SyncDir(dir string) error

	// Free returns how many bytes may still be written, where that is known.
	Free(dir string) (bytes int64, known bool)
}

// File is an open file. Reads and writes at different places may run at the same
// time.
type File interface {
	io.ReaderAt

	// WriteAt writes all of b or says how much it wrote and why no more.
	io.WriterAt

	// Sync makes content and size durable. After an error nobody knows what is.
	Sync() error

	Truncate(size int64) error
	Size() (int64, error)
	Close() error
}
