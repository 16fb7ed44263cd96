package relay

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/session"
)

// Ids of a server that look like those of mcptea are those of the server: a request with one goes to the
// host and its response back, and a response with one that nothing waits for goes to the host.
func TestRelay_IDsLikeThoseOfMcptea(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		g.connected()
		s, done := g.restart()
		line := next(t, s, "tools/list") // of the tap itself, which waits for the response
		e := jsonrpc.Scan([]byte(line))
		own := e.ID.Of([]byte(line)).String()
		_ = ended(done)
		ahead := strings.TrimSuffix(ownPrefix, "-") + "-999"
		for _, id := range []string{own, jsonrpc.Quote(ahead)} {
			s.says(`{"jsonrpc":"2.0","id":` + id + `,"method":"roots/list"}`)
			g.hostGets(`"id":`+id, "roots/list")
			response := `{"jsonrpc":"2.0","id":` + id + `,"result":{"roots":[]}}`
			g.sends(response)
			if got := next(t, s); got != response {
				t.Errorf("the server got %s", got)
			}
		}
		s.says(`{"jsonrpc":"2.0","id":` + jsonrpc.Quote(ahead) + `,"result":{}}`)
		g.hostGets(ahead, `"result":{}`)
		s.says(`{"jsonrpc":"2.0","id":` + own + `,"result":{"tools":[]}}`) // this one is for mcptea
		g.hostGets("notifications/tools/list_changed")
		g.nothing()
		// A request of the host with such an id is the host's.
		g.sends(`{"jsonrpc":"2.0","id":` + own + `,"method":"ping"}`)
		next(t, s, "ping")
		s.says(`{"jsonrpc":"2.0","id":` + own + `,"result":{}}`)
		g.hostGets(`"id":`+own, `"result":{}`)
	})
}

// What a server writes after it was replaced reaches the host in no form: responses, requests,
// notifications, alone and together with others.
func TestRelay_LateFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		g := unstartedRig(t)
		g.r.Warn = func(text string) { said = append(said, text) }
		g.start(t)
		old := g.connected()
		g.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}`)
		next(t, old)
		late := []string{
			`{"jsonrpc":"2.0","id":5,"result":{"of":"old"}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"of the old one"}}`,
			`{"jsonrpc":"2.0","id":8,"method":"roots/list"}`,
			`[{"jsonrpc":"2.0","id":5,"result":{"of":"old"}}]`,
			`not JSON`,
		}
		done := make(chan error, 1)
		go func() { done <- g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}) }()
		s := <-g.servers
		g.hostGets(`"id":5`, "-32603")
		old.says(late...) // before the new one is there
		line := next(t, s, "initialize")
		old.says(late[0])
		e := jsonrpc.Scan([]byte(line))
		s.says(fmt.Sprintf(serverResult, e.ID.Of([]byte(line)).String()))
		_ = ended(done)
		for _, frame := range late { // and after
			old.says(frame)
		}
		g.nothing()
		g.sends(`{"jsonrpc":"2.0","id":5,"method":"ping"}`) // the id is free again
		old.says(late...)
		g.nothing()
		s.says(`{"jsonrpc":"2.0","id":5,"result":{}}`)
		g.hostGets(`"id":5`, `"result":{}`)
	})
}

// A build that does not end: the first request is answered before hosts give up, and names the command;
// when it has ended, the next request gets the server.
func TestRelay_BuildThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		built := make(chan struct{})
		g := unstartedRig(t)
		g.r.Building = func() string { return "make all" }
		g.r.Follow = func(ctx context.Context) {
			<-built
			_ = g.r.Connect(ctx)
		}
		g.start(t)
		g.sends(hostInitialize)
		began := time.Now()
		g.hostGets(`"id":0`, "-32603", "make all", "25 s", `"reason":"building"`)
		if waited := time.Since(began); waited != buildWait {
			t.Errorf("it has waited for %s", waited)
		}
		close(built)
		s := <-g.servers
		g.sends(strings.Replace(hostInitialize, `"id":0`, `"id":1`, 1))
		next(t, s, `"id":1`)
		s.says(fmt.Sprintf(serverResult, "1"))
		g.hostGets(`"id":1`, "serverInfo")
	})
}
