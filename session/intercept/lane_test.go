package intercept_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

const notification = `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`

// The bounds of a lane, as the documentation of the package has them.
const (
	maxQueued      = 1000
	maxQueuedBytes = 16 << 20
)

// TestIntercept_Lane_Full puts as many frames into a lane as may wait there, and one more.
func TestIntercept_Lane_Full(t *testing.T) {
	for _, c := range []struct {
		name  string
		frame string
		most  int // frames that wait, with the held one
	}{
		{"frames", notification, maxQueued},
		{"bytes", strings.Repeat(" ", 1<<20) + notification, 1 + maxQueuedBytes/(1<<20+len(notification))},
		{"a large frame waits alone", strings.Repeat(" ", maxQueuedBytes) + notification, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gateOn(t, "method:tools/call")
				s := newStream(t, g, transport.In)
				before := runtime.NumGoroutine()
				s.put(call(1))
				for range c.most - 1 {
					s.put(c.frame)
				}
				if st := g.State(); len(st.Held) != c.most || st.Stalled != 0 {
					t.Fatalf("%d frames wait, %d senders", len(st.Held), st.Stalled)
				}
				if n := runtime.NumGoroutine() - before; n > 1 {
					t.Errorf("%d goroutines for the frames of one lane", n)
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					s.put(c.frame)
				}()
				synctest.Wait()
				if st := g.State(); len(st.Held) != c.most || st.Stalled != 1 {
					t.Errorf("%d frames wait, %d senders", len(st.Held), st.Stalled)
				}
				g.ForwardAll()
				<-done
				synctest.Wait()
				if len(s.passed) != c.most+1 || s.passed[0] != call(1) || s.passed[c.most] != c.frame {
					t.Errorf("%d frames have passed", len(s.passed))
				}
				if st := g.State(); len(st.Held) != 0 || st.Stalled != 0 {
					t.Errorf("%d frames wait, %d senders", len(st.Held), st.Stalled)
				}
			})
		})
	}
}

// TestIntercept_Lane_FullEndsWithContext closes a stream whose sender waits for room.
func TestIntercept_Lane_FullEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		lane := g.NewLane("")
		ctx, cancel := context.WithCancel(t.Context())
		put := func(text string) {
			f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: transport.In, Time: time.Now()}
			// The last one is taken when the others may have ended already: then nothing holds it.
			if ticket := lane.Take(ctx, f, store.None); ticket != nil {
				ticket.Move(ctx, func(intercept.Outcome) { t.Error("a frame goes on after the end of its stream") })
			}
		}
		put(call(1))
		for range maxQueued - 1 {
			put(notification)
		}
		go put(notification)
		synctest.Wait()
		cancel()
		lane.Wait()
		synctest.Wait()
		if st := g.State(); len(st.Held) != 0 || st.Stalled != 0 {
			t.Errorf("%d frames wait, %d senders", len(st.Held), st.Stalled)
		}
	})
}

// TestIntercept_Ticket_HeldWhileOthersEnd is for the race detector: whether a frame waits is asked
// while the one before it goes on.
func TestIntercept_Ticket_HeldWhileOthersEnd(t *testing.T) {
	g := gateOn(t, "method:tools/call")
	l := g.NewLane("")
	take := func(s string) *intercept.Ticket {
		return l.Take(t.Context(), transport.Frame{Bytes: []byte(s), Envelope: jsonrpc.Scan([]byte(s)), Dir: transport.In, Time: time.Now()}, store.None)
	}
	for range 100 {
		a, b := take(call(1)), take(notification)
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = g.Decide(g.State().Held[0].ID, intercept.Decision{Action: intercept.Forward})
			_, _ = a.Wait(t.Context())
			a.Done()
		})
		wg.Go(func() {
			if _, held := b.Held(); !held {
				t.Error("a frame behind a held one does not wait")
			}
		})
		wg.Wait()
		_, _ = b.Wait(t.Context())
		b.Done()
	}
}

// TestIntercept_Gate_ClockStopsWhileEdited edits for longer than the time limit.
func TestIntercept_Gate_ClockStopsWhileEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		s.put(ping)
		time.Sleep(intercept.DefaultLimit - time.Second)
		if err := g.SetClock(1, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		s.want("")
		if h := g.State().Held; len(h) != 2 || !h[0].Stopped {
			t.Fatalf("held %+v", h)
		}
		if err := g.SetClock(1, true); err != nil {
			t.Fatal(err)
		}
		if h := g.State().Held[0]; h.Stopped || time.Until(h.Until) != intercept.DefaultLimit {
			t.Errorf("held %+v", h)
		}
		time.Sleep(intercept.DefaultLimit - 1)
		s.want("")
		time.Sleep(time.Nanosecond)
		s.want(call(1) + " " + ping)
		if err := g.SetClock(1, true); err == nil {
			t.Error("the clock of a frame that has gone on can be set")
		}
	})
}

// TestIntercept_Gate_ClockOfFrameBehind stops the clock of a frame that only waits for another one:
// it does not go on with that.
func TestIntercept_Gate_ClockOfFrameBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		s.put(ping)
		if err := g.SetClock(2, false); err != nil {
			t.Fatal(err)
		}
		if err := g.Decide(1, intercept.Decision{Action: intercept.Forward}); err != nil {
			t.Fatal(err)
		}
		s.want(call(1))
		if h := g.State().Held; len(h) != 1 || h[0].ID != 2 || !h[0].Stopped {
			t.Fatalf("held %+v", h)
		}
		if err := g.Decide(2, intercept.Decision{Action: intercept.Forward}); err != nil {
			t.Fatal(err)
		}
		s.want(call(1) + " " + ping)
	})
}

// TestIntercept_Gate_ForwardAllStartsStoppedClocks is for a controller that goes away while a frame
// is edited.
func TestIntercept_Gate_ForwardAllStartsStoppedClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		s := newStream(t, g, transport.Out)
		s.put(call(1))
		if err := g.SetClock(1, false); err != nil {
			t.Fatal(err)
		}
		g.ForwardAll()
		s.want(call(1))
	})
}

func TestIntercept_Ticket_WhileStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gateOn(t, "method:tools/call")
		f := transport.Frame{Bytes: []byte(call(1)), Envelope: jsonrpc.Scan([]byte(call(1))), Time: time.Now()}
		ticket := g.NewLane("").Take(t.Context(), f, store.None)
		var extended atomic.Int64
		ticket.WhileStopped(func(by time.Duration) { extended.Add(int64(by)) })
		_ = g.SetClock(1, false)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := time.Duration(extended.Load()); got < time.Hour {
			t.Errorf("what waits for the frame has %v more after an hour", got)
		}
		_ = g.SetClock(1, true)
		after := extended.Load()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := extended.Load(); got != after {
			t.Errorf("it has %v more after the clock has started", time.Duration(got-after))
		}
		ticket.Done()
	})
}

// TestIntercept_Gate_RequestsInFlight has more requests without a response than are remembered: the
// oldest are forgotten, and no others.
func TestIntercept_Gate_RequestsInFlight(t *testing.T) {
	const maxRequests = 10_000
	respond := func(g *intercept.Gate, id int) bool {
		text := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
		ticket := g.NewLane("").Take(t.Context(), transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Dir: transport.In}, store.None)
		if ticket == nil {
			return false
		}
		ticket.Done()
		return true
	}
	g := gateOn(t, "tool:flood dir:in")
	out := g.NewLane("")
	for id := range maxRequests + 1 {
		text := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"flood"}}`, id))
		if out.Take(t.Context(), transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text)}, store.None) != nil {
			t.Fatal("a request is held")
		}
	}
	for id, want := range map[int]bool{0: false, 1: true, 2: true, maxRequests / 2: true, maxRequests: true} {
		if respond(g, id) != want {
			t.Errorf("the response to request %d is held: %v, want %v", id, !want, want)
		}
	}
	for range 3 * maxRequests { // the same id again and again
		text := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"flood"}}`)
		out.Take(t.Context(), transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text)}, store.None)
	}
	if !respond(g, 7) || !respond(g, maxRequests-1) {
		t.Error("a request is forgotten although there are few")
	}
}

// TestIntercept_Gate_OnChange reads what the record says of each decision.
func TestIntercept_Gate_OnChange(t *testing.T) {
	edited := []byte(`{"edited":true}`)
	for _, c := range []struct {
		name       string
		d          intercept.Decision
		mark, text string
		sent       string // the frames of the other side; "-" if the row was forwarded unchanged
	}{
		{"forward", intercept.Decision{Action: intercept.Forward}, "held 2 s, forwarded", "was held for 2 s by breakpoint 1, then forwarded unchanged", "-"},
		{"edit", intercept.Decision{Action: intercept.Forward, Bytes: edited}, "edited, 2 s", "was held for 2 s by breakpoint 1, then edited and forwarded", string(edited)},
		{"drop", intercept.Decision{Action: intercept.Drop}, "dropped", "was held for 2 s by breakpoint 1, then dropped: nothing was forwarded", ""},
		{"duplicate", intercept.Decision{Action: intercept.Duplicate}, "sent twice", "was held for 2 s by breakpoint 1, then forwarded twice", call(1) + " " + call(1)},
		{"respond", intercept.Decision{Action: intercept.Respond, Bytes: edited}, "answered by hand", "was held for 2 s by breakpoint 1, then answered by hand: nothing was forwarded", ""},
		{"delay", intercept.Decision{Action: intercept.Delay, Delay: time.Minute}, "delayed 62 s", "was held for 62 s by breakpoint 1, then forwarded after a delay", "-"},
		{"time limit", intercept.Decision{}, "held 60 s, forwarded", "was held for 60 s by breakpoint 1, then forwarded unchanged (time limit)", "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gateOn(t, "method:tools/call")
				var changes []*record.Change
				g.OnChange(func(_ string, c *record.Change) { changes = append(changes, c) })
				s := newStream(t, g, transport.Out)
				s.put(call(1))
				s.put(ping) // waiting for another frame is not a change
				time.Sleep(2 * time.Second)
				if c.d.Action != "" {
					if err := g.Decide(1, c.d); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if len(changes) != 1 {
					t.Fatalf("%d changes", len(changes))
				}
				change := changes[0]
				if change.Mark() != c.mark || change.Text() != c.text {
					t.Errorf("mark %q, text %q", change.Mark(), change.Text())
				}
				sent := "-"
				if change.Sent != nil {
					var all []string
					for _, b := range change.Sent {
						all = append(all, string(b))
					}
					sent = strings.Join(all, " ")
				}
				if sent != c.sent {
					t.Errorf("sent on %q, want %q", sent, c.sent)
				}
			})
		})
	}
}

// A listener of a session gets the changes of its own frames; the common listener gets the others.
func TestIntercept_Gate_OnChangeOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := intercept.New(intercept.Options{})
		if err := g.SetBreakpoints([]intercept.Breakpoint{{Filter: "method:ping"}}); err != nil {
			t.Fatal(err)
		}
		var mine, others int
		g.OnChange(func(string, *record.Change) { others++ })
		stop := g.OnChangeOf("2", func(*record.Change) { mine++ })
		pass := func(session string) {
			s := &stream{t: t, dir: transport.Out, lane: g.NewLane(session)}
			s.put(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			synctest.Wait()
			if held := g.State().Held; len(held) != 1 || held[0].Session != session {
				t.Errorf("held of session %s: %+v", session, held)
			}
			time.Sleep(intercept.DefaultLimit)
			synctest.Wait()
		}
		pass("1")
		pass("2")
		if mine != 1 || others != 1 {
			t.Errorf("the listener of session 2 got %d changes, the common listener got %d", mine, others)
		}
		stop()
		pass("2")
		if mine != 1 || others != 2 {
			t.Errorf("after stop: %d and %d", mine, others)
		}
	})
}
