// Package httptransport checks Streamable HTTP and HTTP+SSE: requests, responses, event streams and
// sessions.
package httptransport

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/session/checks/lint"
)

// Rules check HTTP: requests, responses, event streams, and HTTP+SSE.
var Rules = slices.Concat(requestRules, responseRules, streamRules, endpointRules)

// isStream reports a response that is an event stream.
func isStream(x *lint.Exchange) bool {
	return x.Status/100 == 2 && x.MediaType() == "text/event-stream"
}

// isResumed reports a stream that resumes another one.
func isResumed(x *lint.Exchange) bool {
	_, ok := x.RequestField("Last-Event-Id")
	return ok
}

// isPost reports a message, the first of its frame, that went out in a POST.
func isPost(c *lint.Context) bool {
	return c.M.Frame.Dir == transport.Out && c.M.Index <= 0 && c.IsStreamableHTTP() && c.X.Method == http.MethodPost
}

// isGetOrDelete reports a GET or DELETE that goes out.
func isGetOrDelete(c *lint.Context) bool {
	return c.IsStreamableHTTP() && c.X.Reached(transport.ExchangeSent) &&
		(c.X.Method == http.MethodGet || c.X.Method == http.MethodDelete)
}

// shownSession is a session id as reports have it, which are masked.
func shownSession(id string) string {
	if seen := sessionID(id); seen.masked || len(seen.text) > 8 {
		return lint.Escaped(seen.text[:min(len(seen.text), 8)]) + "…"
	}
	return lint.Escaped(id)
}

// visibleID is the visible part of a session id. Of a longer one reports have the
// first eight characters, the length, and whether all characters are allowed.
type visibleID struct {
	text    string
	masked  bool
	length  int // 0 if unknown: older recordings do not have it
	invalid bool
}

// maskedID is how client/secret redacts a session id.
var maskedID = lazyregexp.New(`^(.{8})…(?: \((\d+) characters(, some of them not allowed)?\))?$`)

func sessionID(id string) visibleID {
	m := maskedID().FindStringSubmatch(id)
	if m == nil {
		return visibleID{text: id, length: len(id), invalid: !isVisibleASCII(id)}
	}
	length, _ := strconv.Atoi(m[2])
	return visibleID{text: m[1], masked: true, length: length, invalid: m[3] != "" || !isVisibleASCII(m[1])}
}

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < '!' || r > '~' })
}

// sameSession compares session ids as far as they can be seen.
func sameSession(a, b string) bool {
	seenA, seenB := sessionID(a), sessionID(b)
	if a == b || !seenA.masked && !seenB.masked {
		return a == b
	}
	return len(seenA.text) >= 8 && len(seenB.text) >= 8 && seenA.text[:8] == seenB.text[:8] &&
		(seenA.length == seenB.length || seenA.length == 0 || seenB.length == 0)
}

// paramOf is the param that Mcp-Name repeats, and its value; ok is false if it is
// not a string.
func paramOf(m *lint.Message) (param, value string, ok bool) {
	param, ok = revision.NameParam(m.Method)
	if !ok {
		return "", "", false
	}
	raw := m.Get(m.Params, param)
	return param, m.Text(m.Params, param), jsonrpc.TypeOf(raw) == "string"
}
