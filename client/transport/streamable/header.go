package streamable

import (
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strings"
)

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"

	sessionHeader  = "Mcp-Session-Id"
	versionHeader  = "Mcp-Protocol-Version"
	resumeHeader   = "Last-Event-Id"
	agentHeader    = "User-Agent"
	locationHeader = "Location"

	// The first revision whose servers expect the version header. Revisions
	// are dates and drafts of later ones, so they compare as text.
	firstWithVersion = "2025-06-18"

	initialize = "initialize"
)

// header returns the headers of a request: the defaults, over them those of
// this request, over them the user's. A message is nil where the request
// carries none.
func (t *Transport) header(method string, m *message) http.Header {
	h := http.Header{agentHeader: {"mcptea"}}
	switch method {
	case http.MethodPost:
		h["Content-Type"] = []string{jsonType}
		h["Accept"] = []string{jsonType + ", " + streamType}
	case http.MethodGet:
		h["Accept"] = []string{streamType}
	}
	if user := t.endpoint.User; user != nil {
		password, _ := user.Password()
		pair := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		h["Authorization"] = []string{"Basic " + pair}
	}
	// The handshake is what agrees on a revision and begins a session; it
	// speaks for neither.
	if m == nil || !m.isInitialize() {
		session, revision := t.state()
		if session != "" {
			h[sessionHeader] = []string{session}
		}
		if revision >= firstWithVersion {
			h[versionHeader] = []string{revision}
		}
	}
	if t.config.PerRequest != nil {
		if m == nil {
			m = &message{}
		}
		overlay(h, t.config.PerRequest(m.frame, m.envelope))
	}
	overlay(h, t.config.Header)
	// net/http writes these from the request itself.
	remove(h, "Content-Length")
	remove(h, "Transfer-Encoding")
	return h
}

// overlay puts the headers of src in place of those of dst, whatever their
// spelling. A name without values takes the header away.
func overlay(dst, src http.Header) {
	for _, name := range slices.Sorted(maps.Keys(src)) {
		remove(dst, name)
		if values := src[name]; len(values) > 0 {
			dst[name] = slices.Clone(values)
		}
	}
}

func remove(h http.Header, name string) {
	maps.DeleteFunc(h, func(n string, _ []string) bool { return strings.EqualFold(n, name) })
}

// lookup returns the first value of a header, whatever its spelling.
func lookup(h http.Header, name string) string {
	for n, values := range h {
		if strings.EqualFold(n, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
