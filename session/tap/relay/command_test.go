package relay

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/session/tap/control"
)

// commandRig is a relay whose connection a command uses.
type commandRig struct {
	*relayRig
	newest atomic.Uint64 // the generation of the sources
	wanted chan uint64
}

// commanded runs a relay of which a host is connected to a server.
func commanded(t *testing.T) (*commandRig, *fakeServer) {
	g := &commandRig{relayRig: unstartedRig(t), wanted: make(chan uint64, 100)}
	g.r.Control = control.New(control.Info{}, intercept.New(intercept.Options{}))
	g.r.Generation = func(time.Duration) uint64 { return g.newest.Load() }
	g.r.Want = func(n uint64) { g.wanted <- n }
	g.start(t)
	return g, g.connected()
}

// commandCall is a call of a command.
type commandCall struct {
	id      string
	cancel  func()
	outcome chan string // the response, or the error
}

// calls has the command begin a call.
func (g *commandRig) calls(t *testing.T) *commandCall {
	c := g.r.Control.Connection()
	id, err := c.NextID()
	if err != nil {
		t.Fatal(err)
	}
	call := &commandCall{id: string(id.Bytes()), outcome: make(chan string, 1)}
	call.cancel = c.Start(jsonrpc.EncodeRequest(id, "tools/call", []byte(`{"name":"a"}`)), nil, func(response []byte, err error) {
		if err != nil {
			response = []byte(err.Error())
		}
		call.outcome <- string(response)
	})
	return call
}

// ends waits for the outcome of a call of a command.
func (c *commandCall) ends(t *testing.T, parts ...string) {
	t.Helper()
	select {
	case got := <-c.outcome:
		for _, p := range parts {
			if !strings.Contains(got, p) {
				t.Errorf("the outcome is %s, without %s", got, p)
			}
		}
	case <-time.After(time.Minute):
		t.Error("the call has no outcome")
	}
}

// A command that uses the connection of a tap is answered as the host is: by the server as it was saved. What it has
// begun ends with the old server, what waits can be cancelled, and a failed build is the outcome.
func TestRelay_CommandAfterSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, old := commanded(t)
		first := g.calls(t)
		next(t, old, first.id)
		g.newest.Store(5)
		second, third := g.calls(t), g.calls(t)
		if got := <-g.wanted; got != 5 {
			t.Errorf("generation %d is wanted", got)
		}
		if synctest.Wait(); len(old.got) > 0 {
			t.Fatal("the old server got " + <-old.got)
		}
		if n := g.r.Running(); n != 1 {
			t.Errorf("%d requests run", n)
		}
		third.cancel()
		third.ends(t, "cancelled")
		first.cancel() // it is for the old server
		next(t, old, "notifications/cancelled", first.id)
		first.ends(t, "cancelled")
		s, done := g.restart(5)
		_ = ended(done)
		awaitFrame(t, s, second.id)
		s.says(`{"jsonrpc":"2.0","id":` + second.id + `,"result":{"of":"the new one"}}`)
		second.ends(t, "the new one")
		synctest.Wait()
		for len(s.got) > 0 {
			if line := <-s.got; strings.Contains(line, third.id) {
				t.Error("the server got what was cancelled before: " + line)
			}
		}
		g.r.Broken("a.go:1: no", 6)
		g.newest.Store(6)
		g.calls(t).ends(t, "the build has failed: a.go:1: no", "did not reach a server")
	})
}

// A command is told after a while that the server with the saved file is not ready, and at once that it does not run.
func TestRelay_CommandInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := commanded(t)
		begun := time.Now()
		g.newest.Store(7)
		g.calls(t).ends(t, "a file was saved, and the server with it is not ready after 25 s: the request did not reach a server; send it again")
		if took := time.Since(begun); took != session.SaveWait {
			t.Errorf("answered after %s", took)
		}
		g.r.Covers(7)
		running := g.calls(t)
		awaitFrame(t, s, running.id)
		s.die("exit status 3")
		running.ends(t, "the server ended before it responded: exit status 3; the request may have been carried out")
		g.calls(t).ends(t, "the server does not run: exit status 3", "starts it again when a file changes")
	})
}

// What waits of a command does not keep a tap whose host is gone.
func TestRelay_CommandWaitsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := commanded(t)
		g.newest.Store(7)
		c := g.calls(t)
		<-g.wanted
		begun := time.Now()
		_ = g.host.Close()
		c.ends(t, "the server of the tap has ended")
		if took := time.Since(begun); took > session.SaveWait/2 {
			t.Errorf("it took %s", took)
		}
	})
}
