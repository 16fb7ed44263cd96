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
	if r.SkipIf(h.Get("Mcp-Session-Id") == "", "no session id") {
		return h
	}
	return h
}

func sessionHeader(r *probe.Run) {
	h := session(r)
	send := postIn(h)
	try(r, send, []sample{
		{name: "a request without Mcp-Session-Id", http: withHeader(r.ListBody(), "Mcp-Session-Id")},
	},
		verdict{and(hasStatus(http.StatusOK), isError()), lint.Warn, "A request without Mcp-Session-Id gets HTTP status 200 with an error; 400 is expected."},
		verdict{isOK, lint.Info, "The server answers {case}, although it issues session ids."})
	try(r, send, []sample{
		{name: "an unknown session id", http: withHeader(r.ListBody(), "Mcp-Session-Id", rand.Text())},
		{name: "a session id of 4,004 characters", odd: true, http: withHeader(r.ListBody(), "Mcp-Session-Id", "../x"+strings.Repeat("A", 4000))},
	},
		verdict{and(isOK, isResult), lint.Error, "The server answers a request with {case}."},
		verdict{and(hasStatus(http.StatusBadRequest), not(isOdd)), lint.Warn, "The server replied to {case} with HTTP status 400; with 404 clients start a new session."},
		verdict{isOK, lint.Warn, "The server replied to {case} with HTTP status {status}; 404 is expected."})
}

func sessionDelete(r *probe.Run) {
	h := session(r)
	send := postIn(h)
	s := sample{name: "DELETE of the session", http: probe.HTTPRequest{Method: http.MethodDelete}}
	o := send(r, s)
	judge(r, s, o,
		verdict{when: hasStatus(http.StatusMethodNotAllowed)},
		verdict{hasStatus(http.StatusNotFound), lint.Info, "{case} returns HTTP status 404, as if there were no such session; 405 says that it cannot be ended."},
		verdict{not(isOK), lint.Warn, "{case} returns HTTP status {status}."})
	if !o.OK() {
		return
	}
	try(r, send, []sample{
		{name: "a request after DELETE", what: "A request", http: probe.HTTPRequest{Body: r.ListBody()}},
		{name: "GET after DELETE", what: "GET", odd: true, http: probe.HTTPRequest{Method: http.MethodGet, HeadersOnly: true}},
	},
		verdict{when: hasStatus(http.StatusNotFound)},
		verdict{when: and(isOdd, hasStatus(http.StatusMethodNotAllowed))},
		verdict{always, lint.Error, "{what} in a deleted session returns HTTP status {status}; 404 is required."})
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

func versionHeader(r *probe.Run) {
	h := r.Session()
	h.Del("Mcp-Protocol-Version")
	try(r, postIn(h), named("MCP-Protocol-Version: ", []string{"1999-01-01", "latest", "2025-11-25x"}, func(v string) sample {
		return sample{http: withHeader(r.ListBody(), "Mcp-Protocol-Version", v)}
	}),
		verdict{isOK, lint.Error, "The server accepts {case}; HTTP status 400 is required."},
		verdict{and(isRefused, not(hasStatus(http.StatusBadRequest))), lint.Warn, "The server rejects {case}, but with HTTP status {status} in place of 400."})
	try(r, postIn(h), []sample{
		{name: "a request without MCP-Protocol-Version", http: withHeader(r.ListBody(), "Mcp-Protocol-Version")},
	}, verdict{isRefused, lint.Warn, "The server rejects {case} with HTTP status {status}; it should assume 2025-03-26."})
}

func getStream(r *probe.Run) {
	h := r.Session()
	o := r.HTTP("GET", probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: h, HeadersOnly: true})
	if o.Status == http.StatusOK && strings.HasPrefix(mediaType(o), "text/event-stream") {
		try(r, postIn(h), []sample{
			{name: "GET that accepts only JSON", http: probe.HTTPRequest{Method: http.MethodGet, Header: http.Header{"Accept": {"application/json"}}, HeadersOnly: true}},
		}, verdict{isOK, lint.Info, "{case} returns HTTP status {status}."})
		return
	}
	judge(r, sample{what: strconv.Quote(o.Header.Get("Content-Type"))}, o,
		verdict{when: hasStatus(http.StatusMethodNotAllowed)},
		verdict{hasStatus(http.StatusConflict), lint.Info, "GET returns HTTP status 409: the server accepts one stream, and another connection of this check may have it."},
		verdict{isFailed, lint.Warn, "GET returns no headers within the timeout; they must be sent before the first event."},
		verdict{always, lint.Error, "GET returns HTTP status {status} and {what}; 200 with text/event-stream, or 405 is required."})
}

func resume(r *probe.Run) {
	h := session(r)
	one := r.HTTP("a list", probe.HTTPRequest{Session: h, Body: r.ListBody()})
	two := r.HTTP("another list", probe.HTTPRequest{Session: h, Body: r.ListBody()})
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
	try(r, post, []sample{
		{name: "a POST with an unknown session", http: probe.HTTPRequest{URL: endpoint[:i+1] + rand.Text(), Body: r.InitializeBody(), MayFail: true, Timeout: 3 * time.Second}},
	},
		verdict{isFailed, lint.Warn, "The server does not respond to {case}."},
		verdict{isOK, lint.Error, "The server accepts {case} with HTTP status {status}."})
}
