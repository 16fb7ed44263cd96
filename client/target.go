package client

import (
	"net/http"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/client/transport/streamable"
)

// Target is a server: a command to run or a URL to speak to.
type Target struct {
	Argv []string // stdio when not empty
	Env  []string // the whole environment of the command
	Dir  string   // its working directory
	// Patience is how long the command may take to end after its stdin was
	// closed; the transport's own idea when zero.
	Patience time.Duration

	URL    string      // Streamable HTTP when Argv is empty
	Header http.Header // sent with each HTTP request
}

// IsStdio reports whether the target is a command.
func (t Target) IsStdio() bool { return len(t.Argv) > 0 }

// TransportName is "stdio" or "http".
func (t Target) TransportName() string {
	if t.IsStdio() {
		return "stdio"
	}
	return "http"
}

// String is the command line or the URL, secrets masked.
func (t Target) String() string {
	if t.IsStdio() {
		return strings.Join(transport.MaskArgs(t.Argv), " ")
	}
	return transport.MaskURL(t.URL)
}

func (t Target) transport(lost func(jsonrpc.ID, error)) transport.Transport {
	if t.IsStdio() {
		return stdio.New(stdio.Config{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Patience: t.Patience})
	}
	return streamable.New(streamable.Config{URL: t.URL, Header: t.Header, Lost: lost})
}
