package http

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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

	// firstWithVersion is the first revision with the version header. Revisions
	// are dates, so they compare as text.
	firstWithVersion = "2025-06-18"
)

// DefaultHeaders returns the headers of each request to a server: User-Agent, and
// Basic credentials if the URL has a user.
func DefaultHeaders(server *url.URL) http.Header {
	h := http.Header{agentHeader: {agent}}
	if user := server.User; user != nil {
		password, _ := user.Password()
		pair := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		h["Authorization"] = []string{"Basic " + pair}
	}
	return h
}

// setRevision sets MCP-Protocol-Version, if the negotiated revision has it
// (2025-06-18, transports, "Protocol Version Header").
func setRevision(h http.Header, revision string) {
	if revision >= firstWithVersion {
		h[versionHeader] = []string{revision}
	}
}

// protocolHeaders returns the headers that may be sent to another origin: the headers of MCP, without the
// user's headers and credentials.
func protocolHeaders(h http.Header) http.Header {
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

// SetHeaders sets the headers of src in dst, ignoring case. A name without values
// removes the header.
func SetHeaders(dst, src http.Header) {
	for _, name := range slices.Sorted(maps.Keys(src)) {
		DeleteHeader(dst, name)
		if values := src[name]; len(values) > 0 {
			dst[name] = slices.Clone(values)
		}
	}
}

// DeleteHeader removes a header, ignoring case.
func DeleteHeader(h http.Header, name string) {
	maps.DeleteFunc(h, func(n string, _ []string) bool { return strings.EqualFold(n, name) })
}

// MediaType returns the media type of a body without parameters, in lower case.
func MediaType(h http.Header) string {
	bare, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(bare))
}

// mediaType returns the media type of the response without parameters, in lower case.
func (ex *Exchange) mediaType() string { return MediaType(ex.Response.Header) }

// IsJSON reports whether a media type without parameters is JSON.
func IsJSON(media string) bool { return media == JSONType || strings.HasSuffix(media, "+json") }

// RetryAfter returns the pause that a response requests: Retry-After in seconds or as an HTTP-date (RFC 9110
// §10.2.3). A date is relative to the Date of the response, if it has one, or otherwise to now, since the
// clocks of the two machines may differ. known is false if there is no valid value.
func RetryAfter(h http.Header, now time.Time) (pause time.Duration, known bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.Atoi(value); err == nil {
		const maxSeconds = 1 << 31 // more would overflow a Duration
		return time.Duration(min(max(seconds, 0), maxSeconds)) * time.Second, seconds >= 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if serverTime, err := http.ParseTime(h.Get("Date")); err == nil {
		now = serverTime
	}
	return max(at.Sub(now), 0), true
}
