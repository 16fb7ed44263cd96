package probes

import (
	"crypto/rand"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// session begins a session that has an id, and returns its headers.
func session(r *probe.Run) http.Header {
	h := r.Session()
	r.SkipIf(h.Get("Mcp-Session-Id") == "", "no session id")
	return h
}

func sessionHeader(r *probe.Run) {
	job{Run: r, session: session(r)}.run("P-115", "unknown", rand.Text(), "letters", strings.Repeat("A", 4000))
}

func sessionDelete(r *probe.Run) {
	j := job{Run: r, session: session(r)}
	o := r.HTTP("DELETE of the session", probe.HTTPRequest{Method: http.MethodDelete, Session: j.session})
	if j.judge("P-116", o); o.OK() {
		j.run("P-116 after")
	}
}

const sessions = 5

func sessionIDQuality(r *probe.Run) {
	var ids []string
	for range sessions {
		ids = append(ids, session(r).Get("Mcp-Session-Id"))
	}
	r.Case("five session ids")
	for _, id := range ids {
		if strings.ContainsFunc(id, func(ch rune) bool { return ch < 0x21 || ch > 0x7e }) {
			r.Error("A session id has characters other than visible ASCII.")
			return
		}
	}
	if bits := entropy(ids[0]); bits < 120 {
		severity := lint.Warn
		if slices.IsSorted(ids) && bits < 64 {
			severity = lint.Error
		}
		r.About(severity, "", "The session ids have at most %.0f bits; 120 are needed so that they cannot be guessed.", bits)
	}
	common := commonPrefix(ids)
	switch {
	case len(ids[0]) == 36 && ids[0][8] == '-' && strings.ContainsRune("167", rune(ids[0][14])):
		r.Warn("The session ids are UUIDs of version %c, which contain the time.", ids[0][14])
	case common > len(ids[0])/2:
		r.Warn("The session ids share the first %d of %d characters.", common, len(ids[0]))
	}
}

// entropy is how many bits a text of its length has, if all characters of its
// alphabets are equally likely.
func entropy(id string) float64 {
	alphabet := 0
	for _, set := range []string{"0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"} {
		if strings.ContainsAny(id, set) {
			alphabet += len(set)
		}
	}
	return float64(len(strings.ReplaceAll(id, "-", ""))) * math.Log2(float64(max(alphabet, 2)))
}

func commonPrefix(ids []string) int {
	for i := range ids[0] {
		for _, id := range ids[1:] {
			if i >= len(id) || id[i] != ids[0][i] {
				return i
			}
		}
	}
	return len(ids[0])
}

func sessionFixation(r *probe.Run) {
	const chosen = "mcptea-chosen-by-client"
	p := r.HTTP("initialize with a session id of the client", probe.HTTPRequest{Header: http.Header{"Mcp-Session-Id": {chosen}}, Body: r.InitializeBody()})
	if p.Header.Get("Mcp-Session-Id") == chosen {
		r.Error("The server adopts a session id that the client has chosen.")
	}
}

func getStream(r *probe.Run) {
	j := job{Run: r, session: r.Session()}
	o := r.HTTP("GET", probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: j.session, HeadersOnly: true})
	if o.Status == http.StatusOK && strings.HasPrefix(mediaType(o), "text/event-stream") {
		j.run("P-120 json")
		return
	}
	j.judge("P-120", o, "what", strconv.Quote(o.Header.Get("Content-Type")))
}

func resume(r *probe.Run) {
	h := session(r)
	one := r.HTTP("a list", probe.HTTPRequest{Session: h, Body: r.Maker().List()})
	two := r.HTTP("another list", probe.HTTPRequest{Session: h, Body: r.Maker().List()})
	id := eventID(one.Body)
	if r.SkipIf(id == "" || two.Frame == nil, "no event ids") {
		return
	}
	second := string(jsonrpc.Scan(two.Frame).ID.Of(two.Frame))
	resumed := func(name string, session http.Header, last string) probe.Outcome {
		return r.HTTP(name, probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: session, Header: http.Header{"Last-Event-Id": {last}}})
	}
	p := resumed("GET that resumes the first stream", h, id)
	if p.OK() && strings.Contains(string(p.Body), `"id":`+second) {
		r.Error("A resumed stream replays a message of another stream.")
	}
	other := session(r)
	if q := resumed("GET in another session with the event id of the first", other, id); q.OK() && strings.Contains(string(q.Body), `"id":`+second) {
		r.Error("A session gets the messages of another session by its event id.")
	}
}

// eventID is the first event id of a stream; empty without one.
func eventID(body []byte) string {
	for line := range strings.Lines(string(body)) {
		if id, ok := strings.CutPrefix(line, "id:"); ok {
			return strings.TrimSpace(id)
		}
	}
	return ""
}

func sseUnknownSession(r *probe.Run) {
	endpoint := r.Endpoint()
	if r.SkipIf(endpoint == "", "no endpoint") {
		return
	}
	i := strings.LastIndexAny(endpoint, "=/")
	const what = "a POST with an unknown session"
	o := r.HTTP(what, probe.HTTPRequest{URL: endpoint[:i+1] + rand.Text(), Body: r.InitializeBody(), MayFail: true, Timeout: 3 * time.Second})
	job{Run: r}.judge("P-131", o, "what", what)
}
