package relay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/record"
	"mcptea/record/store"
)

// A host that shows pages for a server gets that of a consent as a request of mcptea; the server sees nothing
// of it, a request of the server with the same id keeps its own response, and the recording has no secret.
func TestConsent_AsksHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	synctest.Test(t, func(t *testing.T) {
		const page = "https://as.example.com/authorize?client_id=c&state=secret-state"
		g := unstartedRig(t)
		g.r.Record = func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: path}, record.Header{})
		}
		g.start(t)
		s := <-g.servers
		g.sends(strings.Replace(hostInitialize, `"capabilities":{}`, `"capabilities":{"elicitation":{"form":{},"url":{}}}`, 1))
		next(t, s)
		s.says(strings.Replace(serverResult, "%s", "0", 1))
		g.hostGets(`"id":0`)
		for _, action := range []string{"accept", "decline"} {
			go g.r.Consent(oauth.Consent{URL: page, Issuer: "https://as.example.com"})
			line := g.hostGets(`"method":"elicitation/create"`, `"mode":"url"`, `"url":"`+strings.ReplaceAll(page, "&", `\u0026`)+`"`)
			e := jsonrpc.Scan([]byte(line))
			id := e.ID.Of([]byte(line)).String()
			s.says(`{"jsonrpc":"2.0","id":` + id + `,"method":"roots/list"}`) // a server that guesses it
			asked := g.hostGets("roots/list")
			ae := jsonrpc.Scan([]byte(asked))
			other := ae.ID.Of([]byte(asked)).String()
			if other == id {
				t.Error("two requests have one id")
			}
			g.sends(`{"jsonrpc":"2.0","id":` + other + `,"result":{"roots":[]}}`)
			next(t, s, `"id":`+id, `"roots":[]`)
			g.sends(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"` + action + `"}}`)
			synctest.Wait()
			if len(s.got) > 0 {
				t.Errorf("the server got %s", <-s.got)
			}
			go g.r.Authorization(oauth.Step{Name: oauth.StepConsent, State: oauth.Done})
			if action == "accept" {
				g.hostGets("notifications/elicitation/complete", `"elicitationId":`+id)
			}
			g.nothing()
		}
		if len(g.r.consents) > 0 {
			t.Errorf("%d requests are kept", len(g.r.consents))
		}
	})
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "secret-state") || !strings.Contains(string(text), "mcptea asks for a consent") {
		t.Errorf("%v: %s", err, text)
	}
}

// A response with the address of a consent page has the whole address for the host, and none of its secrets in the
// recording.
func TestAnswer_AddressInTheRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	synctest.Test(t, func(t *testing.T) {
		const page = "https://as.example.com/authorize?client_id=c&state=secret-state"
		g := unstartedRig(t)
		g.r.Record = func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: path}, record.Header{})
		}
		g.start(t)
		<-g.servers
		go g.r.answer(jsonrpc.IntID(7), failureText{
			text: "open " + page, reason: "authorization", detail: "open " + page, page: page, masked: (oauth.Step{URL: page}).MaskedURL(),
		})
		line := g.hostGets(`"id":7`, "secret-state")
		if strings.Count(line, "secret-state") != 2 {
			t.Errorf("the host got %s", line)
		}
	})
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), "secret-state") || !strings.Contains(string(text), "answered by mcptea: authorization") {
		t.Errorf("%v: %s", err, text)
	}
}

// A request that was held while its server was replaced, and that has an error, does not reach the new server. One that
// has no error does.
func TestToServer_AnsweredRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		s := <-g.servers
		g.sends(hostInitialize)
		next(t, s)
		s.says(strings.Replace(serverResult, "%s", "0", 1))
		g.hostGets(`"id":0`)
		g.r.mu.Lock()
		g.r.known.settled[jsonrpc.IntID(5).Key()] = true
		g.r.mu.Unlock()
		for _, id := range []string{"5", "5.0", "6"} {
			if err := g.r.toServer([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"x"}}`+"\n"), false); err != nil {
				t.Error(err)
			}
		}
		next(t, s, `"id":6`)
		synctest.Wait()
		if len(s.got) > 0 {
			t.Errorf("the server got %s", <-s.got)
		}
	})
}

// A host that has not declared it, or is not connected yet, is not asked.
func TestConsent_HostThatShowsNoPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		s := <-g.servers
		g.r.Consent(oauth.Consent{URL: "https://as.example.com/"})
		g.nothing()
		g.sends(hostInitialize)
		next(t, s)
		s.says(strings.Replace(serverResult, "%s", "0", 1))
		g.hostGets(`"id":0`)
		g.r.Consent(oauth.Consent{URL: "https://as.example.com/"})
		g.nothing()
	})
}
