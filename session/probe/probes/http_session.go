package probes

import (
	"crypto/rand"
	"math"
	"net/http"
	"slices"
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
	missing := http.Header{"Mcp-Session-Id": nil}
	p := r.HTTP("a request without Mcp-Session-Id", probe.HTTPRequest{Session: h, Header: missing, Body: r.ListBody()})
	switch {
	case p.Status == http.StatusOK && p.Kind == probe.Error:
		r.Warn("A request without Mcp-Session-Id gets HTTP status 200 with an error; 400 is expected.")
	case p.OK():
		r.Info("The server answers a request without Mcp-Session-Id, although it issues session ids.")
	}
	for _, id := range []string{rand.Text(), "../x" + strings.Repeat("A", 4000)} {
		name := "an unknown session id"
		if len(id) > 1000 {
			name = "a session id of 4,004 characters"
		}
		p := r.HTTP(name, probe.HTTPRequest{Session: h, Header: http.Header{"Mcp-Session-Id": {id}}, Body: r.ListBody()})
		switch {
		case p.OK() && p.Kind == probe.Result:
			r.Error("The server answers a request with %s.", name)
		case p.Status == http.StatusBadRequest && len(id) < 1000:
			r.Warn("The server replied to %s with HTTP status 400; with 404 clients start a new session.", name)
		case p.OK():
			r.Warn("The server replied to %s with HTTP status %d; 404 is expected.", name, p.Status)
		}
	}
}

func sessionDelete(r *probe.Run) {
	h := session(r)
	p := r.HTTP("DELETE of the session", probe.HTTPRequest{Method: http.MethodDelete, Session: h})
	switch {
	case p.Status == http.StatusMethodNotAllowed:
		return
	case p.Status == http.StatusNotFound:
		r.Info("DELETE of the session returns HTTP status 404, as if there were no such session; 405 says that it cannot be ended.")
		return
	case !p.OK():
		r.Warn("DELETE of the session returns HTTP status %d.", p.Status)
		return
	}
	if q := r.HTTP("a request after DELETE", probe.HTTPRequest{Session: h, Body: r.ListBody()}); q.Status != http.StatusNotFound {
		r.Error("A request in a deleted session returns HTTP status %d; 404 is required.", q.Status)
	}
	if q := r.HTTP("GET after DELETE", probe.HTTPRequest{Method: http.MethodGet, Session: h, HeadersOnly: true}); q.Status != http.StatusNotFound && q.Status != http.StatusMethodNotAllowed {
		r.Error("GET in a deleted session returns HTTP status %d; 404 is required.", q.Status)
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

func versionHeader(r *probe.Run) {
	h := r.Session()
	send := func(name string, values []string) probe.Outcome {
		return r.HTTP(name, probe.HTTPRequest{Session: h, Header: http.Header{"Mcp-Protocol-Version": values}, Body: r.ListBody()})
	}
	h.Del("Mcp-Protocol-Version")
	for _, v := range []string{"1999-01-01", "latest", "2025-11-25x"} {
		p := send("MCP-Protocol-Version: "+v, []string{v})
		switch {
		case p.OK():
			r.Error("The server accepts MCP-Protocol-Version: %s; HTTP status 400 is required.", v)
		case p.Refused() && p.Status != http.StatusBadRequest:
			r.Warn("The server rejects MCP-Protocol-Version: %s, but with HTTP status %d in place of 400.", v, p.Status)
		}
	}
	if p := send("a request without MCP-Protocol-Version", nil); p.Refused() {
		r.Warn("The server rejects a request without MCP-Protocol-Version with HTTP status %d; it should assume 2025-03-26.", p.Status)
	}
}

func getStream(r *probe.Run) {
	h := r.Session()
	p := r.HTTP("GET", probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: h, HeadersOnly: true})
	isStream := strings.HasPrefix(p.Header.Get("Content-Type"), "text/event-stream")
	switch {
	case p.Status == http.StatusMethodNotAllowed:
		return
	case p.Status == http.StatusOK && isStream:
	case p.Status == http.StatusConflict:
		r.Info("GET returns HTTP status 409: the server accepts one stream, and another connection of this check may have it.")
		return
	case p.Err != nil:
		r.Warn("GET returns no headers within the timeout; they must be sent before the first event.")
		return
	default:
		r.Error("GET returns HTTP status %d and %q; 200 with text/event-stream, or 405 is required.", p.Status, p.Header.Get("Content-Type"))
		return
	}
	if q := r.HTTP("GET that accepts only JSON", probe.HTTPRequest{Method: http.MethodGet, Session: h, Header: http.Header{"Accept": {"application/json"}}, HeadersOnly: true}); q.OK() {
		r.Info("GET that accepts only JSON returns HTTP status %d.", q.Status)
	}
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
	p := r.HTTP("a POST with an unknown session", probe.HTTPRequest{URL: endpoint[:i+1] + rand.Text(), Body: r.InitializeBody(), MayFail: true, Timeout: 3 * time.Second})
	switch {
	case p.Err != nil:
		r.Warn("The server does not respond to a POST with an unknown session.")
	case p.OK():
		r.Error("The server accepts a POST with an unknown session with HTTP status %d.", p.Status)
	}
}
