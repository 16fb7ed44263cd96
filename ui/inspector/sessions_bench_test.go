package inspector

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/session/session"
	"mcptea/ui/sessions"
)

var _ = raced.Also(TestSessions_Memory)

// hostRig is the terminal of several sessions without a terminal: a loop as that of Bubble Tea.
type hostRig struct {
	host *sessions.Host
	msgs chan tea.Msg
	done chan struct{}
}

func newHostRig(tb testing.TB, first *model) *hostRig {
	r := &hostRig{host: &sessions.Host{}, msgs: make(chan tea.Msg), done: make(chan struct{})}
	r.host.Start(first.Program, r.send)
	tb.Cleanup(func() {
		r.host.End()
		close(r.done)
		r.host.Wait()
	})
	go func() {
		r.run(r.host.Init())
		for {
			select {
			case msg := <-r.msgs:
				if do, ok := msg.(func()); ok {
					do()
					continue
				}
				_, cmd := r.host.Update(msg)
				r.run(cmd)
				r.host.View()
			case <-r.done:
				return
			}
		}
	}()
	r.send(tea.WindowSizeMsg{Width: 160, Height: 45})
	return r
}

func (r *hostRig) send(msg tea.Msg) {
	select {
	case r.msgs <- msg:
	case <-r.done:
	}
}

func (r *hostRig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if all, ok := msg.(tea.BatchMsg); ok {
			for _, cmd := range all {
				r.run(cmd)
			}
		} else if msg != nil {
			r.send(msg)
		}
	}()
}

// key presses a key and returns how long it took until the screen was painted.
func (r *hostRig) key(name string) time.Duration {
	start, painted := time.Now(), make(chan struct{})
	r.send(pressKey(name))
	r.send(func() { close(painted) })
	<-painted
	return time.Since(start)
}

// sessionOf is an inspector on a session with the demo server.
func sessionOf(tb testing.TB) *model {
	tb.Helper()
	s, err := session.Open(demoConfig())
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m, stop := newModel(ctx, s, Options{}, sections(Own{}))
	tb.Cleanup(func() {
		cancel()
		m.End()
		stop()
		_ = s.Close(context.Background())
	})
	return m
}

// BenchmarkSessions measures a key in the session in front: alone, with three others that do nothing,
// and while one of them gets 50,000 frames a second. p95-ns is what 95 of 100 keys stay below.
func BenchmarkSessions(b *testing.B) {
	for _, tc := range []struct {
		name   string
		others int
		flood  bool
	}{{"alone", 0, false}, {"three_others", 3, false}, {"flood_beside", 3, true}} {
		b.Run(tc.name, func(b *testing.B) {
			first := sessionOf(b)
			r := newHostRig(b, first)
			for range tc.others {
				other := sessionOf(b)
				r.host.Go(func() { _ = r.host.Show(other.Program) })
				time.Sleep(300 * time.Millisecond) // it connects
				r.key("S")
				if tc.flood {
					tc.flood = false
					text := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
					frame := transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Dir: transport.In, Ending: "\n"}
					go func() {
						for other.Ctx.Err() == nil {
							for range 500 {
								other.session.Store().Append(frame)
							}
							time.Sleep(10 * time.Millisecond)
						}
					}()
				}
			}
			var took []time.Duration
			names := []string{"down", "up", "9", "2", "tab"}
			for i := 0; b.Loop(); i++ {
				took = append(took, r.key(names[i%len(names)]))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100]), "p95-ns")
			b.ReportMetric(float64(took[len(took)-1]), "max-ns")
		})
	}
}

// maxSessionMemory is what one more session may keep in memory, in bytes.
const maxSessionMemory = 6 << 20

// One more session, connected and looked at, keeps no more than that.
func TestSessions_Memory(t *testing.T) {
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	driveSession(t, 160, 45, demoConfig(), func(d *driver) {
		d.opened("warm", demoConfig()) // tables that are made once
		d.press("19382")
		before := heap()
		const n = 4
		for range n {
			d.opened("", demoConfig())
			d.press("19382")
		}
		each := (heap() - before) / n
		t.Logf("%d bytes for one more session", each)
		if each > maxSessionMemory {
			t.Errorf("one more session keeps %d bytes, at most %d are expected", each, maxSessionMemory)
		}
	})
}
