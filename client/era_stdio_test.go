package client

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
)

// The stories that most rows end with.
const (
	asksAndShakes = "started > server/discover > initialize > notifications/initialized > tools/list"
	asksAlone     = "started > server/discover > tools/list"
)

// isOld is what comes of a server that turns out to have a handshake.
func isOld(name string, server actor, evidence ...string) row {
	return row{
		name: name, server: server,
		revision: revision.R20251125, era: revision.EraHandshake, how: EraProbed,
		story: asksAndShakes, evidence: evidence, detail: "child 1, protocol version 2025-11-25",
	}
}

// isStatelessOne is what comes of one that has none.
func isStatelessOne(name string, server actor, evidence ...string) row {
	return row{
		name: name, server: server,
		revision: revision.R20260728, era: revision.EraStateless, how: EraProbed,
		story: asksAlone, evidence: evidence, detail: "new 2, protocol version 2026-07-28",
	}
}

func (r row) but(change func(*row)) row {
	change(&r)
	return r
}

// asked is a server's answer to the question.
func asked(m move) actor { return actor{"server/discover": m} }

// lateResult is the response to the probe, and noHandshake that of a stateless
// server to initialize.
var (
	lateResult  = prints(`{"jsonrpc":"2.0","id":"mcptea-1","result":` + discovery + `}`)
	noHandshake = fails(-32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":"2025-11-25"}`)
)

const roots = `{"jsonrpc":"2.0","id":0,"method":"roots/list"}`

// What comes back over stdio, and what is made of it.
var stdioRows = register("stdio",
	isStatelessOne("a list with the stateless revision", stateless(nil), `lists 2026-07-28`),
	isStatelessOne("a list with revisions of both eras",
		stateless(asked(says(`{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`))),
		`lists 2025-11-25, 2026-07-28`),
	isOld("a list with older revisions alone",
		old(asked(says(`{"supportedVersions":["2024-11-05","2025-06-18"],"capabilities":{}}`))).with("initialize", welcomes("2025-06-18")),
		`lists 2024-11-05, 2025-06-18`).but(func(r *row) {
		r.revision, r.offered, r.detail = revision.R20250618, revision.R20250618, "protocol version 2025-06-18"
	}),
	row{
		name: "a list with nothing that is known", server: stateless(asked(says(`{"supportedVersions":["2099-01-01"],"capabilities":{}}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover",
		evidence: []string{`lists 2099-01-01`}, err: []string{`supports 2099-01-01`, "not 2026-07-28"},
	},
	isStatelessOne("-32022 with the stateless revision in its list",
		stateless(asked(turns(fails(-32022, "Unsupported protocol version", `{"supported":["2026-07-28","2025-11-25"],"requested":"2099-01-01"}`), says(discovery)))),
		"error -32022 Unsupported protocol version; retried", `lists 2026-07-28`).but(func(r *row) {
		r.story = "started > server/discover > server/discover > tools/list"
	}),
	row{
		name: "-32022 again and again", server: stateless(asked(fails(-32022, "no", `{"supported":["2026-07-28"]}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover > server/discover",
		evidence: []string{"error -32022 no; retried", "error -32022 no"}, err: []string{"error -32022: no"},
	},
	isOld("-32022 with older revisions alone",
		old(asked(fails(-32022, "no", `{"supported":["2025-03-26"]}`))).with("initialize", welcomes("2025-03-26")),
		`error -32022 no, and lists 2025-03-26`).but(func(r *row) {
		r.revision, r.offered, r.detail = revision.R20250326, revision.R20250326, "protocol version 2025-03-26"
	}),
	row{
		name: "-32022 with nothing that is known", server: old(asked(fails(-32022, "no", `{"supported":["2099-01-01"]}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover",
		evidence: []string{`lists 2099-01-01`}, err: []string{`supports 2099-01-01`},
	},
	row{
		name: "-32022 without a list", server: old(asked(fails(-32022, "no", ""))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover > server/discover",
		evidence: []string{"error -32022 no; retried", "error -32022 no"}, err: []string{"error -32022: no", "does not list the supported versions", "version of the request was 2026-07-28"},
	},
	row{
		name: "-32021 for a capability that can be configured", server: stateless(asked(fails(-32021, "no", `{"requiredCapabilities":{"sampling":{}}}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover",
		evidence: []string{"error -32021 no"}, err: []string{"error -32021: no", "a client with sampling", "--answer sampling=ask"},
	},
	row{
		name: "-32021 for what mcptea does not support", server: stateless(asked(fails(-32021, "no", `{"requiredCapabilities":{"x-new":{}}}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover",
		evidence: []string{"error -32021 no"}, err: []string{"a client with x-new, which mcptea does not support"},
	},
	row{
		name: "-32021 for what is declared", server: stateless(asked(fails(-32021, "no", `{"requiredCapabilities":{"roots":{}}}`))),
		era: revision.EraStateless, how: EraProbed, story: "started > server/discover",
		evidence: []string{"error -32021 no"}, err: []string{"error -32021: no"},
	},
	isStatelessOne("-32020", stateless(asked(turns(fails(-32020, "no header", ""), says(discovery)))),
		"error -32020 no header; retried", `lists 2026-07-28`).but(func(r *row) {
		r.story = "started > server/discover > server/discover > tools/list"
	}),
	isOld("-32601", old(nil), "error -32601 Method not found"),
	isOld("-32602", old(asked(fails(-32602, "Invalid request parameters", `""`))), "error -32602 Invalid request parameters"),
	isOld("-32600", old(asked(fails(-32600, "what?", ""))), "error -32600"),
	isOld("-32603", old(asked(fails(-32603, "oops", ""))), "error -32603"),
	isOld("-32000", old(asked(fails(-32000, "Server not initialized", ""))), "error -32000"),
	isOld("-32019", old(asked(fails(-32019, "oops", ""))), "error -32019"),
	isOld("error 0", old(asked(fails(0, "oops", ""))), "error 0 oops"),
	isOld("an error with another id", old(asked(prints(`{"jsonrpc":"2.0","id":-32603,"error":{"code":1,"message":"A defect occurred"}}`))),
		"; a response with id -32603 came").but(func(r *row) { r.within = 100 * time.Millisecond }),
	isOld("an empty result", old(asked(says(`{}`))), `no "supportedVersions"`),
	isOld("an echo", old(asked(says(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`))), `no "supportedVersions"`),
	isOld("versions that are no list", old(asked(says(`{"supportedVersions":"2026-07-28"}`))), `"supportedVersions" of the server/discover result is of type string, not array`),
	isOld("an answer that is broken", old(asked(prints(`{"jsonrpc":"2.0","id":$id,"result":{"a":1,}}`))), "response to server/discover is not JSON"),
	isOld("nothing before the timeout", old(asked(prints())), "no response within 100 ms").but(func(r *row) { r.within = 100 * time.Millisecond }),
	isOld("an answer under another id", old(asked(prints(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}`))),
		"; a response with id null came").but(func(r *row) { r.within = 100 * time.Millisecond }),
	isStatelessOne("a late answer", stateless(asked(turns(prints(), says(discovery)))).with("initialize", both(lateResult, noHandshake)),
		"no response within 100 ms", "lists 2026-07-28, but late: initialize had been sent, and its response decides", "initialize failed").but(func(r *row) {
		r.within, r.how = 100*time.Millisecond, EraCorrected
		r.story = "started > server/discover > initialize > server/discover > tools/list"
	}),
	isStatelessOne("a late answer, and initialize is an error that names nothing",
		stateless(asked(turns(prints(), says(discovery)))).with("initialize", both(lateResult, fails(-32603, "oops", ""))),
		"no response within 100 ms", "lists 2026-07-28, but late: initialize had been sent, and its response decides", "initialize failed").but(func(r *row) {
		r.within, r.how = 100*time.Millisecond, EraCorrected
		r.story = "started > server/discover > initialize > server/discover > tools/list"
	}),
	isOld("a late answer of a server of both eras", bilingual().with("server/discover", prints()).with("initialize", both(lateResult, welcomes("2025-11-25"))),
		"no response within 100 ms", "lists 2026-07-28, but late: initialize had been sent, and its response decides").but(func(r *row) { r.within = 100 * time.Millisecond }),
	isStatelessOne("a late refusal that names the revision",
		stateless(asked(turns(prints(), says(discovery)))).with("initialize", both(prints(`{"jsonrpc":"2.0","id":"mcptea-1","error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`), noHandshake)),
		"no response within 100 ms", "server/discover returned error -32022 no, but late: initialize had been sent, and its response decides", "initialize failed").but(func(r *row) {
		r.within, r.how = 100*time.Millisecond, EraCorrected
		r.story = "started > server/discover > initialize > server/discover > tools/list"
	}),
	isOld("a late refusal of what is unknown",
		old(asked(prints())).with("initialize", both(prints(`{"jsonrpc":"2.0","id":"mcptea-1","error":{"code":-32601,"message":"no"}}`), welcomes("2025-11-25"))),
		"no response within 100 ms").but(func(r *row) { r.within = 100 * time.Millisecond }),
	isOld("the process ends", old(asked(quits(7))),
		"the server ended after server/discover (the server process exited with code 7", "after a restart, initialize succeeded").but(func(r *row) {
		r.story = "started > server/discover started > initialize > notifications/initialized > tools/list"
	}),
	row{
		name: "the process ends whatever it hears", server: old(asked(quits(7))).with("initialize", quits(8)),
		era: revision.EraUnknown, how: EraProbed, story: "started > server/discover started > initialize",
		evidence: []string{"exited with code 7"}, err: []string{"initialize got no response", "exited with code 8"},
	},
	isOld("text on stdout before the answer", old(actor{"": prints("Server listening on stdio", "{not json", "")}), "error -32601"),
	isStatelessOne("text on stdout before a stateless answer", stateless(actor{"": prints("Server listening on stdio")}), `lists 2026-07-28`),
	isOld("a log before the answer", old(asked(prints(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`))),
		"the server sent a message before its response"),
	isStatelessOne("a log before a stateless answer",
		stateless(asked(turns(prints(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`), says(discovery)))).
			with("initialize", both(lateResult, noHandshake)),
		"the server sent a message before its response", "lists 2026-07-28, but late: initialize had been sent, and its response decides", "initialize failed").but(func(r *row) {
		r.how, r.story = EraCorrected, "started > server/discover > initialize > server/discover > tools/list"
	}),
	isStatelessOne("a list under -32602 with the stateless revision",
		stateless(asked(turns(fails(-32602, "no", `{"supported":["2026-07-28"]}`), says(discovery)))), "retried", "lists").but(func(r *row) {
		r.story = "started > server/discover > server/discover > tools/list"
	}),
	isStatelessOne("a list under the number of the drafts",
		stateless(asked(turns(fails(-32004, "no", `{"supported":["2026-07-28"]}`), says(discovery)))), "retried", "lists").but(func(r *row) {
		r.story = "started > server/discover > server/discover > tools/list"
	}),
	isOld("a list under -32602 with older revisions",
		old(asked(fails(-32602, "no", `{"supported":["2024-11-05"]}`))).with("initialize", welcomes("2024-11-05")),
		`lists 2024-11-05`).but(func(r *row) {
		r.revision, r.offered, r.detail = revision.R20241105, revision.R20241105, "protocol version 2024-11-05"
	}),
)

func TestProbe_Stdio(t *testing.T) {
	for _, r := range stdioRows {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}

var requestRow = register("stdio alone",
	isOld("a request before the answer", old(asked(prints(roots))), "the server sent a message before its response"),
)[0]

// A server that asks before it has answered has a handshake. Its request may be
// answered before that, since it may wait for the answer.
func TestProbe_ServerRequestBeforeResponse(t *testing.T) {
	r := requestRow
	c, w, err := r.tries(t, r.child(t))
	if err != nil {
		t.Fatal(err)
	}
	if h := c.Handshake(); h.Revision != r.revision {
		t.Errorf("revision %s", h.Revision)
	}
	if v := c.EraDetection(); v.Era != r.era || !strings.Contains(v.Evidence[0], r.evidence[0]) {
		t.Errorf("verdict %+v", v)
	}
	if got := strings.ReplaceAll(w.story(">", "started"), " > answer", ""); got != r.story {
		t.Errorf("what happened: %s", got)
	}
}

// Nothing is sent before what came before it has been answered, and nothing at
// all but the handshake before that is over.
func TestConnect_DoesNotPipeline(t *testing.T) {
	_, w := stdioRow(t, "-32601").meets(t)
	want := "started > server/discover < error > initialize < result > notifications/initialized > tools/list < result"
	if got := w.story(); got != want {
		t.Errorf("what happened: %s, want %s", got, want)
	}
	if got := w.frame("server/discover"); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"mcptea-1","method":"server/discover","params":{"_meta":{`+whoAsks+`}}}`) {
		t.Errorf("the question: %s", got)
	}
}

// A server of both eras that needs longer than the probe waits has read initialize
// too: it serves this process as of the handshake era, and what it says of the other
// one is kept for the next process.
func TestConnect_LateResponseToProbe(t *testing.T) {
	c, w := stdioRow(t, "a late answer of a server of both eras").meets(t)
	for _, s := range w.steps {
		if s.State != StepDone {
			t.Errorf("step %s %s: %s", s.Name, s.State, s.Detail)
		}
	}
	if late := c.EraDetection().Late; late != revision.EraStateless {
		t.Errorf("remembered: %s", late)
	}
	if meta := w.frame("tools/list"); strings.Contains(meta, "_meta") {
		t.Errorf("a request of the stateless era: %s", meta)
	}
}

func stdioRow(t *testing.T, name string) row {
	t.Helper()
	for _, r := range stdioRows {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no row %q", name)
	return row{}
}

// Commands that may download the server get more time, and none gets more
// than the user allows.
func TestProbeTimeout(t *testing.T) {
	for _, tt := range []struct {
		target  Target
		allowed time.Duration
		want    time.Duration
	}{
		{Target{Argv: []string{"node", "server.js"}}, 0, 5 * time.Second},
		{Target{Argv: []string{"/usr/bin/npx", "-y", "server"}}, 0, 30 * time.Second},
		{Target{Argv: []string{"NPX.CMD", "-y", "server"}}, 0, 30 * time.Second},
		{Target{Argv: []string{"uvx", "server"}}, time.Minute, 30 * time.Second},
		{Target{Argv: []string{"docker", "run", "server"}}, 10 * time.Second, 10 * time.Second},
		{Target{Argv: []string{"./server"}}, time.Second, time.Second},
		{Target{URL: "http://a.example/"}, 0, 5 * time.Second},
		{Target{URL: "http://a.example/"}, time.Second, time.Second},
	} {
		if got := New(tt.target, &checks{}, Config{ConnectTimeout: tt.allowed}).probeTimeout(); got != tt.want {
			t.Errorf("%s, %v allowed: %v, want %v", tt.target, tt.allowed, got, tt.want)
		}
	}
}
