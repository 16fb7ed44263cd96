package probes_test

import (
	"bufio"
	"context"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport/stdio"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// slow is a server that works on requests concurrently, and needs a while for each but
// those for its state.
func slow(serve sessiontest.Serve, by time.Duration) sessiontest.Serve {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, stop := context.WithCancel(ctx)
		toInner, innerIn := io.Pipe()
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = serve(ctx, toInner, out)
			_ = toInner.Close()
		})
		var one sync.Mutex
		write := func(line []byte) {
			one.Lock()
			defer one.Unlock()
			_, _ = innerIn.Write(line) // the end of the server ends the test
		}
		pending := map[string]context.CancelFunc{} // by raw id
		lines := bufio.NewReaderSize(in, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			e := jsonrpc.Scan(line)
			switch e.MethodName(line) {
			case "notifications/cancelled":
				id, _ := jsonrpc.Member(line, "params", "requestId")
				if cancel := pending[string(id)]; cancel != nil {
					cancel()
				}
				write(line)
			case "initialize", "ping", "server/discover", "notifications/initialized":
				write(line)
			default:
				waiting, cancel := context.WithCancel(ctx)
				pending[e.ID.Of(line).String()] = cancel
				wg.Go(func() {
					select {
					case <-time.After(by):
						write(line)
					case <-waiting.Done():
					}
				})
			}
			if err != nil {
				break
			}
		}
		stop()
		_ = innerIn.Close()
		wg.Wait()
		return nil
	}
}

// A probe waits in proportion to the pace of the server: one that answers correctly, but
// takes its time, gets no finding.
func TestProbe_SlowServer(t *testing.T) {
	for _, v := range []revision.Revision{revision.R20251125, revision.R20260728} {
		t.Run(string(v), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connect := sessiontest.Dial(slow(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), 600*time.Millisecond))
				summary, err := probes.Run(context.Background(), probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: v}, Seed: 1, MaxTime: time.Hour,
					Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range summary.Reports {
					if r.Verdict == probe.Pass || r.Verdict == probe.Skipped || hostile[r.Entry.ID] {
						continue
					}
					t.Errorf("%s %s: %s %s", r.Entry.ID, r.Entry.Slug, r.Verdict, r.Skip)
					for _, f := range r.Findings {
						t.Errorf("%s %s: %s: %s", r.Entry.ID, f.Severity, f.Case, f.Message)
					}
				}
			})
		})
	}
}

// One response that takes much longer than the others is not called missing either.
func TestProbe_LateResponse(t *testing.T) {
	r := check(t, server{
		place: "load", probe: "P-186", revision: revision.R20251125,
		script: `tools/call ~ "k19999" => later 900ms {"content":[],"isError":true}`,
	})
	if r.Verdict != probe.Pass {
		t.Errorf("%s %s: %+v", r.Verdict, r.Skip, r.Findings)
	}
	r = check(t, server{
		place: "load", probe: "P-186", revision: revision.R20251125, script: `tools/call ~ "k19999" => ignore`,
	})
	if r.Verdict != probe.Warn || len(r.Findings) != 1 || r.Findings[0].Message != "The server does not respond to a call with 20,000 members." {
		t.Errorf("without a response: %s %+v", r.Verdict, r.Findings)
	}
}

// slowStarts checks the demo server in a bubble. Each of its starts waits 3 s.
func slowStarts(t *testing.T, serve sessiontest.Serve, cost func(int) (stdio.Cost, bool)) *probe.Summary {
	t.Helper()
	connect := sessiontest.Dial(serve)
	summary, err := probes.Run(context.Background(), probe.Config{
		Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour,
		Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		Cost: cost,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// A server whose start only waits is checked in the time of a few starts, and of fewer if the system tells that it waits.
func TestProbe_SlowStartsBesideEachOther(t *testing.T) {
	for _, tt := range []struct {
		name string
		cost func(int) (stdio.Cost, bool)
		most time.Duration
	}{
		{"waits", waits, 15 * time.Second},
		{"waits, no memory", func(int) (stdio.Cost, bool) { return stdio.Cost{Memory: 1 << 50}, true }, 40 * time.Second},
		{"works", func(int) (stdio.Cost, bool) { return stdio.Cost{CPU: 3 * time.Second, Memory: 1 << 20}, true }, 40 * time.Second},
		{"unknown", func(int) (stdio.Cost, bool) { return stdio.Cost{}, false }, 40 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				starts := 0
				summary := slowStarts(t, disturb(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), disturbance{startup: 3 * time.Second}, &starts), tt.cost)
				if summary.Took > tt.most || starts > maxStarts+4 {
					t.Errorf("%s with %d starts of 3 s", summary.Took, starts)
				}
				t.Logf("%s with %d starts", summary.Took, starts)
				accuses(t, summary)
			})
		})
	}
}

// waits is the cost of a process whose start waits.
func waits(int) (stdio.Cost, bool) {
	return stdio.Cost{CPU: 100 * time.Millisecond, Memory: 1 << 20}, true
}

// accuses fails the test for each probe that fails.
func accuses(t *testing.T, s *probe.Summary) {
	t.Helper()
	for _, r := range s.Reports {
		if r.Verdict == probe.Fail && !hostile[r.Entry.ID] {
			t.Errorf("%s %s: %+v", r.Entry.ID, r.Entry.Slug, r.Findings)
		}
	}
}

// A server whose process ends the one before, such as one that takes over a port, is not accused of an end.
func TestProbe_SlowStartsOfExclusiveServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		end := func() {} // the newest process
		accuses(t, slowStarts(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			time.Sleep(3 * time.Second)
			mu.Lock()
			end()
			end = stop
			mu.Unlock()
			return sessiontest.Demo(demo.Options{Pace: time.Millisecond})(ctx, in, out)
		}, waits))
	})
}

// Some servers exit if the client does not write soon. The check then starts no more processes ahead of need, and reports
// no finding about the exit.
func TestProbe_SlowStartsOfImpatientServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accuses(t, slowStarts(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			time.Sleep(3 * time.Second)
			lines := bufio.NewReader(in)
			first := make(chan struct{})
			go func() {
				_, _ = lines.Peek(1) // the end of the input is for the server, too
				close(first)
			}()
			select {
			case <-first:
			case <-time.After(time.Second):
				return nil
			}
			return sessiontest.Demo(demo.Options{Pace: time.Millisecond})(ctx, lines, out)
		}, waits))
	})
}
