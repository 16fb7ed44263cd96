// Package attach lets a command use the connection of another process, such as a running inspector or tap.
// The process serves a Unix socket, to which only its user can connect. The command sends its frames there,
// and receives the responses to its own requests and their progress, as over a connection of its own.
//
// On the socket, the process first describes itself in one line of JSON. Then each side sends one frame per
// line. A line of the process that begins with "!" reports that a request gets no response. A first line
// "!agent" instead of a frame makes an inspector serve a coding agent, "!control" makes a tap serve an
// inspector (package tap), and "!notifications" makes the process also send its notifications, as mcptea
// listen prints them.
//
// The process gives each request a new id, and restores the id of the command in the response. It responds to
// initialize with the result that it received itself. Commands do not get requests of the server, or
// notifications for other commands except progress.
package attach

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// version is the version of the protocol on the socket.
const version = 2

// The kinds of processes that share a connection.
const (
	Inspector = "inspector"
	Tap       = "tap"
)

// Info describes a connection that is shared.
type Info struct {
	Version   int               `json:"version"`
	ID        string            `json:"id"`             // process id; with a number for a further session of an inspector, as in 4711-2
	Kind      string            `json:"kind"`           // [Inspector] or [Tap]
	Name      string            `json:"name,omitempty"` // name of the server in its host: HOST/SERVER
	Target    string            `json:"target"`         // without secrets
	Transport string            `json:"transport"`
	Revision  revision.Revision `json:"protocol_version,omitempty"`
	Details   json.RawMessage   `json:"details,omitempty"` // what else describes a tap, for package tap
	Socket    string            `json:"-"`                 // file
	// Tasks are the tasks that the process knows, oldest first, at most maxTasks.
	Tasks []client.SharedTask `json:"tasks,omitempty"`
	// Problem says why commands cannot use the connection now, and Try what to do;
	// empty if they can.
	Problem string `json:"problem,omitempty"`
	Try     string `json:"try,omitempty"`
	// Full has the process refuse this connection, since it serves as many as it can.
	Full bool `json:"full,omitempty"`
	// Notifications requests that a command receives the notifications that the process receives.
	Notifications bool `json:"-"`
}

// The uses of a socket besides commands, and the lines that select them.
const (
	Agent   = "!agent"   // the MCP server for coding agents of an inspector
	Control = "!control" // the gate of a tap
)

// notificationsLine is the line of a command that listens.
const notificationsLine = "!notifications"

// maxTasks bounds the tasks of a description: the newest of them.
const maxTasks = 100

// lost is a line about a request without a response.
type lost struct {
	ID    jsonrpc.ID `json:"id"`
	Error string     `json:"error"`
}

// dir is the directory of the sockets under the state directory.
func dir(state string) string { return filepath.Join(state, "connections") }

// Directory returns the directory that contains the socket of each shared connection, so that the caller can
// watch it for new and removed ones. It is created if necessary.
func Directory(state string) (string, error) {
	if err := os.MkdirAll(dir(state), 0o700); err != nil {
		return "", fmt.Errorf("cannot create the directory of sockets: %w", err)
	}
	return dir(state), nil
}

// maxLine bounds a frame that a process sends, like a line over stdio. maxOwn bounds a frame of a
// command, because only responses are large. A longer frame ends the connection.
const (
	maxLine = 64 << 20
	maxOwn  = 16 << 20
)

// newScanner reads lines of at most a number of bytes.
func newScanner(r io.Reader, most int) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), most)
	return s
}

// withID returns a request with another id, which is its progress token, too, if it has one.
func withID(frame []byte, e jsonrpc.Envelope, id jsonrpc.ID) []byte {
	token := jsonrpc.SpanOf(frame, jsonrpc.Get(e.Params.Of(frame), "_meta", "progressToken"))
	if token.Start > e.ID.Span().Start { // the later one first: the other span stays true
		return e.ID.Replace(token.Replace(frame, id.Bytes()), id)
	}
	return token.Replace(e.ID.Replace(frame, id), id.Bytes())
}
