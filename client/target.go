package client

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
)

// Target is a server: a command or a URL. Its methods, such as [Target.ShownURL], return its parts
// without secrets. Other code must not display the fields.
type Target struct {
	Argv []string // stdio when not empty
	Env  []string // the whole environment of the command
	Dir  string   // working directory of the server
	// Grace is the grace period of the command to exit after its stdin was
	// closed; the default of the transport if zero.
	Grace time.Duration
	// Idle ends the grace period early if the command has been idle for this long. Zero never does.
	Idle time.Duration
	// KillLeft also ends descendants of the command that have left its process group. Mark is a
	// variable in Env that identifies them; see [stdio.Config].
	KillLeft bool
	Mark     string
	// Piece and PieceInterval split the frames to the command into pieces; see [stdio.Config].
	Piece         int
	PieceInterval time.Duration

	URL    string      // HTTP when Argv is empty
	Header http.Header // sent with each HTTP request
	TLS    mcphttp.TLS // settings for the origin of the URL

	// Private holds values that the user has given as secrets, or that were taken from variables. They are
	// redacted in any form and at any place in the words, the environment, the URL and the headers.
	Private []string

	// Transport is the transport to the URL: [TransportHTTP], [TransportSSE], or,
	// when empty, Streamable HTTP with a fallback to HTTP+SSE.
	Transport string

	// Dial connects to the server of the URL without the network, or is nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Shared is a connection that another process has opened, instead of a command or a URL.
	Shared *Shared

	// Entry is the entry of a configuration file that the target was read from, or nil.
	Entry *Entry
}

// An Entry is the place of a server in a configuration file.
type Entry struct {
	Host    string `json:"host,omitempty"`    // name of the application that reads the file; empty if the user has named the file
	File    string `json:"file"`              // path
	Line    int    `json:"line,omitempty"`    // first line of the entry, from 1
	Pointer string `json:"pointer,omitempty"` // JSON Pointer of the entry in the file
}

// Shared is a connection that another process has opened.
type Shared struct {
	Name      string // name of the server, its secrets masked
	By        string // the process, such as "inspector 4711"
	Transport string // transport of the connection; see [Target.TransportName]
	Revision  revision.Revision
	// Dial makes a transport that sends requests over the connection. It calls lost
	// for a request that will get no response.
	Dial func(lost func(jsonrpc.ID, error)) transport.Transport
	// Tasks lists the tasks that the process knows, oldest first.
	Tasks []SharedTask
}

// SharedTask is a task on the connection of another process.
type SharedTask struct {
	ID      string    `json:"id"`
	Status  string    `json:"status"`
	Tool    string    `json:"tool,omitempty"` // tool that was called, or "" if unknown
	Created time.Time `json:"created"`        // when the process has first seen it
}

// The transports to a URL.
const (
	TransportHTTP = "http" // Streamable HTTP, since 2025-03-26
	TransportSSE  = "sse"  // HTTP+SSE, of 2024-11-05
)

// IsStdio reports whether the target is a command.
func (t Target) IsStdio() bool { return len(t.Argv) > 0 }

// IsInsecure reports whether the certificate of the server is not verified.
func (t Target) IsInsecure() bool { return t.TLS.Insecure && strings.HasPrefix(t.URL, "https:") }

// TransportName returns "stdio", "http" or "sse". It returns "http" for a URL with a fallback; [Client.Target]
// reports whether the fallback was used.
func (t Target) TransportName() string {
	switch {
	case t.Shared != nil:
		return t.Shared.Transport
	case t.IsStdio():
		return "stdio"
	case t.Transport == TransportSSE:
		return TransportSSE
	}
	return TransportHTTP
}

// String returns the command line or the URL, secrets masked.
func (t Target) String() string {
	switch {
	case t.Shared != nil:
		return t.Shared.Name
	case t.IsStdio():
		return strings.Join(t.Shown(t.Argv), " ")
	}
	return t.ShownURL()
}

// Shown returns words of a command line with secrets masked: the secrets of the target, and those recognized in
// the words.
func (t Target) Shown(words []string) []string {
	known, shown := t.Secrets(), slices.Clone(words)
	for i := range shown {
		shown[i] = known.Redact(shown[i]) // redact whole words before parts of them are masked
	}
	return secret.Args(shown)
}

// ShownURL returns the URL with secrets masked: the secrets of the target, and those recognized in the URL.
func (t Target) ShownURL() string { return t.Secrets().RedactURL(t.URL) }

// ShownDir returns the working directory, secrets masked.
func (t Target) ShownDir() string { return t.Redact(t.Dir) }

// ShownHeader returns the headers, secrets masked.
func (t Target) ShownHeader() http.Header { return t.Secrets().RedactHeader(t.Header) }

// Redact returns a text with the secrets of the target redacted. Every text about a target or its
// server passes through Redact or one of the methods above before it is displayed or written. A
// [Client] and a session add the secrets of their connection.
func (t Target) Redact(text string) string { return t.Secrets().Redact(text) }

// Secrets returns a new set with the secrets of the target.
func (t Target) Secrets() *secret.Values {
	var v secret.Values
	t.AddSecrets(&v)
	return &v
}

// AddSecrets adds the secrets of the target to a set: the secrets that the user declared, and the secrets
// in its arguments and environment, or in its URL and headers.
func (t Target) AddSecrets(v *secret.Values) {
	if t.IsStdio() {
		v.AddFound(secret.FindArgs(t.Argv), t.Argv...)
		v.AddEnv(t.Env)
	} else {
		v.AddHeader(t.Header)
		v.AddFound(secret.FindURL(t.URL), t.URL)
	}
	v.AddGiven(t.Private...) // added last, so that they are dropped last
}

// headers returns the headers of one message.
type headers = func(frame []byte, e jsonrpc.Envelope) http.Header

// transportDeps holds the functions of the client that a transport needs.
type transportDeps struct {
	lost    func(jsonrpc.ID, error)
	expired func(error)
	routing headers
	auth    transport.Authorization
	lenient bool
	secrets *secret.Values
}

func (t Target) transport(l transportDeps) transport.Transport {
	if t.Shared != nil {
		return t.Shared.Dial(l.lost)
	}
	if t.IsStdio() {
		return stdio.New(stdio.Config{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Grace: t.Grace, Idle: t.Idle, KillLeft: t.KillLeft, Mark: t.Mark, Piece: t.Piece, PieceInterval: t.PieceInterval})
	}
	switch t.Transport {
	case TransportSSE:
		return t.httpSSE(l, 0)
	case TransportHTTP:
		return t.streamable(l)
	}
	return newAutoTransport(t, l, t.streamable(l))
}

func (t Target) streamable(l transportDeps) *mcphttp.Streamable {
	return mcphttp.NewStreamable(mcphttp.Config{
		URL: t.URL, Header: t.Header, Secrets: l.secrets, Authorization: l.auth, Lenient: l.lenient, Lost: l.lost, Expired: l.expired, PerRequest: l.routing, Dial: t.Dial, TLS: t.TLS,
	})
}

// httpSSE returns an HTTP+SSE transport whose exchange numbers continue after exchanges.
func (t Target) httpSSE(l transportDeps, exchanges uint32) *mcphttp.SSE {
	return mcphttp.NewSSE(mcphttp.Config{
		URL: t.URL, Header: t.Header, Secrets: l.secrets, Authorization: l.auth, Lenient: l.lenient, Exchanges: exchanges, Dial: t.Dial, TLS: t.TLS,
	})
}
