package watch

import (
	"context"
	"errors"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/session/session"
)

// fake is a session that notes what is done to it.
type fake struct {
	running  atomic.Int32
	restarts chan session.Cause
	hang     atomic.Bool // restarts end with their context
	target   client.Target
}

func newFake() *fake {
	return &fake{restarts: make(chan session.Cause, 100), target: client.Target{Argv: []string{"server"}}}
}

func (f *fake) Connect(context.Context) error { f.restarts <- session.Cause{Text: "first"}; return nil }

func (f *fake) RestartAfter(ctx context.Context, c session.Cause) error {
	if f.hang.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	c.Built = min(c.Built, 1)
	f.restarts <- c
	return nil
}
func (f *fake) Running() int                       { return int(f.running.Load()) }
func (f *fake) Calls() (running int, ended uint64) { return f.Running(), 0 }
func (f *fake) Settled() (<-chan struct{}, func()) { return nil, func() {} }
func (f *fake) Target() client.Target              { return f.target }

// started is a loop that runs in the test.
type started struct {
	*Loop
	f          *fake
	changes    chan Burst
	generation uint64 // of the newest burst
	notes      chan string
	changed    chan struct{} // 1 slot: the state changed
}

func start(t *testing.T, build string) *started {
	t.Helper()
	return startWith(t, Config{Watching: "src", Build: build})
}

// startWith starts a loop with a configuration; its changes are those of send if it has none.
func startWith(t *testing.T, cfg Config) *started {
	t.Helper()
	s := &started{f: newFake(), changes: make(chan Burst), notes: make(chan string, 10), changed: make(chan struct{}, 1)}
	if cfg.Changes == nil {
		cfg.Changes = s.changes
	}
	cfg.Note = func(text string) { s.notes <- text }
	cfg.Notify = func() {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	s.Loop = New(s.f, cfg)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	connected := make(chan struct{})
	wg.Go(func() { s.Run(ctx, func() { close(connected) }) })
	t.Cleanup(func() { stop(); wg.Wait() })
	<-connected
	return s
}

// send sends a burst.
func (s *started) send(paths []string) {
	s.generation++
	b := Burst{Generation: s.generation}
	for _, path := range paths {
		b.Changes = append(b.Changes, Change{Path: path, First: s.generation, Last: s.generation})
	}
	s.changes <- b
}

// phase waits until the loop is in a phase.
func (s *started) phase(t *testing.T, p Phase) State {
	t.Helper()
	late := time.After(time.Minute)
	for {
		if st := s.State(); st.Phase == p {
			return st
		}
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("phase %d, want %d", s.State().Phase, p)
		}
	}
}

func (s *started) restarted(t *testing.T, want string) {
	t.Helper()
	select {
	case c := <-s.f.restarts:
		if c.Text != want {
			t.Errorf("restart because of %q, want %q", c.Text, want)
		}
	case <-time.After(time.Minute):
		t.Fatal("no restart")
	}
}

func (s *started) quiet(t *testing.T) {
	t.Helper()
	synctest.Wait()
	select {
	case c := <-s.f.restarts:
		t.Errorf("restarted: %+v", c)
	default:
	}
}

func TestLoop_Restart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		s.restarted(t, "first")
		s.send([]string{"/src/main.go"})
		s.restarted(t, "main.go saved")
		s.send([]string{"/src/a.go", "/src/b.go"})
		s.restarted(t, "2 files saved")
		s.Now()
		s.restarted(t, "")
	})
}

func TestLoop_WaitsForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		s.restarted(t, "first")
		s.f.running.Store(2)
		s.send([]string{"/main.go"})
		synctest.Wait()
		st := s.State()
		if st.Phase != Waiting || st.Line(time.Now()) != "restart waits for 2 calls, 10 s" {
			t.Errorf("%+v: %s", st, st.Line(time.Now()))
		}
		s.quiet(t)
		s.f.running.Store(1)
		time.Sleep(time.Second)
		if st := s.State(); st.Line(time.Now()) != "restart waits for 1 call, 9 s" {
			t.Error(st.Line(time.Now()))
		}
		s.f.running.Store(0)
		s.restarted(t, "main.go saved")

		s.f.running.Store(1)
		s.send([]string{"/main.go"})
		begin := time.Now()
		s.restarted(t, "main.go saved")
		if waited := time.Since(begin); waited != callTimeout {
			t.Errorf("restarted after %s", waited)
		}

		s.send([]string{"/main.go"})
		s.quiet(t)
		s.Now()
		begin = time.Now()
		if s.restarted(t, "main.go saved"); time.Since(begin) != 0 {
			t.Errorf("the user waited %s", time.Since(begin))
		}
	})
}

func TestLoop_ChangeEndsAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, "")
		s.restarted(t, "first")
		s.f.hang.Store(true)
		s.send([]string{"/main.go"})
		synctest.Wait()
		if st := s.State(); st.Phase != Restarting {
			t.Errorf("%+v", st)
		}
		s.f.hang.Store(false)
		s.send([]string{"/other.go"})
		s.restarted(t, "other.go saved")
	})
}

func TestPlaces(t *testing.T) {
	const output = "# tracker\n./main.go:12:3: undefined: x\n" +
		"\x1b[31msrc/a.ts\x1b[0m(3,5): error TS2304: Cannot find name 'y'.\n" +
		"error[E0425]: cannot find value `z`\n  --> src/main.rs:7:9\n" +
		"  File \"server.py\", line 4\n" +
		"C:\\src\\main.c:9: error: expected ';'\n" +
		".\\cmd\\x\\main.go:12:3: undefined: x\n" +
		"src\\a.ts(3,5): error TS2304: Cannot find name 'y'.\n" +
		"error: cannot find value `z`\n  --> src\\main.rs:7:9\n" +
		"  File \"C:\\srv\\server.py\", line 4\n" +
		"C:\\src\\main.cs(9,1): error CS1002: ; expected\n" +
		"at 12:30:05 nothing\nhttp://127.0.0.1:3000: no\n"
	want := []Place{
		{"./main.go", 12, "undefined: x", 1},
		{"src/a.ts", 3, "error TS2304: Cannot find name 'y'.", 2},
		{"src/main.rs", 7, "error[E0425]: cannot find value `z`", 4},
		{"server.py", 4, "", 5},
		{`C:\src\main.c`, 9, "error: expected ';'", 6},
		{`.\cmd\x\main.go`, 12, "undefined: x", 7},
		{`src\a.ts`, 3, "error TS2304: Cannot find name 'y'.", 8},
		{`src\main.rs`, 7, "error: cannot find value `z`", 10},
		{`C:\srv\server.py`, 4, "", 11},
		{`C:\src\main.cs`, 9, "error CS1002: ; expected", 12},
	}
	if got := placesIn([]byte(output)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func FuzzPlaces(f *testing.F) {
	f.Add([]byte("main.go:1:2: x\n --> a.rs:1:1\nFile \"x\", line 1"))
	f.Fuzz(func(t *testing.T, output []byte) {
		for _, p := range placesIn(output) {
			if p.Line < 1 || p.File == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}

// A program that restarts the server a moment after the change: the session connects
// to the old one, and then to the new one.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var connects []time.Duration
		down := func() bool { d := time.Since(begin); return d >= time.Second && d < 3*time.Second }
		follow(t.Context(), func() bool { return !down() }, func() bool { connects = append(connects, time.Since(begin)); return true })
		if want := []time.Duration{0, 3 * time.Second}; !reflect.DeepEqual(connects, want) {
			t.Errorf("connected at %v, want %v", connects, want)
		}
		if time.Since(begin) > followed+reachInterval {
			t.Errorf("followed for %s", time.Since(begin))
		}
	})
}

func TestFollow_Never(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, connects := time.Now(), 0
		follow(t.Context(), func() bool { return false }, func() bool { connects++; return errors.Is(nil, os.ErrClosed) })
		if connects != 1 || time.Since(begin) > maxReach+reachInterval {
			t.Errorf("%d attempts in %s", connects, time.Since(begin))
		}
	})
}
