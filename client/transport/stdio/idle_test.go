//go:build linux

package stdio

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/transport"
)

func init() {
	children["ignores-eof"] = func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Println("end of stdin")
		time.Sleep(time.Hour)
	}
	// What is to be saved is computed first: longer than the server may be idle.
	children["saves"] = func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		sum := make([]byte, 1<<20)
		for range 100 {
			h := sha256.Sum256(sum)
			copy(sum, h[:])
		}
		fmt.Println("saved")
	}
}

// noSleepAtExit has a program with the race detector not be idle for a second when it
// ends.
const noSleepAtExit = "GORACE=atexit_sleep_ms=0"

// signalsOf closes a server that may be idle for a short time only, and returns the
// signals that it has got.
func signalsOf(t *testing.T, child string) (signals []string, last string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := newTape()
	tr := New(Config{Argv: []string{self}, Env: append(os.Environ(), behaviour+"="+child, noSleepAtExit), Grace: time.Hour, Idle: 40 * time.Millisecond})
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.events {
		if e.What == transport.ProcessSignalled {
			signals = append(signals, e.Signal)
		}
	}
	if in := r.incoming(); len(in) > 0 {
		last = in[len(in)-1]
	}
	return signals, last
}

func TestClose_IdleServerIsTerminatedEarly(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("the kernel does not count the time of threads")
	}
	if signals, last := signalsOf(t, "ignores-eof"); len(signals) != 1 || signals[0] != "SIGTERM" || last != `end of stdin|"\n"` {
		t.Errorf("signals %q, last output %q", signals, last) // the grace period is an hour
	}
}

func TestClose_WorkingServerIsNotTerminated(t *testing.T) {
	if signals, last := signalsOf(t, "saves"); len(signals) != 0 || last != `saved|"\n"` {
		t.Errorf("signals %q, last output %q", signals, last)
	}
}

// A thread that ends while it is looked at counts for nothing, and does not end the look at the others; what
// the kernel says in another form, or does not count, does.
func TestThreadActivity_Files(t *testing.T) {
	for name, tt := range map[string]struct {
		stat, schedstat string // no file if it is "-"
		ran             uint64
		busy, known     bool
	}{
		"sleeps":              {"7 (a b) S 1 1", "5000 10 3\n", 5000, false, true},
		"runs":                {"7 (a) R 1 1", "5000 10 3\n", 5000, true, true},
		"waits for a disk":    {"7 (a) D 1 1", "5000 10 3\n", 5000, true, true},
		"is a zombie":         {"7 (a) Z 1 1", "5000 10 3\n", 5000, true, true},
		"is dead":             {"7 (a) X 1 1", "5000 10 3\n", 5000, true, true},
		"has a hostile name":  {"7 (a) R) S 1 1", "5000 10 3\n", 5000, false, true},
		"has ended":           {"-", "-", 0, true, true},
		"has another form":    {"7 a S 1 1", "5000 10 3\n", 0, true, false},
		"has no state":        {"7 (a)", "5000 10 3\n", 0, true, false},
		"has no state either": {"7 (a) ", "5000 10 3\n", 0, true, false},
		"is not counted":      {"7 (a) S 1 1", "0 0 0\n", 0, false, false},
		"has no schedstat":    {"7 (a) S 1 1", "-", 0, false, false},
		"has no number":       {"7 (a) S 1 1", "many\n", 0, false, false},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"stat": tt.stat, "schedstat": tt.schedstat} {
			if text == "-" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if ran, busy, known := threadActivity(dir, make([]byte, 1024)); ran != tt.ran || busy != tt.busy || known != tt.known {
			t.Errorf("a thread that %s: ran %d, busy %t, known %t", name, ran, busy, known)
		}
	}
}
