package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/intercept"
	"mcptea/session/tap/serve"
)

func own(*serve.Gateway) {}

func TestServe_AProcessForEachSession(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		contains(t, a.call("2", "server"), `"text":"1"`)
		contains(t, b.call("2", "server"), `"text":"2"`)
		if n := r.count(`{"jsonrpc":"2.0","id":2,"method":"tools/call"`); n != 2 {
			t.Errorf("%d calls have the bytes of the host", n)
		}
	})
}

func TestServe_ConcurrentCalls(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		var all []<-chan string
		for i := range 20 {
			all = append(all, a.background(fmt.Sprint(100+i), fmt.Sprintf("slow:m%d", i)))
		}
		for i, c := range all {
			contains(t, <-c, fmt.Sprintf(`"id":%d,`, 100+i), fmt.Sprintf(`"text":"m%d"`, i))
		}
	})
}

func TestServe_Progress(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		first, second := a.background("2", "steps:a"), b.background("2", "steps:b")
		for c, other := range map[string]string{<-first: `"message":"b"`, <-second: `"message":"a"`} {
			contains(t, c, `"progress":1`, `"progress":4`, `"result"`)
			if strings.Contains(c, other) {
				t.Error("the progress of another host: " + c)
			}
		}
	})
}

func TestServe_Cancelled(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		call := a.background("2", "slow")
		if s := a.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`); s.StatusCode != http.StatusAccepted {
			t.Errorf("cancelled: %d", s.StatusCode)
		}
		if body := <-call; strings.Contains(body, "result") {
			t.Error(body)
		}
		if r.count("cancelled 2") != 1 {
			t.Errorf("the server was not told: %q", r.got)
		}
		contains(t, a.call("3", "echo:x"), `"text":"x"`)
	})
}

// A request of the server goes to the stream of the call that it is about, and the response to the server.
func TestServe_ServerRequest(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		hosts := []*host{r.connect(), r.connect()}
		for i, h := range hosts {
			response := h.send(t.Context(), http.MethodPost, toolCall("2", fmt.Sprintf("ask:%d", i)))
			stream := events(response)
			contains(t, <-stream, `"method":"sampling/createMessage"`, fmt.Sprintf(`"for":"%d"`, i))
			h.send(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"by":%d}}`, i))
			contains(t, <-stream, `"id":2`, fmt.Sprintf(`{\"by\":%d}`, i))
		}
	})
}

// Several calls of a session ask at a time: the requests go to the stream of GET.
func TestServe_ServerRequests_Concurrent(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		stream := a.stream(t.Context())
		calls := []<-chan string{a.background("2", "slow"), a.background("3", "ask:1"), a.background("4", "ask:2")}
		for _, question := range waiting(stream) {
			id := question[strings.Index(question, `"id":`):strings.Index(question, `,"method"`)]
			a.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0",`+id+`,"result":{"ok":1}}`)
		}
		for _, c := range calls[1:] {
			contains(t, <-c, `{\"ok\":1}`)
		}
		<-calls[0]
	})
}

func TestServe_MessageAfterTheCall(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		stream := a.stream(t.Context())
		a.call("2", "later:x")
		time.Sleep(2 * time.Second)
		if got := waiting(stream); len(got) != 1 || !strings.Contains(got[0], "later x") {
			t.Errorf("the stream of GET has %q", got)
		}
	})
}

func TestServe_CutStreamIsResumed(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		ctx, cut := context.WithCancel(t.Context())
		response := a.send(ctx, http.MethodPost, toolCall("2", "steps:x"))
		buffer := make([]byte, 4096)
		n, _ := response.Body.Read(buffer)
		contains(t, string(buffer[:n]), "id: 2-0")
		cut()
		time.Sleep(10 * time.Second)
		a.header.Set("Last-Event-ID", "2-1")
		got := strings.Join(waiting(a.stream(t.Context())), "\n")
		contains(t, got, `"progress":2`, `"progress":4`, `"result"`)
		if strings.Contains(got, `"progress":1,`) {
			t.Error("the event that the host has was repeated: " + got)
		}
	})
}

func TestServe_DeleteEndsTheProcess(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		if s := a.send(t.Context(), http.MethodDelete, ""); s.StatusCode != http.StatusNoContent {
			t.Errorf("DELETE: %d", s.StatusCode)
		}
		synctest.Wait()
		if n := r.running.Load(); n != 1 {
			t.Errorf("%d servers run", n)
		}
		if s := a.send(t.Context(), http.MethodPost, toolCall("2", "echo")); s.StatusCode != http.StatusNotFound {
			t.Errorf("a request of the ended session: %d", s.StatusCode)
		}
		contains(t, b.call("2", "echo:x"), `"text":"x"`)
	})
}

func TestServe_IdleSessionEnds(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.Idle = time.Minute }, func(t *testing.T, r *rig) {
		a := r.connect()
		ctx, leave := context.WithCancel(t.Context())
		a.stream(ctx)
		time.Sleep(10 * time.Minute)
		if n := r.running.Load(); n != 1 {
			t.Fatalf("the session ended while the host read its stream: %d servers", n)
		}
		leave()
		time.Sleep(2 * time.Minute)
		if n := r.running.Load(); n != 0 {
			t.Errorf("%d servers run after the host has left", n)
		}
	})
}

func TestServe_Crash(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		other := b.background("2", "slow:x")
		contains(t, a.call("2", "crash"), `"code":-32603`, "the database is gone")
		contains(t, <-other, `"text":"x"`)
		contains(t, a.call("3", "server"), `"text":"3"`)
	})
}

func TestServe_BigResult(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		if n := len(r.connect().call("2", "big")); n < 5_000_000 {
			t.Errorf("the response has %d bytes", n)
		}
	})
}

func TestServe_UnknownSession(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		h := &host{r: r, header: http.Header{"Mcp-Session-Id": {"other"}}}
		if s := h.send(t.Context(), http.MethodPost, toolCall("1", "echo")); s.StatusCode != http.StatusNotFound {
			t.Errorf("status %d", s.StatusCode)
		}
		h.header = http.Header{}
		s := h.send(t.Context(), http.MethodPost, toolCall("1", "echo"))
		contains(t, readAll(t, s), "Mcp-Session-Id is missing; start with initialize")
	})
}

func TestServe_MaxSessions(t *testing.T) {
	for _, shared := range []bool{false, true} {
		serving(t, func(g *serve.Gateway) { g.MaxSessions, g.Shared = 2, shared }, func(t *testing.T, r *rig) {
			a := r.connect()
			r.connect()
			h := &host{r: r}
			s := h.send(t.Context(), http.MethodPost, initialize)
			text := readAll(t, s)
			contains(t, text, `"id":1`, "2 sessions are open, the maximum of --max-sessions; end one with DELETE")
			if s.StatusCode != http.StatusServiceUnavailable || strings.Contains(text, "--shared") == shared {
				t.Errorf("%d %s", s.StatusCode, text)
			}
			a.send(t.Context(), http.MethodDelete, "")
			r.connect()
		})
	}
}

// Hosts that connect at the same time do not open more sessions than the maximum.
func TestServe_MaxSessions_Concurrent(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.MaxSessions = 3 }, func(t *testing.T, r *rig) {
		statuses := make(chan int, 20)
		for range cap(statuses) {
			go func() {
				response, err := (&host{r: r}).try(t.Context(), serve.Path, http.MethodPost, initialize)
				if err != nil {
					t.Error(err)
					statuses <- 0
					return
				}
				_ = response.Body.Close()
				statuses <- response.StatusCode
			}()
		}
		counts := map[int]int{}
		for range cap(statuses) {
			counts[<-statuses]++
		}
		if counts[200] != 3 || counts[503] != 17 || r.servers.Load() != 3 {
			t.Errorf("statuses %v, %d servers", counts, r.servers.Load())
		}
	})
}

// A breakpoint holds the call of one session, and names the session. Other sessions go on.
func TestServe_Breakpoint(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		if err := r.gate.SetBreakpoints([]intercept.Breakpoint{{Filter: `method:tools/call "echo:x"`}}); err != nil {
			t.Fatal(err)
		}
		call := b.background("2", "echo:x")
		contains(t, a.call("2", "server"), `"text":"1"`)
		held := r.gate.State().Held
		if len(held) == 0 {
			t.Fatalf("nothing is held: %+v", r.gate.State())
		}
		if held[0].Session != "2" {
			t.Errorf("held: %+v", held)
		}
		r.gate.Release()
		contains(t, <-call, `"text":"x"`)
	})
}

// A request without a response for a while has headers, so that the host does not give up, and events can be resumed.
func TestServe_HeadersOfASlowCall(t *testing.T) {
	serving(t, own, func(t *testing.T, r *rig) {
		a := r.connect()
		began := time.Now()
		response := a.send(t.Context(), http.MethodPost, toolCall("2", "slow:x"))
		if after := time.Since(began); response.StatusCode != http.StatusOK || after >= 10*time.Second {
			t.Errorf("headers after %s", after)
		}
		contains(t, readAll(t, response), `"text":"x"`)
	})
}

// A batch (2025-03-26) reaches the server as one line, and its responses the host together.
func TestServe_Batch(t *testing.T) {
	for _, shared := range []bool{false, true} {
		serving(t, func(g *serve.Gateway) { g.Shared = shared }, func(t *testing.T, r *rig) {
			a := r.connect()
			body := "[" + toolCall("2", "echo:a") + "," + toolCall("3", "slow:b") + `,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`
			got := readAll(t, a.send(t.Context(), http.MethodPost, body))
			contains(t, got, `[{`, `"id":2,`, `"id":3,`, `"text":"a"`, `"text":"b"`)
			if n := r.count(": " + body); n == 0 != shared {
				t.Errorf("the server got %q", r.got)
			}
			if s := a.send(t.Context(), http.MethodPost, `[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`); s.StatusCode != http.StatusAccepted {
				t.Errorf("a batch of notifications: %d", s.StatusCode)
			}
		})
	}
}
