package httptransport

import (
	"bytes"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/lint/rule"
)

// endpointRules check HTTP+SSE, the transport of 2024-11-05.
var endpointRules = []rule.Rule{
	{ID: "H040", Line: func(c *rule.Context) {
		if onStream(c) && c.X.FramesReceived == 1 && c.F.EventName != endpoint {
			got := c.F.EventName
			if got == "" {
				got = "message"
			}
			c.Report(rule.Whole, "got", rule.Escaped(got))
		}
	}},
	{ID: "H041", Line: func(c *rule.Context) {
		initialized := c.St.Initialize != nil && c.St.Initialize.HasResponse()
		if isEndpoint(c) && (bool(*rule.Own[endpointKnown](c.St)) || initialized) {
			c.Report(rule.Byte(0), "got", shownReference(c.F.Bytes))
		}
	}},
	{ID: "H042", Line: func(c *rule.Context) {
		if !isEndpoint(c) || rule.IsJSONObject(c.F.Bytes) {
			return
		}
		base, err := url.Parse(c.X.URL)
		if err != nil {
			return
		}
		to, err := base.Parse(reference(c.F.Bytes))
		switch {
		case err != nil || reference(c.F.Bytes) == "":
			c.Report(rule.Byte(0), "got", "an invalid URI")
		case mcphttp.Origin(to) != mcphttp.Origin(base):
			to.Path, to.RawPath = "", ""
			c.Report(rule.Byte(0), "got", rule.ShownURL(to))
		}
	}},
	{ID: "H043", Line: func(c *rule.Context) {
		if b := bytes.TrimSpace(c.F.Bytes); isEndpoint(c) && (rule.IsJSONObject(b) || len(b) > 0 && b[0] == '"') {
			c.Report(rule.Byte(0))
		}
	}},
	{ID: "H044", Limit: rule.OncePerConnection, Line: func(c *rule.Context) {
		if onStream(c) {
			c.Report(rule.Whole)
		}
	}},
	{Line: func(c *rule.Context) {
		if isEndpoint(c) {
			*rule.Own[endpointKnown](c.St) = true
		}
	}},
}

const endpoint = "endpoint"

// endpointKnown reports that the stream has had its endpoint event.
type endpointKnown bool

// onStream reports an event on the stream of HTTP+SSE.
func onStream(c *rule.Context) bool {
	return c.St.Link == rule.SSE && c.F.Dir == transport.In && c.X != nil && c.X.Purpose == "stream"
}

func isEndpoint(c *rule.Context) bool { return c.F.EventName == endpoint && onStream(c) }

// reference is the URI in an endpoint event, also if it is a JSON value.
func reference(b []byte) string {
	b = bytes.TrimSpace(b)
	if s, ok := jsonrpc.Unquote(b); ok {
		return s
	}
	return string(b)
}

// shownReference is the reference without its query, which contains the session
// id.
func shownReference(b []byte) string {
	short, _, _ := strings.Cut(reference(b), "?")
	if u, err := url.Parse(short); err == nil {
		return rule.ShownURL(u)
	}
	return "an invalid URI"
}
