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

// serverSignals are those that mcptea handles only to pass them on to a server.
func serverSignals() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGALRM}
}

func signalNumber(name string) int { return int(unix.SignalNum(name)) }

// endBySignal ends the program by the signal that has ended its server, so that the
// host sees the same. It returns if that is not possible: some signals have the Go
// runtime print stack traces.
func endBySignal(name string) {
	sig := unix.SignalNum(name)
	if !slices.Contains([]syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM}, sig) {
		return
	}
	signal.Reset(sig)
	if syscall.Kill(os.Getpid(), sig) == nil {
		time.Sleep(time.Second) // it is delivered to any thread
	}
}
