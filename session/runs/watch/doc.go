// Package watch builds a server and restarts its session when its files change.
//
// A [Watcher] reports which files changed under some paths, once no more changes arrive. Directories are
// watched with everything below them, including directories created later. Hidden files and directories,
// node_modules, __pycache__, temporary files of editors, and everything excluded by .gitignore are left out. A
// file is watched through its directory, because editors replace a file instead of writing to it.
//
// A [Loop] runs one build for a burst of changes, and one restart when the build has passed; the old server
// runs until then. A restart waits for running calls, for a limited time. Files that a build writes, and data
// that a server writes at each start, do not count as changes. Restarts that are repeatedly followed by a
// change slow down.
package watch
