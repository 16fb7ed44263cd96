package experiment

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/facts"
)

// A situation holds the failed request and the other facts on which trials depend.
type situation struct {
	failed      transport.Request
	first       int // status of the failed request
	control     outcome
	userHeaders []string // names of headers that the user has given
	sse         bool     // the request is a message of HTTP+SSE
	stream      *url.URL // URL of the HTTP+SSE stream
	before      bool     // another request of the attempt got a message of the server
}

// A trial is one change of the failed request.
type trial struct {
	id    string
	kind  kind
	label func(situation) string
	// when reports whether the trial applies.
	when   func(situation) bool
	change func(situation, *transport.Request)
}

// A kind is the kind of conclusion that a trial allows.
type kind uint8

const (
	substitution kind = iota
	ablation
	relocation
)

// cost returns the maximum number of requests of a trial: a success is confirmed, and its sessions are ended.
func (t trial) cost() int {
	switch {
	case t.kind != substitution:
		return 1
	case t.id == "handshake" || t.id == "older":
		return 5
	}
	return 3
}

func label(text string) func(situation) string { return func(situation) string { return text } }

func (c situation) isPost() bool      { return c.failed.Method == http.MethodPost }
func (c situation) inSession() bool   { return c.failed.Header.Get("Mcp-Session-Id") != "" }
func (c situation) has(h string) bool { return slices.Contains(c.userHeaders, h) }

// status reports whether the control had one of the statuses.
func (c situation) status(of ...int) bool { return slices.Contains(of, c.control.status) }

// isRefusal reports whether the response may depend on the form of the request. A refused credential is not
// sent again.
func (c situation) isRefusal() bool {
	return c.control.status != 0 && !c.status(http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusProxyAuthRequired)
}

// hasCredentials reports whether the request has possible credentials.
func (c situation) hasCredentials() bool {
	return c.failed.URL.User != nil || slices.ContainsFunc(c.userHeaders, func(name string) bool { return name == "Authorization" || name == "Cookie" || secret.IsName(name) })
}

// isGuarded reports whether credentials were refused. Servers count such requests.
func (c situation) isGuarded() bool {
	return c.hasCredentials() && (c.first == http.StatusUnauthorized || c.first == http.StatusForbidden)
}

// method returns the method of the failed message.
func (c situation) method() string { return jsonrpc.Text(c.failed.Body, "method") }

// named returns the sent header that the response requires, by its status or by name.
func (c situation) named() string {
	switch c.control.status {
	case http.StatusNotAcceptable:
		return "Accept"
	case http.StatusUnsupportedMediaType:
		return "Content-Type"
	}
	return facts.Named(c.failed.Header, strings.ToLower(string(c.control.body)), func(name string) bool { return len(name) > len("Accept") })
}

// prefix returns the part of the path that a proxy may remove: the path of the stream's URL without its last
// name, unless the endpoint starts with it.
func (c situation) prefix() string {
	if c.stream == nil {
		return ""
	}
	dir := c.stream.Path[:max(0, strings.LastIndexByte(strings.TrimSuffix(c.stream.Path, "/"), '/'))]
	if strings.HasPrefix(c.failed.URL.Path, dir+"/") {
		return ""
	}
	return dir
}

// madeUp returns a random path that no server has.
func madeUp() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return "/no-such-path-" + hex.EncodeToString(b)
}

func accepts(types ...string) func(situation, *transport.Request) {
	return func(_ situation, r *transport.Request) { r.Header["Accept"] = []string{strings.Join(types, ", ")} }
}

// opensWith returns a change that replaces the message by initialize with a version, and removes the headers of
// MCP.
func opensWith(version revision.Revision) func(situation, *transport.Request) {
	return func(c situation, r *transport.Request) {
		for name := range r.Header {
			if strings.HasPrefix(strings.ToLower(name), "mcp-") && !c.has(http.CanonicalHeaderKey(name)) {
				mcphttp.DeleteHeader(r.Header, name)
			}
		}
		r.Body = initialize(version)
	}
}

func initialize(version revision.Revision) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"mcptea","version":"0"}}}`, version)
}

// trials holds all trials, in their order.
var trials = []trial{
	{
		"headers", substitution, func(c situation) string { return "without your headers " + strings.Join(c.userHeaders, ", ") },
		func(c situation) bool { return len(c.userHeaders) > 0 && c.control.status != 0 },
		func(c situation, r *transport.Request) {
			for _, name := range c.userHeaders {
				mcphttp.DeleteHeader(r.Header, name)
			}
			mcphttp.DeleteHeader(r.Header, "Authorization") // the credentials in the URL also set it
			if c.isPost() {
				r.Header["Content-Type"], r.Header["Accept"] = []string{mcphttp.JSONType}, []string{mcphttp.JSONType + ", " + mcphttp.StreamType}
			}
		},
	},
	{
		"accept-order", substitution, label("the types in Accept in the other order"),
		func(c situation) bool { return c.isPost() && !c.sse && c.status(400, 406) && !c.has("Accept") },
		accepts(mcphttp.StreamType, mcphttp.JSONType),
	},
	{
		"accept-json", substitution, label("only application/json in Accept"),
		func(c situation) bool { return c.isPost() && !c.sse && c.status(400, 406) && !c.has("Accept") },
		accepts(mcphttp.JSONType),
	},
	{
		"charset", substitution, label("Content-Type: application/json; charset=utf-8"),
		func(c situation) bool { return c.isPost() && c.status(415) && !c.has("Content-Type") },
		func(_ situation, r *transport.Request) {
			r.Header["Content-Type"] = []string{mcphttp.JSONType + "; charset=utf-8"}
		},
	},
	{
		"named", ablation, func(c situation) string { return "without " + c.named() },
		func(c situation) bool { return c.isPost() && c.isRefusal() && c.named() != "" },
		func(c situation, r *transport.Request) {
			mcphttp.DeleteHeader(r.Header, c.named())
			if c.named() == "Accept" {
				r.Header["Accept"] = []string{"*/*"} // as sent by curl
			}
		},
	},
	{
		"handshake", substitution, label("only initialize, as before 2026-07-28"),
		func(c situation) bool {
			return c.isPost() && !c.sse && c.isRefusal() && c.control.status/100 != 3 && slices.Contains([]string{"server/discover", "tools/list"}, c.method())
		},
		opensWith(revision.NewestHandshake),
	},
	{
		"older", substitution, label("initialize of " + string(olderVersion)),
		func(c situation) bool {
			return c.isPost() && !c.sse && c.method() == "initialize" && (c.status(400) || c.control.status/100 == 5) && !c.before
		},
		opensWith(olderVersion),
	},
	{
		"prefix", substitution, func(c situation) string { return "the endpoint below " + c.prefix() },
		func(c situation) bool { return c.sse && c.prefix() != "" && c.status(404, 405) },
		func(c situation, r *transport.Request) { r.URL.Path, r.URL.RawPath = c.prefix()+r.URL.Path, "" },
	},
	{
		"empty", ablation, label("without the body"),
		func(c situation) bool { return c.isPost() && c.isRefusal() },
		func(_ situation, r *transport.Request) { r.Body = nil },
	},
	{
		"elsewhere", relocation, label("GET of a made-up path"),
		func(c situation) bool { return c.control.status != 0 && !c.status(401) },
		func(_ situation, r *transport.Request) {
			r.Method, r.Body, r.URL.Path, r.URL.RawPath, r.URL.RawQuery, r.URL.User = http.MethodGet, nil, madeUp(), "", "", nil
			for name := range r.Header {
				if http.CanonicalHeaderKey(name) != "User-Agent" {
					mcphttp.DeleteHeader(r.Header, name)
				}
			}
		},
	},
	{
		"slash", substitution, label("the path with or without the slash at its end"),
		func(c situation) bool { return c.status(404, 405) && len(c.failed.URL.Path) > 1 && !c.sse },
		func(_ situation, r *transport.Request) {
			path, cut := strings.CutSuffix(r.URL.Path, "/")
			if !cut {
				path += "/"
			}
			r.URL.Path, r.URL.RawPath = path, ""
		},
	},
	{
		"agent", substitution, label("User-Agent: node"),
		func(c situation) bool {
			return c.isRefusal() && c.control.status/100 == 4 && !c.status(400, 404, 405, 406, 415, 422) && !c.has("User-Agent")
		},
		func(_ situation, r *transport.Request) { r.Header["User-Agent"] = []string{"node"} },
	},
}

// olderVersion is the version that is tried if initialize with the newest version fails.
const olderVersion = revision.R20250326
