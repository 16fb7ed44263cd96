package lint

import (
	"bytes"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// endpointRules judge HTTP+SSE, the transport of 2024-11-05.
var endpointRules = []rule{
	{id: "H040", line: func(c *Context) {
		if c.onStream() && c.X.Got == 1 && c.F.EventName != endpoint {
			got := c.F.EventName
			if got == "" {
				got = "message"
			}
			c.Report(Whole, "got", escaped(got))
		}
	}},
	{id: "H041", line: func(c *Context) {
		initialized := c.St.Initialize != nil && c.St.Initialize.Answered
		if c.isEndpoint() && (bool(*Own[endpointKnown](c.St)) || initialized) {
			c.Report(Byte(0), "got", shownReference(c.F.Bytes))
		}
	}},
	{id: "H042", line: func(c *Context) {
		if !c.isEndpoint() || isJSONObject(c.F.Bytes) {
			return
		}
		base, err := url.Parse(c.X.URL)
		if err != nil {
			return
		}
		to, err := base.Parse(reference(c.F.Bytes))
		switch {
		case err != nil || reference(c.F.Bytes) == "":
			c.Report(Byte(0), "got", "something that is no URI")
		case originOf(to) != originOf(base):
			to.Path, to.RawPath = "", ""
			c.Report(Byte(0), "got", shownURL(to))
		}
	}},
	{id: "H043", line: func(c *Context) {
		if b := bytes.TrimSpace(c.F.Bytes); c.isEndpoint() && (isJSONObject(b) || len(b) > 0 && b[0] == '"') {
			c.Report(Byte(0))
		}
	}},
	{id: "H044", limit: oncePerConnection, line: func(c *Context) {
		if c.onStream() {
			c.Report(Whole)
		}
	}},
	{line: func(c *Context) {
		if c.isEndpoint() {
			*Own[endpointKnown](c.St) = true
		}
	}},
}

const endpoint = "endpoint"

// endpointKnown says that the stream has named its endpoint.
type endpointKnown bool

// onStream reports an event on the stream of HTTP+SSE.
func (c *Context) onStream() bool {
	return c.St.Link == SSE && c.F.Dir == transport.In && c.X != nil && c.X.Purpose == "stream"
}

func (c *Context) isEndpoint() bool { return c.F.EventName == endpoint && c.onStream() }

func isJSONObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{'
}

// reference is what the event says, also where it is wrapped in JSON.
func reference(b []byte) string {
	b = bytes.TrimSpace(b)
	if s, ok := jsonrpc.Unquote(b); ok {
		return s
	}
	return string(b)
}

// shownReference is the reference without what may be secret: its query holds
// the session.
func shownReference(b []byte) string {
	short, _, _ := strings.Cut(reference(b), "?")
	if u, err := url.Parse(short); err == nil {
		return shownURL(u)
	}
	return "something that is no URI"
}
