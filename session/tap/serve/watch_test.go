package serve_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/session"
	"mcptea/session/tap/serve"
)

// sources are watched files, which a test changes.
type sources struct{ generation atomic.Uint64 }

func (s *sources) followed(isShared bool) func(*serve.Gateway) {
	return func(g *serve.Gateway) {
		g.Shared = isShared
		g.FollowSources(session.Sources{
			Generation: func(time.Duration) uint64 { return s.generation.Load() },
			Want:       func(uint64) {}, Doing: func() string { return "its build runs" },
		})
	}
}

// restart is the end of a build that has passed: the servers are replaced.
func (s *sources) restart(ctx context.Context, r *rig) {
	_ = r.gateway.RestartAfter(ctx, session.Cause{Text: "a.js saved", Generation: s.generation.Load()})
}

// A call right after a save waits for the new server, in each session, and with --shared too.
func TestWatch_CallRightAfterASave(t *testing.T) {
	for _, isShared := range []bool{false, true} {
		var s sources
		serving(t, s.followed(isShared), func(t *testing.T, r *rig) {
			_ = r.gateway.Connect(t.Context())
			a, b := r.connect(), r.connect()
			before := r.servers.Load()
			s.generation.Add(1)
			call := b.background("2", "server")
			if n := r.count("tools/call"); n != 0 {
				t.Errorf("shared %t: the call went to the server before the save", isShared)
			}
			s.restart(t.Context(), r)
			contains(t, <-call, `"id":2`, `"text":`)
			if n := r.servers.Load(); n != 2*before || r.running.Load() != before {
				t.Errorf("shared %t: %d servers of %d run", isShared, r.running.Load(), n)
			}
			contains(t, a.call("3", "echo:x"), `"text":"x"`)
			r.connect()
		})
	}
}

// A session that begins after a failed build has its error, and a server after the next one.
func TestWatch_BrokenBuild(t *testing.T) {
	for _, isShared := range []bool{false, true} {
		var s sources
		serving(t, s.followed(isShared), func(t *testing.T, r *rig) {
			_ = r.gateway.Connect(t.Context())
			a := r.connect()
			s.generation.Add(1)
			r.gateway.Broken("./main.go:3: undefined: x", s.generation.Load())
			contains(t, a.call("2", "echo:x"), `-32603`, "the build has failed: ./main.go:3: undefined: x")
			if !isShared {
				response := (&host{r: r}).send(t.Context(), http.MethodPost, initialize)
				contains(t, readAll(t, response), "the build has failed: ./main.go:3: undefined: x")
			}
			s.generation.Add(1)
			s.restart(t.Context(), r)
			contains(t, a.call("3", "echo:x"), `"text":"x"`)
			contains(t, r.connect().call("3", "echo:x"), `"text":"x"`)
		})
	}
}

// A host that connects while the first build runs waits for it.
func TestWatch_FirstBuild(t *testing.T) {
	var s sources
	serving(t, s.followed(false), func(t *testing.T, r *rig) {
		connected := make(chan *host, 1)
		go func() { connected <- r.connect() }()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if n := r.servers.Load(); n != 0 {
			t.Errorf("%d servers have begun before the build", n)
		}
		_ = r.gateway.Connect(t.Context())
		contains(t, (<-connected).call("2", "server"), `"text":"1"`)
	})
}

// The first build never ends: the host gets an error, and the tap ends.
func TestWatch_NoFirstBuild(t *testing.T) {
	var s sources
	serving(t, s.followed(false), func(t *testing.T, r *rig) {
		response := (&host{r: r}).send(t.Context(), http.MethodPost, initialize)
		contains(t, readAll(t, response), `"id":1`, `-32603`, "its build has not ended within 25 s: make")
	})
}

// A restart of the loop counts the calls of all sessions.
func TestWatch_Calls(t *testing.T) {
	var s sources
	serving(t, s.followed(false), func(t *testing.T, r *rig) {
		_ = r.gateway.Connect(t.Context())
		settled, stop := r.gateway.Settled()
		defer stop()
		a, b := r.connect(), r.connect()
		_, before := r.gateway.Calls()
		calls := []<-chan string{a.background("2", "slow"), b.background("2", "slow")}
		if n, _ := r.gateway.Calls(); n != 2 || r.gateway.Running() != 2 {
			t.Errorf("%d calls are in progress", n)
		}
		for _, c := range calls {
			<-c
		}
		<-settled
		a.send(t.Context(), http.MethodDelete, "")
		synctest.Wait()
		if n, ended := r.gateway.Calls(); n != 0 || ended != before+2 {
			t.Errorf("%d calls are in progress, %d have ended", n, ended-before)
		}
	})
}
