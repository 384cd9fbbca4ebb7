// Package sandbox takes rights away from the thread that starts a plugin, so
// that the process which is started has them no more. The host, which goes on on
// its other threads, keeps its own.
//
// It needs no privilege, no cgo, no program in between and nothing of the
// plugin's cooperation: no_new_privs, a Landlock domain for files, and a seccomp
// filter for everything that is not a file. What the kernel lacks is left out
// and shown in the [Level]; on systems other than Linux that is everything.
//
// What a process started under [Restrict] can do:
//
//   - read, write and make files in its socket directory, and /dev/null;
//   - read, and execute, the one file that it is; with Policy.Interpreter execute
//     that program instead, with its loader, and read libraries and the file;
//   - read what Policy.Read names, and execute what Policy.Execute names;
//   - listen on a unix stream socket in its socket directory;
//   - with Policy.Network, connect over TCP and UDP;
//   - start threads, but no process.
//
// Invariants:
//
//   - It stays one process. Whoever kills that has killed all of it; it cannot
//     leave its process group or outlive the thread that started it.
//   - It reaches no other process: no signal, no trace, no memory, no
//     descriptor, no scheduling, no unix socket that it did not make. (A process
//     with a network reaches more unix sockets than that before Linux 7.1; see
//     [Level.Gaps].)
//   - The filter refuses system calls that are newer than this package.
//
// What is left to it, and is not this package's to take:
//
//   - existence, size, times and owner of files by stat(2), and the names of
//     unix sockets to listen on outside the file system (abstract ones), which
//     neither mechanism can refuse;
//   - processor time, memory, threads, and the disk under its socket directory:
//     limits of the process (prlimit(2) by the host, after the start) or a
//     control group bound those;
//   - one guess in 2^30, at the price of its life, at the secret with which its
//     own start was let through (see token);
//   - whatever the host does with its answers.
package sandbox
