package rpchttp

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The media types that MCP uses over HTTP.
const (
	JSONType   = "application/json"
	StreamType = "text/event-stream"
)

const (
	agentHeader    = "User-Agent"
	agent          = "mcptea"
	locationHeader = "Location"
	versionHeader  = "Mcp-Protocol-Version"

	// The first revision whose servers expect the version header. Revisions
	// are dates and drafts of later ones, so they compare as text.
	firstWithVersion = "2025-06-18"
)

// DefaultHeaders returns the headers that any request to a server has: the name of
// the program, and the user and password of the server's URL.
func DefaultHeaders(server *url.URL) http.Header {
	h := http.Header{agentHeader: {agent}}
	if user := server.User; user != nil {
		password, _ := user.Password()
		pair := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		h["Authorization"] = []string{"Basic " + pair}
	}
	return h
}

// SetRevision names the revision that was agreed on, if it is one whose servers
// expect that (2025-06-18, transports, "Protocol Version Header").
func SetRevision(h http.Header, revision string) {
	if revision >= firstWithVersion {
		h[versionHeader] = []string{revision}
	}
}

// ProtocolHeaders is what of a request's headers may go to another origin: those of the
// protocol. What a person has added, a password of the URL among it, stays
// behind.
func ProtocolHeaders(h http.Header) http.Header {
	bare := http.Header{}
	for name, values := range h {
		switch lower := strings.ToLower(name); {
		case lower == "accept", lower == "content-type", lower == "last-event-id", lower == "user-agent",
			strings.HasPrefix(lower, "mcp-"):
			bare[name] = slices.Clone(values)
		}
	}
	return bare
}

// SetHeaders puts the headers of src in place of those of dst, whatever their
// spelling. A name without values takes the header away.
func SetHeaders(dst, src http.Header) {
	for _, name := range slices.Sorted(maps.Keys(src)) {
		DeleteHeader(dst, name)
		if values := src[name]; len(values) > 0 {
			dst[name] = slices.Clone(values)
		}
	}
}

// DeleteHeader takes a header away, whatever its spelling.
func DeleteHeader(h http.Header, name string) {
	maps.DeleteFunc(h, func(n string, _ []string) bool { return strings.EqualFold(n, name) })
}

// HeaderValue returns the first value of a header, whatever its spelling.
func HeaderValue(h http.Header, name string) string {
	for n, values := range h {
		if strings.EqualFold(n, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// MediaType returns the bare type of the answer, in lower case.
func (ex *Exchange) MediaType() string {
	bare, _, _ := strings.Cut(ex.Response.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// IsJSON reports whether a bare media type is one of JSON.
func IsJSON(media string) bool { return media == JSONType || strings.HasSuffix(media, "+json") }
