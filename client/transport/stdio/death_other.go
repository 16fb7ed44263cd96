//go:build !linux

package stdio

import "syscall"

// setParentDeathSignal does nothing: only Linux has such a signal. The guard
// (unix) and the job object (Windows) serve the same purpose.
func setParentDeathSignal(*syscall.SysProcAttr) {}

// awaitExit does nothing: only Linux tells the poller of the exit of a process.
func awaitExit(int) {}

// IsStopped reports false: the state of a process is read from /proc only.
func IsStopped(int) bool { return false }
