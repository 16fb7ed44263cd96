//go:build unix

package recordings

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// serverSignals returns the signals that mcptea handles only to pass them on to a server.
func serverSignals() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGALRM}
}

func signalNumber(name string) int { return int(unix.SignalNum(name)) }

// endBySignal ends the program with the signal that ended its server, so that the host sees the same signal. It
// returns if that is not possible: some signals make the Go runtime print stack traces.
func endBySignal(name string) {
	sig := unix.SignalNum(name)
	if !slices.Contains([]syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM}, sig) {
		return
	}
	signal.Reset(sig)
	if syscall.Kill(os.Getpid(), sig) == nil {
		time.Sleep(time.Second) // another thread may receive the signal, a little later
	}
}
