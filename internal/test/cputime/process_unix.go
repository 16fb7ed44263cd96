//go:build unix

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Process returns the processor time, user and system, that the process has taken.
func Process() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // EFAULT and EINVAL cannot happen
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
