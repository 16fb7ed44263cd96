package sessiontest

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that opens sessions. Their files are written to an empty directory, which is
// removed, and never among the files of the user who runs the tests. Then it looks for remaining goroutines.
func Main(m *testing.M) {
	// Heaps of a few MB are collected all the time, which is a sixth of the processor time.
	debug.SetGCPercent(400)
	dir, err := os.MkdirTemp("", "mcptea-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if err := os.Setenv(name, dir); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir) // the directory is temporary: the exit code is the exit code of the tests
		os.Exit(code)
	}))
}
