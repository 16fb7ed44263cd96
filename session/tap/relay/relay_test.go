package relay

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/session"
)

func TestRelay_Restart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		old := g.connected()
		g.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
		next(t, old, `"id":2`)
		old.says(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?"}}`)
		g.hostGets(`"id":7`)
		s, done := g.restart()
		g.hostGets(`"id":2`, "-32603", "a.js saved", "may have been carried out")
		g.hostGets("notifications/cancelled", `"requestId":7`)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		old.says(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		line := next(t, s, "tools/list") // of the tap itself
		g.nothing()
		e := jsonrpc.Scan([]byte(line))
		s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}}`, e.ID.Of([]byte(line))))
		g.hostGets("notifications/tools/list_changed")
		// The response to the old server's request does not reach the new one, whose request has the same id.
		s.says(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"new"}}`)
		asked := g.hostGets(`"message":"new"`)
		ae := jsonrpc.Scan([]byte(asked))
		id := ae.ID.Of([]byte(asked)).String()
		if id == "7" {
			t.Fatal("the id is that of a request that the host may still respond to")
		}
		g.sends(`{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"of":"old"}}}`)
		g.sends(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"of":"new"}}}`)
		if got := next(t, s); got != `{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"of":"new"}}}` {
			t.Error(got)
		}
		// A cancellation of what has its error does not go on.
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		g.sends(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		next(t, s, "ping")
	})
}

func TestRelay_HoldsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		g.connected()
		done := make(chan error, 1)
		go func() { done <- g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}) }()
		s := <-g.servers
		line := next(t, s, "initialize")
		for i := range 100 {
			g.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i))
		}
		synctest.Wait()
		if len(s.got) > 0 {
			t.Fatal("a frame of the host before the handshake: " + <-s.got)
		}
		e := jsonrpc.Scan([]byte(line))
		s.says(fmt.Sprintf(serverResult, e.ID.Of([]byte(line)).String()))
		next(t, s, "initialized")
		_ = ended(done)
		for i := 0; i < 100; {
			if got := next(t, s); strings.Contains(got, "ping") {
				if want := fmt.Sprintf(`"id":%d,`, 100+i); !strings.Contains(got, want) {
					t.Fatalf("%s, want %s", got, want)
				}
				i++
			}
		}
	})
}

func TestRelay_ServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		old := g.connected()
		g.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
		next(t, old)
		old.receiver.Stderr(transport.Line{Time: time.Now(), Text: "TypeError: x is not a function"})
		old.die("it broke")
		g.hostGets(`"id":2`, "it broke", "TypeError: x is not a function")
		g.sends(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		g.hostGets(`"id":3`, "-32603", "TypeError", "when a file changes")
		_, done := g.restart()
		_ = ended(done)
	})
}

func TestRelay_FirstServerDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		first := <-g.servers
		g.sends(hostInitialize)
		next(t, first)
		first.die("it broke")
		g.nothing() // the next save may mend it
		go func() { _ = g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}) }()
		s := <-g.servers
		next(t, s, `"id":0`)
		s.says(fmt.Sprintf(serverResult, "0"))
		g.hostGets(`"id":0`)
		s.die("it broke again")
	})
}

// However often and whenever the server is replaced, each request of the host has one response, no
// server gets one that another one got, and each gets them in their order.
func TestRelay_CutAnywhere(t *testing.T) {
	var results, errors int
	defer func() {
		if t.Logf("%d results, %d errors", results, errors); results == 0 || errors == 0 {
			t.Error("the test does not test both")
		}
	}()
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1)) // of the restarts
			g := newRelayRig(t)
			var mu sync.Mutex
			seen := map[string]int{}
			stop := make(chan struct{})
			go func() {
				for n := uint64(0); ; n++ {
					select {
					case s := <-g.servers:
						newest, its := -1, rand.New(rand.NewPCG(seed, n+2))
						go s.serve(its, func(id string) {
							mu.Lock()
							defer mu.Unlock()
							seen[id]++
							if number, _ := strconv.Atoi(id); number < newest {
								t.Errorf("seed %d: request %s came after %d", seed, id, newest)
							} else {
								newest = number
							}
						})
						if n%4 == seed%4 {
							time.AfterFunc(time.Duration(seed%100)*time.Millisecond, func() { s.die("it broke") })
						}
					case <-stop:
						return
					}
				}
			}()
			responses := map[string]int{}
			read := make(chan struct{})
			go func() {
				defer close(read)
				for {
					select {
					case line := <-g.lines:
						b := []byte(line)
						if e := jsonrpc.Scan(b); e.Kind.IsResponse() {
							responses[e.ID.Of(b).String()]++
							if e.Kind == jsonrpc.Response {
								results++
							} else {
								errors++
							}
						}
					case <-stop:
						return
					}
				}
			}()
			g.sends(hostInitialize)
			time.Sleep(50 * time.Millisecond)
			g.sends(hostInitialized)
			go func() {
				for range 10 {
					time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
					_ = g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"})
				}
			}()
			const requests = 100
			for i := range requests {
				g.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, 100+i))
				time.Sleep(time.Duration(i%7) * time.Millisecond)
			}
			time.Sleep(time.Minute)
			close(stop)
			<-read
			mu.Lock()
			defer mu.Unlock()
			for i := range requests {
				id := strconv.Itoa(100 + i)
				if responses[id] != 1 || seen[id] > 1 {
					t.Errorf("seed %d: request %s: %d responses, got by %d servers", seed, id, responses[id], seen[id])
				}
			}
		})
	}
}

// A call that comes after a save is answered by the server as it was saved, also while others are in flight, which
// end with the old one: what they need passes by. A build that does not end holds no call for good, and one that fails
// is the answer.
func TestRelay_CallAfterSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := unstartedRig(t)
		var newest atomic.Uint64
		wanted := make(chan uint64, 100)
		g.r.Generation = func(time.Duration) uint64 { return newest.Load() }
		g.r.Want = func(n uint64) { wanted <- n }
		g.start(t)
		old := g.connected()
		g.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
		next(t, old, `"id":2`)
		old.says(`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{}}`)
		g.hostGets(`"id":"e"`)
		newest.Store(5)
		g.sends(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}`)
		g.sends(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a"}}`)
		g.sends(`{"jsonrpc":"2.0","id":"e","result":{}}`)
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
		if got := <-wanted; got != 5 {
			t.Errorf("generation %d is wanted", got)
		}
		next(t, old, `"id":"e","result"`)
		old.says(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		g.hostGets(`"id":2`)
		if synctest.Wait(); len(old.got) > 0 {
			t.Fatal("the old server got " + <-old.got)
		}
		s, done := g.restart(5)
		_ = ended(done)
		awaitFrame(t, s, `"id":3`)
		s.says(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		g.hostGets(`"id":3`)
		newest.Store(6)
		time.Sleep(time.Minute)
		g.hostGets("list_changed") // the server does not answer tools/list
		begun := time.Now()
		g.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}`)
		g.hostGets(`"id":5`, "a file was saved, and the server with it is not ready after 25 s: the request did not reach a server")
		if took := time.Since(begun); took != session.SaveWait {
			t.Errorf("answered after %s", took)
		}
		g.sends(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"a"}}`)
		g.r.Broken("a.go:1: no", 6)
		g.hostGets(`"id":6`, "the build has failed: a.go:1: no", "The request did not reach a server.")
		g.r.Covers(7)
		newest.Store(7)
		g.sends(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}`)
		g.hostGets(`"id":7`, "the build has failed: a.go:1: no")
		newest.Store(8)
		g.sends(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"a"}}`)
		s, done = g.restart(8)
		_ = ended(done)
		awaitFrame(t, s, `"id":8`)
	})
}

// awaitFrame reads what a server gets until a frame has a text.
func awaitFrame(t *testing.T, s *fakeServer, text string) {
	t.Helper()
	for found := false; !found; {
		found = strings.Contains(next(t, s), text)
	}
}

// The host is told that the server reports changes of its lists, although that does not: mcptea does. The
// other members keep their bytes.
func TestRelay_DeclaresListChanged(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{"tools":{}}`: `{"tools":{"listChanged":true}}`,
		`{"tools": {"listChanged" : true}, "x":1.0}`:              `{"tools": {"listChanged" : true}, "x":1.0}`,
		`{"tools":{"a":[1, 2],"listChanged":false},"prompts":{}}`: `{"tools":{"listChanged":true,"a":[1, 2]},"prompts":{"listChanged":true}}`,
		`{"logging":{},"resources":{"subscribe":true}}`:           `{"logging":{},"resources":{"listChanged":true,"subscribe":true}}`,
		`{"tools":null}`: `{"tools":null}`,
		`{}`:             `{}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			g := unstartedRig(t)
			g.r.Declares = true
			g.start(t)
			s := <-g.servers
			g.sends(hostInitialize)
			next(t, s)
			s.says(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"serverInfo":{"name":"s","version":"1"}}}`)
			g.hostGets(`"capabilities":` + want + `,"serverInfo"`)
		})
	}
}

// A server that ends by itself is started again so often, and the host stays connected.
func TestRelay_Again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := unstartedRig(t)
		g.r.Again, g.r.Until = 2, ""
		g.start(t)
		s := g.connected()
		for range 2 {
			s.die("it broke")
			s = <-g.servers
			line := next(t, s, `"method":"initialize"`)
			e := jsonrpc.Scan([]byte(line))
			s.says(fmt.Sprintf(serverResult, e.ID.Of([]byte(line)).String()))
			next(t, s, "initialized")
			synctest.Wait()
		}
		s.die("it broke")
		synctest.Wait()
		g.sends(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		g.hostGets(`"id":9`, "-32603", "it broke")
	})
}

// What the host says for a server that is gone reaches no other one: progress, and a part of a batch.
func TestRelay_NothingForTheOldServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		old := g.connected()
		old.says(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"p"}}}`)
		g.hostGets(`"id":7`)
		s, done := g.restart()
		g.hostGets("notifications/cancelled", `"requestId":7`)
		_ = ended(done)
		next(t, s, "tools/list")
		g.sends(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
		g.sends(`[{"jsonrpc":"2.0","id":7,"result":{"of":"old"}},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
		if got := next(t, s); got != `[{"jsonrpc":"2.0","id":4,"method":"ping"}]` {
			t.Error(got)
		}
	})
}

// A restart while the relay ends, or after it, starts no server.
func TestRestart_AfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		g.connected()
		_ = g.host.Close()
		synctest.Wait()
		if err := g.r.RestartAfter(t.Context(), session.Cause{}); err == nil {
			t.Error("the restart has no error")
		}
		select {
		case <-g.servers:
			t.Error("a server has begun after the end")
		default:
		}
	})
}
