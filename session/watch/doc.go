// Package watch reports which files changed under some paths, once they are quiet.
//
// Directories are watched with all below them, also those that are created later.
// Left out are hidden files and directories, node_modules, __pycache__, the temporary
// files of editors, and what .gitignore excludes. A path that is a file is watched
// through its directory: editors replace a file instead of writing to it.
package watch
