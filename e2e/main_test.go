package e2e

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	rundebug "runtime/debug"
	"sync"
	"testing"
	"time"

	"mcptea/internal/test/gobuild"
)

// deadline bounds every wait for something that ought to happen at once. It is
// generous, for a machine that does other things beside.
const deadline = time.Minute

// built is where the program goes, once for all tests of a run.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	if os.Getenv(sdkServerEnv) != "" {
		serveSDK()
		return
	}
	if server := small[os.Getenv(smallServerEnv)]; server != nil {
		serveLines(server)
		return
	}
	if actsAs() {
		return
	}
	rundebug.SetGCPercent(400) // trees of syntax stay, and would be looked through again and again
	code := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // it is temporary: the exit code is that of the tests
	}
	os.Exit(code)
}

// program builds mcptea and returns its path; or that of MCPTEA_E2E_PROGRAM, to measure
// another build of it.
func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("MCPTEA_E2E_PROGRAM"); path != "" {
		return path
	}
	name := "mcptea"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "mcptea-e2e-"); built.err != nil {
			return
		}
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
		defer stop()
		built.err = gobuild.Run(ctx, root(t), nil, "-o", filepath.Join(built.dir, name), ".")
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, name)
}

// root is the directory of the module.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// demanded reports whether tests that lack something fail instead of being
// skipped.
func demanded() bool { return os.Getenv("MCPTEA_E2E") != "" }

// others skips a test that runs programs of others where it is not demanded: what go test ./... does is the
// same on each machine.
func others(t testing.TB) {
	t.Helper()
	if !demanded() {
		t.Skip("runs programs of others; set MCPTEA_E2E=1")
	}
}

// lacks skips the test, or fails it where it is demanded.
func lacks(t *testing.T, format string, args ...any) {
	t.Helper()
	if demanded() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%v have passed without %s", deadline, what)
}
