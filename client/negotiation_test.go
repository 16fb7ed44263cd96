package client

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
)

const noMethod = "error -32601 Method not found"

// shakes is a server with a handshake that answers initialize in a way of its
// own, and the result.
func shakes(name string, m move) row { return isOld(name, old(actor{"initialize": m}), noMethod) }

// in says which revision it comes to.
func (r row) in(v revision.Revision, detail string) row {
	r.revision, r.detail = v, detail
	return r
}

// ends is a handshake that leads to nothing.
func (r row) ends(words ...string) row {
	r.err, r.story, r.detail = words, "started > server/discover > initialize", ""
	return r
}

// turned is a server whose handshake shows that it has none.
func turned(name string, initialize move) row {
	return isStatelessOne(name, stateless(actor{"server/discover": turns(fails(-32601, "Method not found", ""), says(discovery)), "initialize": initialize}),
		noMethod, "initialize failed").but(func(r *row) {
		r.how, r.story = EraCorrected, "started > server/discover > initialize > server/discover > tools/list"
	})
}

func lenient(r *row) { r.cfg.Lenient = true }

func pinnedTo(v revision.Revision) func(*row) {
	return func(r *row) {
		r.cfg.Revision, r.how, r.evidence = v, EraPinned, []string{string(v) + " was requested"}
		r.story = strings.Replace(r.story, "> server/discover ", "", 1)
	}
}

func reshaken(r *row) {
	r.story = strings.Replace(r.story, "> initialize", "> initialize > initialize", 1)
}

// What initialize is answered with, and what is made of it.
var negotiationRows = register("negotiation",
	shakes("the same revision", welcomes("2025-11-25")).in("2025-11-25", "protocol version 2025-11-25"),
	shakes("2024-11-05", welcomes("2024-11-05")).in("2024-11-05", "protocol version 2024-11-05, negotiated down from 2025-11-25"),
	shakes("2025-03-26", welcomes("2025-03-26")).in("2025-03-26", "protocol version 2025-03-26, negotiated down from 2025-11-25"),
	shakes("2025-06-18", welcomes("2025-06-18")).in("2025-06-18", "protocol version 2025-06-18, negotiated down from 2025-11-25"),
	shakes("a newer one that is known", welcomes("2025-06-18")).in("2025-06-18", "newer than the requested 2024-11-05: the server must not select it").but(pinnedTo("2024-11-05")),
	shakes("a newer one that is not", welcomes("2027-01-01")).ends(`protocol version "2027-01-01", which mcptea does not support (offered: 2025-11-25)`),
	turned("the stateless one", welcomes("2026-07-28")),
	shakes("the stateless one, where another was asked for", welcomes("2026-07-28")).ends("supports 2026-07-28, which has no initialize handshake (offered: 2025-11-25)").but(pinnedTo("2025-11-25")),
	row{
		name: "the stateless one, which is not spoken either", server: old(actor{"initialize": welcomes("2026-07-28")}),
		era: revision.EraStateless, how: EraCorrected, story: "started > server/discover > initialize > server/discover",
		evidence: []string{noMethod, "initialize failed: the server supports 2026-07-28"},
		err:      []string{"initialize failed (the server supports 2026-07-28", "and so did server/discover", "error -32601"},
	},
	shakes("an unknown string", welcomes("latest")).ends(`protocol version "latest", which mcptea does not support (offered: 2025-11-25)`),
	shakes("an unknown date, leniently", welcomes("2025-05-01")).but(lenient).in("2025-03-26", `protocol version 2025-03-26, instead of the unknown version "2025-05-01", because of --lenient`),
	shakes("an unknown string, leniently", welcomes("latest")).but(lenient).in("2025-11-25", `protocol version 2025-11-25, instead of the unknown version "latest", because of --lenient`),
	shakes("the stateless one, leniently", welcomes("2026-07-28")).but(lenient).but(func(r *row) {
		*r = turned(r.name, welcomes("2026-07-28")).but(lenient)
	}),
	shakes("no version", says(`{"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)).ends(`no "protocolVersion"`),
	shakes("a version that is a number", says(`{"protocolVersion":20251125,"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)).ends(`"protocolVersion" of the initialize result is of type number, not string`),
	shakes("an empty version", says(`{"protocolVersion":"","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)).ends(`"protocolVersion" of the initialize result is empty`),
	shakes("-32602 with a list", turns(fails(-32602, "Unsupported protocol version", `{"supported":["2024-11-05","2025-03-26"],"requested":"2025-11-25"}`), welcomes("2025-03-26"))).
		in("2025-03-26", "protocol version 2025-03-26").but(reshaken).but(func(r *row) { r.offered = "2025-03-26" }),
	shakes("-32602 with a list, twice", fails(-32602, "no", `{"supported":["2024-11-05"]}`)).ends("error -32602: no").but(reshaken),
	shakes("-32602 with a list of what is not known", fails(-32602, "no", `{"supported":["9"]}`)).ends(`supports "9", of which mcptea supports none`),
	shakes("-32602 without a list", fails(-32602, "no", "")).ends("error -32602: no"),
	turned("-32022 with a list", fails(-32022, "no", `{"supported":["2026-07-28"]}`)),
	shakes("-32022 with a list of older ones", turns(fails(-32022, "no", `{"supported":["2025-06-18"]}`), welcomes("2025-06-18"))).in("2025-06-18", "protocol version 2025-06-18").but(reshaken),
	turned("-32601", fails(-32601, "Method not found", "")),
	turned("an error whose text names the revision", fails(-32600, "only 2026-07-28 is spoken here", "")),
	shakes("an error that says nothing of it", fails(-32603, "boom", "")).ends("error -32603: boom"),
	shakes("the process ends", quits(3)).ends("initialize got no response", "exited with code 3"),
	row{
		name: "neither way works", server: actor{"*": fails(-32601, "Method not found", "")},
		era: revision.EraStateless, how: EraCorrected, story: "started > server/discover > initialize > server/discover",
		evidence: []string{noMethod, "initialize failed"}, err: []string{"initialize failed (the server returned error -32601", "and so did server/discover"},
	},
)

func TestInitialize_Responses(t *testing.T) {
	for _, r := range negotiationRows {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}

var silentRow = register("negotiation alone",
	shakes("silence, and what stood in its place", both(prints("Server listening", "waiting for tea"), grumbles("no kettle"))).
		ends("no response to initialize within", `"Server listening"`).but(func(r *row) { r.cfg.ConnectTimeout = 2 * time.Second }),
)[0]

// initialize is given up after its time, and never cancelled. What the server
// wrote meanwhile is in the error.
func TestInitialize_Timeout(t *testing.T) {
	t.Parallel()
	_, w := silentRow.meets(t)
	if got := w.story("<"); got != "< error < text < text" {
		t.Errorf("came in: %s", got)
	}
	if got := strings.Join(w.stderr, " "); got != "no kettle" {
		t.Errorf("stderr %q", got)
	}
}
