package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/tap/serve"
)

func shared(g *serve.Gateway) { g.Shared = true }

// Hosts that use the same ids and tokens have their own responses and progress.
func TestShared_OneProcess(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		for id, token := range map[string]string{`2`: `2`, `"x:1"`: `"x:1"`} {
			first, second := a.background(id, "steps:a"), b.background(id, "steps:b")
			for c, m := range map[string]string{<-first: `"message":"a"`, <-second: `"message":"b"`} {
				contains(t, c, `"progressToken":`+token+`,"progress":4,`+m, `"id":`+id+`,"result"`)
				if strings.Count(c, `"message"`) != strings.Count(c, m) {
					t.Error("the progress of another host: " + c)
				}
			}
		}
		if n := r.servers.Load(); n != 1 {
			t.Errorf("%d servers have begun", n)
		}
		if n := r.count(`"method":"initialize"`); n != 1 {
			t.Errorf("the server got initialize %d times", n)
		}
		if n := r.count(`notifications/initialized`); n != 1 {
			t.Errorf("the server got initialized %d times", n)
		}
	})
}

// Hosts that connect at the same time get the result of the first one.
func TestShared_ConcurrentConnect(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		bodies := make(chan string, 5)
		for range cap(bodies) {
			go func() {
				response, err := (&host{r: r}).try(t.Context(), serve.Path, http.MethodPost, initialize)
				if err != nil {
					t.Error(err)
					bodies <- ""
					return
				}
				bodies <- readAll(t, response)
			}()
		}
		for range cap(bodies) {
			contains(t, <-bodies, `"id":1,`, `"serverInfo":{"name":"s1"`)
		}
	})
}

func TestShared_Cancelled(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		first, second := a.background("2", "slow:a"), b.background("2", "slow:b")
		a.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		if body := <-first; body != "" && strings.Contains(body, "result") {
			t.Error(body)
		}
		contains(t, <-second, `"text":"b"`)
		if r.count(`: cancelled "1:2"`) != 1 || r.count(": cancelled") != 1 {
			t.Errorf("%q", r.got)
		}
	})
}

// A request of the server goes to the only host with calls in progress.
func TestShared_ServerRequest(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		other := b.stream(t.Context())
		stream := events(a.send(t.Context(), http.MethodPost, toolCall("2", "ask:a")))
		contains(t, <-stream, `"method":"sampling/createMessage"`, `"for":"a"`)
		b.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"by":"b"}}`)
		a.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"by":"a"}}`)
		contains(t, <-stream, `{\"by\":\"a\"}`)
		if got := waiting(other); len(got) != 0 {
			t.Errorf("the other host got %q", got)
		}
	})
}

// A request of the server while calls of two hosts are in progress is shown to neither.
func TestShared_ServerRequest_SeveralHosts(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		streams := []<-chan string{a.stream(t.Context()), b.stream(t.Context())}
		slow := b.background("2", "slow:b")
		contains(t, a.call("2", "ask:secret"), `-32603`, "calls of several hosts are in progress in this process (--shared), and the request does not say for which host it is")
		contains(t, <-slow, `"text":"b"`)
		for i, s := range streams {
			if got := waiting(s); len(got) != 0 {
				t.Errorf("host %d got %q", i, got)
			}
		}
	})
}

func TestShared_ServerRequest_NoCall(t *testing.T) {
	for hosts, want := range map[int]string{
		1: `"method":"roots/list"`,
		2: "several hosts share this process (--shared), no call is in progress, and the request does not say for which host it is",
	} {
		serving(t, shared, func(t *testing.T, r *rig) {
			a := r.connect()
			if hosts == 2 {
				r.connect()
			}
			stream := a.stream(t.Context())
			a.call("2", "asklater:roots/list")
			time.Sleep(2 * time.Second)
			got := strings.Join(waiting(stream), "\n")
			if hosts == 1 {
				contains(t, got, want)
				return
			}
			if got != "" {
				t.Error("the host got " + got)
			}
			if r.count(want) != 1 {
				t.Errorf("%q", r.got)
			}
		})
	}
}

// A ping is about the connection: it is answered without a host.
func TestShared_Ping(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a := r.connect()
		r.connect()
		a.call("2", "asklater:ping")
		time.Sleep(2 * time.Second)
		if r.count(`{"jsonrpc":"2.0","id":1,"result":{}}`) != 1 {
			t.Errorf("%q", r.got)
		}
	})
}

// Another host cannot respond to a request of the server, nor cancel a call.
func TestShared_OtherHosts(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		stream := events(a.send(t.Context(), http.MethodPost, toolCall("2", "ask:a")))
		<-stream
		b.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"by":"b"}}`)
		b.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		b.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1:2"}}`)
		if r.count(`"by":"b"`) != 0 || r.count(": cancelled") != 0 {
			t.Errorf("%q", r.got)
		}
	})
}

func TestShared_Notifications(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		first, second := a.stream(t.Context()), b.stream(t.Context())
		a.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"test://x"}}`)
		a.call("2", "later:both")
		b.call("2", "update:test://x")
		b.call("3", "changed")
		time.Sleep(2 * time.Second)
		mine, others := strings.Join(waiting(first), "\n"), strings.Join(waiting(second), "\n")
		contains(t, mine, "resources/updated", "list_changed", "later both")
		contains(t, others, "later both")
		if strings.Contains(others, "resources/updated") {
			t.Error("a host without a subscription got " + others)
		}
	})
}

func TestShared_LeavingHost(t *testing.T) {
	serving(t, func(g *serve.Gateway) { g.Shared, g.Idle = true, time.Minute }, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		a.background("2", "slow:a")
		second := b.background("2", "slow:b")
		a.send(t.Context(), http.MethodDelete, "")
		contains(t, <-second, `"text":"b"`)
		if r.count(`: cancelled "1:2"`) != 1 {
			t.Errorf("%q", r.got)
		}
		time.Sleep(10 * time.Minute) // b is idle, and its session ends
		if n := r.running.Load(); n != 0 {
			t.Errorf("%d servers run without a host", n)
		}
		contains(t, r.connect().call("2", "server"), `"text":"2"`)
	})
}

// A host that ends its session while its initialize has no response leaves the others their result.
func TestShared_FirstHostLeaves(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			if response, err := (&host{r: r}).try(ctx, serve.Path, http.MethodPost, initialize); err == nil {
				_ = response.Body.Close()
			}
		}()
		leave()
		synctest.Wait()
		contains(t, r.connect().call("2", "server"), `"text":`)
	})
}

// A host that does not read its responses does not hold up the others.
func TestShared_SlowReader(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		for i := range 4 { // responses that are not read
			a.send(t.Context(), http.MethodPost, toolCall(fmt.Sprint(10+i), "flood"))
		}
		contains(t, b.call("2", "echo:x"), `"text":"x"`)
	})
}

func TestShared_Crash(t *testing.T) {
	serving(t, shared, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		other := b.background("2", "slow:b")
		contains(t, a.call("2", "crash"), "the database is gone")
		contains(t, <-other, `"id":2,`, "the database is gone")
		contains(t, b.call("3", "server"), `"text":"2"`)
		contains(t, r.connect().call("2", "server"), `"text":"2"`)
	})
}
