//go:build !linux

package stdio

// awaitExit does nothing: only Linux tells the poller of the exit of a process.
func awaitExit(int) {}

// IsStopped reports false: the state of a process is read from /proc only.
func IsStopped(int) bool { return false }
