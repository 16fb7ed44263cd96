//go:build unix

package relay

import (
	"os"
	"syscall"
)

// signalNames are the signals that end a relay.
var signalNames = map[os.Signal]string{syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP"}

func endsProgram(sig os.Signal) bool { return signalNames[sig] != "" }
