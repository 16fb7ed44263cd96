// Package watch builds a server and restarts its session when its files change.
//
// A [Watcher] reports which files changed under some paths, once they are quiet.
// Directories are watched with all below them, also those that are created later.
// Left out are hidden files and directories, node_modules, __pycache__, the temporary
// files of editors, and what .gitignore excludes. A path that is a file is watched
// through its directory: editors replace a file instead of writing to it.
//
// A [Loop] makes one build of a burst of changes, and one restart when the build has passed;
// the old server runs until then. A restart waits for running calls, for a limited time. Files
// that a build writes, and data that a server writes at each start, do not count as changes.
// Restarts that are followed by a change repeatedly slow down.
package watch
