package http

import (
	"net/http"
)

const (
	sessionHeader = "Mcp-Session-Id"
	resumeHeader  = "Last-Event-Id"

	initialize = "initialize"
)

// header returns the headers of a request: the defaults, overridden by PerRequest,
// overridden by the user's. m is nil for a request without a frame.
func (t *Streamable) header(method string, m *message) http.Header {
	h := DefaultHeaders(t.server)
	switch method {
	case http.MethodPost:
		h["Content-Type"] = []string{JSONType}
		h["Accept"] = []string{JSONType + ", " + StreamType}
	case http.MethodGet:
		h["Accept"] = []string{StreamType}
	}
	// initialize begins a session and negotiates the revision: it has neither header.
	if m == nil || !m.isInitialize() {
		session, revision := t.headerState()
		if session != "" {
			h[sessionHeader] = []string{session}
		}
		setRevision(h, revision)
	}
	if t.config.PerRequest != nil {
		if m == nil {
			m = &message{}
		}
		SetHeaders(h, t.config.PerRequest(m.frame, m.envelope))
	}
	SetHeaders(h, t.config.Header)
	return h
}
