// Package httptransport checks Streamable HTTP and HTTP+SSE: requests, responses, event streams and
// sessions.
package httptransport

import (
	"net/http"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// Rules check HTTP: requests, responses, event streams, and HTTP+SSE.
var Rules = slices.Concat(requestRules, responseRules, streamRules, endpointRules)

// isStream reports a response that is an event stream.
func isStream(x *lint.Exchange) bool {
	return x.Status/100 == 2 && x.MediaType() == "text/event-stream"
}

// isResumed reports whether a stream resumes another one.
func isResumed(x *lint.Exchange) bool {
	_, ok := x.RequestField("Last-Event-Id")
	return ok
}

// isPost reports a message, the first of its frame, that went out in a POST.
func isPost(c *lint.Context) bool {
	return c.M.Frame.Dir == transport.Out && c.M.Index <= 0 && c.IsStreamableHTTP() && c.X.Method == http.MethodPost
}

// isGetOrDelete reports whether a GET or DELETE is being sent.
func isGetOrDelete(c *lint.Context) bool {
	return c.IsStreamableHTTP() && c.X.Reached(transport.ExchangeSent) &&
		(c.X.Method == http.MethodGet || c.X.Method == http.MethodDelete)
}

// shownSession returns a session id in the redacted form used in reports: its start, if known, and its length,
// if known.
func shownSession(text string) string {
	id := secret.ParseSessionID(text)
	if !id.Redacted {
		id = secret.ParseSessionID(id.String())
	}
	var shown []string
	if id.Shown != "" {
		shown = append(shown, `"`+lint.Escaped(id.Shown)+`…"`)
	}
	if id.Length > 0 {
		shown = append(shown, "of "+phrase.Count(id.Length, "character"))
	}
	return strings.Join(shown, " ")
}

// isRedacted reports the value of a header that cannot be compared with the body, which is
// not redacted.
func isRedacted(name, value string) bool { return secret.IsName(name) || secret.IsRedacted(value) }

// paramOf returns the param that Mcp-Name repeats, and its value. ok is false if the value is not a string.
func paramOf(m *lint.Message) (param, value string, ok bool) {
	param, ok = revision.NameParam(m.Method)
	if !ok {
		return "", "", false
	}
	raw := m.Get(m.Params, param)
	return param, m.Text(m.Params, param), jsonrpc.TypeOf(raw) == "string"
}
