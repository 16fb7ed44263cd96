package streamable

import (
	"net/http"

	"mcptea/client/transport/rpchttp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	resumeHeader  = "Last-Event-Id"

	initialize = "initialize"
)

// header returns the headers of a request: the defaults, overridden by PerRequest,
// overridden by the user's. m is nil for a request without a frame.
func (t *Transport) header(method string, m *message) http.Header {
	h := rpchttp.DefaultHeaders(t.endpoint)
	switch method {
	case http.MethodPost:
		h["Content-Type"] = []string{rpchttp.JSONType}
		h["Accept"] = []string{rpchttp.JSONType + ", " + rpchttp.StreamType}
	case http.MethodGet:
		h["Accept"] = []string{rpchttp.StreamType}
	}
	// initialize begins a session and negotiates the revision: it has neither header.
	if m == nil || !m.isInitialize() {
		session, revision := t.headerState()
		if session != "" {
			h[sessionHeader] = []string{session}
		}
		rpchttp.SetRevision(h, revision)
	}
	if t.config.PerRequest != nil {
		if m == nil {
			m = &message{}
		}
		rpchttp.SetHeaders(h, t.config.PerRequest(m.frame, m.envelope))
	}
	rpchttp.SetHeaders(h, t.config.Header)
	return h
}
