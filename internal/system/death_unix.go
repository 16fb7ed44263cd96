//go:build unix && !linux

package system

import "syscall"

// EndWithParent does nothing: only Linux has such a signal. A [Guard] ends the process.
func EndWithParent(*syscall.SysProcAttr) {}
