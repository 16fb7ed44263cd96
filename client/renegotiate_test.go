package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// trap answers server/discover and wants a handshake for all else, which it
// says in a way of its own.
func trap(refuses move) actor {
	shaken := false
	a := stateless(actor{
		"initialize":                welcomes("2025-11-25"),
		"notifications/initialized": func(string) { shaken = true },
	})
	tools := a["tools/list"]
	return a.with("tools/list", func(id string) {
		if shaken {
			tools(id)
			return
		}
		refuses(id)
	})
}

const legacyList = `{"supported":["2025-11-25","2025-06-18"],"requested":"2026-07-28"}`

const throughTheTrap = "> server/discover > tools/list > initialize > notifications/initialized > tools/list"

// corrects is a verdict that the first request corrects.
func corrects(name string, server actor, refused string) row {
	r := isOld(name, server, `lists 2026-07-28`, "but tools/list of 2026-07-28 failed: "+refused, "initialize succeeded with protocol version 2025-11-25")
	r.how, r.story = EraCorrected, "started "+throughTheTrap
	return r
}

// staysStateless is one that it does not correct.
func staysStateless(name string, server actor, listErr string) row {
	r := isStatelessOne(name, server, `lists 2026-07-28`)
	r.listErr = listErr
	return r
}

var correctionRows = register("correction",
	corrects("-32022 with older revisions alone", trap(fails(-32022, "Unsupported protocol version", legacyList)), "the server returned error -32022"),
	corrects("-32004 with older revisions alone", trap(fails(-32004, "no", legacyList)), "the server returned error -32004"),
	corrects("-32000", trap(fails(-32000, "Bad Request: Server not initialized", "")), "the server returned error -32000"),
	corrects("-32001", trap(fails(-32001, "Session not found", "")), "the server returned error -32001"),
	corrects("-32600", trap(fails(-32600, "Missing session ID", "")), "the server returned error -32600"),
	staysStateless("-32000 about something else", trap(fails(-32000, "the kettle is cold", "")), "the kettle is cold"),
	staysStateless("-32602", trap(fails(-32602, "Session not found", "")), "error -32602"),
	staysStateless("-32022 with both eras", trap(fails(-32022, "no", `{"supported":["2025-11-25","2026-07-28"]}`)), "error -32022"),
	staysStateless("-32022 with nothing that is known", trap(fails(-32022, "no", `{"supported":["2099-01-01"]}`)), "error -32022"),
	staysStateless("pinned", trap(fails(-32022, "no", legacyList)), "error -32022").but(pinnedTo("2026-07-28")).but(func(r *row) { r.story = asksAlone }),
	staysStateless("initialize is refused as well", trap(fails(-32022, "no", legacyList)).with("initialize", fails(-32603, "no handshakes here", "")), "error -32022").but(func(r *row) {
		r.story += " > initialize"
		r.evidence = append(r.evidence, "but tools/list of 2026-07-28 failed", "and initialize failed: the server returned error -32603")
		r.detail = "no handshakes here"
	}),
)

// A server may answer server/discover and then refuse all that comes without
// handshake. It gets one, on the same connection.
func TestRenegotiation(t *testing.T) {
	for _, r := range correctionRows {
		t.Run(r.name, func(t *testing.T) {
			c, w := r.meets(t)
			if r.how != EraCorrected {
				if _, err := c.Call(t.Context(), "tools/list", nil); err != nil || strings.Count(w.story(), "> initialize") != strings.Count(r.story, "> initialize") {
					t.Errorf("the next call: %v, %s", err, w.story())
				}
				if got := w.frame("tools/list"); !strings.Contains(got, whoAsks) {
					t.Errorf("the next call: %s", got)
				}
				return
			}
			if got := w.frame("tools/list"); got != `{"jsonrpc":"2.0","id":3,"method":"tools/list"}` {
				t.Errorf("sent again: %s", got)
			}
			if got := w.detail(StepReady); !strings.HasPrefix(got, "failed: the server returned error") {
				t.Errorf("the step of before: %s", got)
			}
			if got := w.detail(StepInitialized); got != "done: ready" {
				t.Errorf("the last step: %s", got)
			}
			if got := c.Handshake(); got.Server.Name != "child" || !got.HasCapability("tools") {
				t.Errorf("handshake %+v", got)
			}
		})
	}
}

// The same over HTTP, where the status speaks too.
func TestRenegotiation_HTTP(t *testing.T) {
	for name, refuses := range map[string]act{
		"400 with -32022":          givesError(400, -32022, legacyList),
		"200 with -32022":          givesError(200, -32022, legacyList),
		"400 with -32000 and null": gives(400, errorOf("null", -32000, "")),
		"404 with -32001 and null": gives(404, errorOf("null", -32001, "")),
		"400 with -32600":          gives(400, errorOf(`"server-error"`, -32600, "")),
	} {
		t.Run(name, func(t *testing.T) {
			r := corrects(name, nil, "")
			r.story = throughTheTrap
			siteRow{r, trapSite(refuses)}.meets(t)
		})
	}
}

// trapSite is a trap on HTTP; what comes in its session is served.
func trapSite(refuses act) site {
	s := oldSite().with("server/discover", givesResult(discovery))
	for _, method := range []string{"tools/list", "tools/call"} {
		s[method] = func(w http.ResponseWriter, r *http.Request, id string) {
			if r.Header.Get("MCP-Protocol-Version") == "2026-07-28" {
				refuses(w, r, id)
				return
			}
			inSession(givesResult(someTools))(w, r, id)
		}
	}
	return s
}

// Several requests that are refused at once lead to one handshake, and each is
// sent again.
func TestRenegotiation_ConcurrentRequests(t *testing.T) {
	const many = 8
	var refused sync.WaitGroup
	refused.Add(many)
	server := httptest.NewServer(trapSite(func(w http.ResponseWriter, r *http.Request, id string) {
		refused.Done()
		refused.Wait() // until all are there
		givesError(400, -32022, legacyList)(w, r, id)
	}))
	defer server.Close()
	w := &witness{}
	c := New(Target{URL: server.URL}, w, Config{Name: "test", Version: "0"})
	defer c.Close(t.Context())
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for i := range many {
		calls.Go(func() {
			method, params := "tools/list", []byte(nil)
			if i%2 == 0 {
				method, params = "tools/call", fmt.Appendf(nil, `{"name":"echo","arguments":{"n":%d}}`, i)
			}
			request := c.NewRequest(c.NextID(), method, params)
			if answer, err := c.Do(t.Context(), request, WithInput()); err != nil || answer.Err() != nil {
				t.Errorf("call %d: %s, %v", i, answer.Frame, err)
			}
		})
	}
	calls.Wait()
	if n := strings.Count(w.story(), "> initialize"); n != 1 {
		t.Errorf("%d handshakes", n)
	}
	ids := map[string]bool{}
	for _, frame := range w.sent {
		if id := idOf(frame); ids[id] && id != "" {
			t.Errorf("the id %s was used twice", id)
		} else {
			ids[id] = true
		}
	}
	if got := w.frame("tools/call"); strings.Contains(got, "io.modelcontextprotocol") || !strings.Contains(got, `"progressToken":`+idOf(got)) {
		t.Errorf("sent again: %s", got)
	}
	// Once a connection: what is refused from here on is refused.
	if v := c.EraDetection(); len(v.Evidence) != 3 || c.Revision() != revision.R20251125 {
		t.Errorf("%s, verdict %+v", c.Revision(), v)
	}
}

var provenRow = register("correction alone", row{
	name:   "a session that is lost later",
	server: trap(nil).with("tools/list", turns(says(someTools), fails(-32001, "Session not found", ""))),
})[0]

// Once something was answered without handshake, the codes of servers with
// sessions mean something else.
func TestRenegotiation_NotAfterSuccess(t *testing.T) {
	c, w, err := provenRow.tries(t, provenRow.child(t))
	if err != nil || w.listErr != nil {
		t.Fatal(err, w.listErr)
	}
	if a, err := c.Call(t.Context(), "tools/list", nil); err != nil || a.Err() == nil {
		t.Errorf("got %s, %v", a.Frame, err)
	}
	if got := w.story(">"); got != "> server/discover > tools/list > tools/list" || c.EraDetection().Era != revision.EraStateless {
		t.Errorf("what happened: %s, %+v", got, c.EraDetection())
	}
}

// Members of _meta from the caller stay; those from mcptea are removed.
func TestWithoutClientMeta(t *testing.T) {
	c := NewOver(script(nil), &checks{}, Config{Name: "test", Version: "0"})
	c.update(func(s *state) { s.stateless = true })
	for params, want := range map[string]string{
		``:                                 ``,
		`{"name":"x"}`:                     `{"name":"x"}`,
		`{"_meta":{"a":1.0},"name":"x"}`:   `{"_meta":{"a":1.0},"name":"x"}`,
		`{"_meta":{"progressToken":"me"}}`: `{"_meta":{"progressToken":"me"}}`,
	} {
		request := c.NewRequest(jsonrpc.IDOf("7"), "tools/call", []byte(params))
		got := c.withoutClientMeta(request)
		if string(got) != want {
			t.Errorf("%s became %s", params, got)
		}
	}
}
