package session

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
)

// watched is a session whose servers report their generation.
type watched struct {
	*Session
	newest atomic.Uint64 // the generation of the sources
	server atomic.Uint64 // the generation of the next server
	held   chan struct{} // a call of the tool slow ends when it is closed
	wanted chan uint64
	doing  string
	// stalled holds the response to initialize until the channel is closed; nil does not.
	stalled atomic.Pointer[chan struct{}]
}

// savedRun runs a script with a session whose files are followed.
func savedRun(t *testing.T, script func(t *testing.T, w *watched)) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{wanted: make(chan uint64, 100), held: make(chan struct{})}
		var calls atomic.Int32
		serve := sessiontest.Scripted(func(method, id string) string {
			result := `{}`
			switch method {
			case "initialize":
				if release := w.stalled.Load(); release != nil {
					<-*release
				}
				result = fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s%d","version":"1"}}`, w.server.Load())
			case "tools/list":
				result = `{"tools":[]}`
			case "prompts/get":
				<-w.held
			case "tools/call":
				calls.Add(1)
				result = fmt.Sprintf(`{"content":[{"type":"text","text":"generation %d"}]}`, w.server.Load())
			}
			if strings.HasPrefix(method, "notifications/") {
				return ""
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
		})
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"x"}}, Record: "off", Dial: sessiontest.Dial(serve),
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Session = s
		s.FollowSources(Sources{
			Generation: func(time.Duration) uint64 { return w.newest.Load() },
			Want:       func(n uint64) { w.wanted <- n },
			Doing:      func() string { return w.doing },
		})
		defer func() { _ = s.Close(t.Context()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(t, w)
	})
}

// calls begins a call of a tool.
func (w *watched) calls() *Call { return w.Start("tools/call", []byte(`{"name":"a"}`)) }

// restarts replaces the server by that of a generation.
func (w *watched) restarts(t *testing.T, generation uint64) {
	t.Helper()
	w.server.Store(generation)
	if err := w.RestartAfter(t.Context(), Cause{Text: "a.go saved", Generation: generation}); err != nil {
		t.Error(err)
	}
}

// ends waits for the outcome of a call: a text of the result, or of the error.
func ends(t *testing.T, c *Call, part string) {
	t.Helper()
	<-c.Done()
	response, err := c.Outcome()
	if got := fmt.Sprint(string(response.Frame), err); !strings.Contains(got, part) {
		t.Errorf("the outcome is %s, without %q", got, part)
	}
}

// A call after a save is sent to the server as it was saved, under the id that it has had from the begin, also while
// another call runs and while no server is there. What waits does not keep the restart.
func TestSession_CallAfterSave(t *testing.T) {
	savedRun(t, func(t *testing.T, w *watched) {
		ends(t, w.calls(), "generation 0")
		slow := w.Start("prompts/get", []byte(`{"name":"slow"}`))
		synctest.Wait()
		w.newest.Store(3)
		first, other := w.calls(), w.StartFrame([]byte(`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"a"}}`))
		synctest.Wait()
		if !first.Running() || !first.Waits() || !other.Waits() || w.Running() != 1 {
			t.Errorf("%v %v, %d run", first.Waits(), other.Waits(), w.Running())
		}
		if got := <-w.wanted; got != 3 {
			t.Errorf("generation %d is wanted", got)
		}
		close(w.held)
		ends(t, slow, `"result"`)
		if w.Running() != 0 {
			t.Errorf("%d run", w.Running())
		}
		w.disconnect(t.Context(), "") // as a restart does
		second := w.calls()
		if second.ID.Key() == first.ID.Key() || !second.Running() {
			t.Errorf("the calls %s and %s", first.ID, second.ID)
		}
		w.restarts(t, 3)
		for _, c := range []*Call{first, other, second} {
			ends(t, c, "generation 3")
			if response, _ := c.Outcome(); !strings.Contains(string(response.Frame), `"id":`+c.ID.String()) || c.Last().Key() != c.ID.Key() {
				t.Errorf("%s has the response %s", c.ID, response.Frame)
			}
		}
		w.newest.Store(4)
		covered := w.calls() // a change that no server is started for
		w.Covers(4)
		ends(t, covered, "generation 3")
	})
}

// What waits after a save is cancelled, has the failure of the build, or is told after a while what is going on.
func TestSession_CallAfterSaveInVain(t *testing.T) {
	savedRun(t, func(t *testing.T, w *watched) {
		w.newest.Store(1)
		c := w.calls()
		c.Cancel()
		ends(t, c, ErrCancelled.Error())
		c = w.calls()
		w.Broken("make: a.go:1: no", 1)
		ends(t, c, "the build has failed: make: a.go:1: no. The request did not reach a server")
		ends(t, w.calls(), "the build has failed")
		if err := w.RestartAfter(t.Context(), Cause{Text: "event stream ended"}); err != nil { // of the old server
			t.Error(err)
		}
		ends(t, w.calls(), "the build has failed")
		w.newest.Store(2)
		w.doing = "building"
		begun := time.Now()
		ends(t, w.calls(), "a file was saved, and the server with it is not ready after 25 s (building): the request did not reach a server; send it again")
		if took := time.Since(begun); took != SaveWait {
			t.Errorf("it took %s", took)
		}
		w.restarts(t, 2)
		ends(t, w.calls(), "generation 2")
		if n := w.Running(); n != 0 || w.waiting != 0 {
			t.Errorf("%d run, %d wait", n, w.waiting)
		}
		w.newest.Store(3)
		c = w.calls()
		release := make(chan struct{})
		w.stalled.Store(&release)
		ctx, stop := context.WithCancel(t.Context())
		attempt := make(chan error, 1)
		go func() { attempt <- w.RestartAfter(ctx, Cause{Generation: 3}) }()
		synctest.Wait()
		stop() // a further save ends the attempt
		synctest.Wait()
		w.stalled.Store(nil)
		close(release)
		if err := <-attempt; err == nil {
			t.Error("the attempt has succeeded")
		}
		if synctest.Wait(); !c.Running() {
			t.Error("the call does not wait for the next start")
		}
		w.newest.Store(4)
		w.restarts(t, 4)
		ends(t, c, "generation 4")
	})
}

// A notification goes to the server that is there: it is about what that does.
func TestSession_NotificationAfterSave(t *testing.T) {
	savedRun(t, func(t *testing.T, w *watched) {
		w.newest.Store(1)
		c := w.StartFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		<-c.Done()
		if _, err := c.Outcome(); err != nil {
			t.Error(err)
		}
		ends(t, w.StartFrame([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)), "not ready after 25 s")
	})
}
