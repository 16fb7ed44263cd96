// Package reload builds a server and restarts its session when its files change.
//
// A burst of changes becomes one build, and one restart when the build has passed; the
// old server runs until then. A restart waits for running calls, for a limited time.
// Files that a build writes, and those that a server writes at each start, do not count
// as changes.
package reload
