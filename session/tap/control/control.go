// Package control implements the socket of an active tap, with package attach: [List] finds taps, [Attach]
// lets an inspector control the gate of one, and commands use its connection.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcptea/internal/signal"
	"mcptea/session/attach"
	"mcptea/session/intercept"
	"mcptea/session/tap/pipeline"
)

// Info describes an active tap. The caller owns it.
type Info struct {
	PID       int       `json:"pid"`              // process id of the tap
	Name      string    `json:"name,omitempty"`   // name of the server in its host: HOST/SERVER
	Target    string    `json:"target"`           // command line or URL, secrets redacted
	Transport string    `json:"transport"`        // "stdio" or "http"
	Listen    string    `json:"listen,omitempty"` // URL that the host connects to, over HTTP
	Since     time.Time `json:"since"`            // start time of the tap
	Sessions  []Session `json:"sessions"`         // sessions that have not ended, oldest first; null if there are none
	Socket    string    `json:"socket"`           // file through which an inspector attaches

	Watching string `json:"watching,omitempty"` // files watched with --watch
	Restarts int    `json:"restarts,omitempty"` // number of times that the server was replaced while its host stayed connected
	Status   string `json:"status,omitempty"`   // why there is no server
}

// Session is one session between a host and a server.
type Session struct {
	// ID is the id of the session in held frames, or "" over stdio.
	ID        string    `json:"id,omitempty"`
	Recording string    `json:"recording,omitempty"` // file, empty if no recording is written
	Since     time.Time `json:"since"`               // time at which the host connected
}

// fromTap is a line on the socket to an inspector: the state of the gate. There is one at
// first, one after each change, and one as the reply to a command.
type fromTap struct {
	State *intercept.State `json:"state"`           // without the bytes of frames that were sent before
	Reply int64            `json:"reply,omitempty"` // the ID of a command
	Error string           `json:"error,omitempty"` // error of the command that Reply names, or ""
	// Restarts reports a tap that restarts its server on command.
	Restarts bool `json:"restarts,omitempty"`
	// Consent is the page on which the user must sign in before the tap can continue, or nil.
	Consent *Consent `json:"consent,omitempty"`
}

// Consent is a page on which the user must sign in.
type Consent struct {
	URL    string `json:"url"`
	Issuer string `json:"issuer"`
}

// toTap is a line on the socket from an inspector: a command.
type toTap struct {
	ID int64 `json:"id"`
	// Do is the method of the gate.
	Do          string                 `json:"do"`
	Breakpoints []intercept.Breakpoint `json:"breakpoints,omitempty"`
	Faults      []intercept.Fault      `json:"faults,omitempty"`
	Held        int64                  `json:"held,omitempty"`
	Decision    *intercept.Decision    `json:"decision,omitempty"`
	Running     bool                   `json:"running,omitempty"` // the clock of the held frame
}

// The commands.
const (
	setBreakpoints = "breakpoints"
	setFaults      = "faults"
	decide         = "decide"
	setClock       = "clock"
	forwardAll     = "forward-all"
	restart        = "restart"
)

// Control serves the commands and the inspectors that attach to a tap, on a socket. A nil
// Control does nothing.
//
// When the last inspector that has sent a command closes its connection, all frames are forwarded, and the
// gate returns to its state at the start of the tap.
type Control struct {
	gate     *intercept.Gate
	initial  []intercept.Fault
	state    string // state directory of the sockets, or ""
	listener *attach.Listener
	shared   *pipeline.Shared

	mu          sync.Mutex
	info        Info
	restart     func() error // restarts the server, or nil if the tap does not restart one
	consent     *Consent     // consent page, or nil
	news        signal.Signal
	connections map[net.Conn]bool // connections of inspectors; true if it has sent a command
}

// New returns a control that listens on no socket.
func New(info Info, gate *intercept.Gate) *Control {
	info.PID, info.Since = os.Getpid(), time.Now()
	c := &Control{gate: gate, initial: gate.State().Faults, info: info, connections: map[net.Conn]bool{}}
	c.shared = pipeline.NewShared(c.describe)
	return c
}

// Serve is like New, for a control that listens on a socket under the state directory.
func Serve(state string, info Info, gate *intercept.Gate) (*Control, error) {
	c := New(info, gate)
	c.state = state
	var err error
	c.listener, err = attach.Serve(state, c.shared, map[string]attach.Handler{attach.Control: c.serve})
	return c, err
}

// Connection returns the connection of the tap that commands use.
func (c *Control) Connection() attach.Connection { return c.shared }

// describe describes the tap.
func (c *Control) describe() attach.Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	details, _ := json.Marshal(c.info) // only strings and times
	info := attach.Info{Kind: attach.Tap, Name: c.info.Name, Target: c.info.Target, Transport: c.info.Transport, Details: details}
	switch {
	case c.info.Listen != "" && c.info.Transport == "stdio":
		info.Problem = "the tap serves several hosts, and each session has its own initialize"
		info.Try = "Name one of its sessions: --attach without an ID lists them. Or connect as another host, with the URL that the tap has printed."
	case c.info.Listen != "":
		info.Problem = "a tap of a URL has no connection of its own: each request of its host has the credentials and the session of the host"
		info.Try = "Connect through the tap, which records that, too: " + c.info.Listen
	}
	return info
}

// Share lets commands use a connection over stdio. It returns nil for a nil Control. way sends their lines to
// the server.
func (c *Control) Share(way func(line []byte) bool) *pipeline.Shared {
	if c == nil {
		return nil
	}
	c.shared.Way = way // commands are served once the host has connected
	return c.shared
}

// Lend lets commands use the connection of one of several sessions, on a socket of its own, until end is called. It returns
// nil for a control without sockets. way sends their lines to the server.
func (c *Control) Lend(session string, way func(line []byte) bool) (shared *pipeline.Shared, end func()) {
	if c == nil || c.state == "" {
		return nil, nil
	}
	shared = pipeline.NewShared(func() attach.Info {
		c.mu.Lock()
		defer c.mu.Unlock()
		return attach.Info{Kind: attach.Tap, Name: session, Target: c.info.Target, Transport: c.info.Transport}
	})
	shared.Way = way
	listener, err := attach.Serve(c.state, shared, nil)
	if err != nil {
		return nil, nil // as for a tap whose socket cannot be made
	}
	return shared, listener.Close
}

// Restarts sets the function with which a command restarts the server of the tap: do starts that, and does not
// wait.
func (c *Control) Restarts(watching string, do func() error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info.Watching, c.restart = watching, do
	c.news.Notify()
}

// Status sets the number of restarts of the server, and the reason why it does not run, or "".
func (c *Control) Status(status string, restarts int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info.Status, c.info.Restarts = status, restarts
}

// Consent sets the consent page that the tap waits for, or nil when the tap no longer waits.
func (c *Control) Consent(at *Consent) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.consent = at
	c.news.Notify()
}

// Close ends all connections and removes the socket.
func (c *Control) Close() {
	if c != nil {
		c.listener.Close()
	}
}

// Begin adds a session.
func (c *Control) Begin(s Session) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info.Sessions = append(c.info.Sessions, s)
}

// End removes a session.
func (c *Control) End(id string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info.Sessions = slices.DeleteFunc(c.info.Sessions, func(s Session) bool { return s.ID == id })
}

// leave removes a connection. If no other inspector has sent commands, the gate is reset.
func (c *Control) leave(conn net.Conn) {
	c.mu.Lock()
	last := c.connections[conn]
	delete(c.connections, conn)
	for _, controls := range c.connections {
		last = last && !controls
	}
	c.mu.Unlock()
	if last {
		_ = c.gate.SetBreakpoints(nil)
		_ = c.gate.SetFaults(c.initial) // the faults were valid before
		c.gate.ForwardAll()
	}
}

// writeTimeout bounds the wait for an inspector to read.
const writeTimeout = 10 * time.Second

// serve sends an inspector the state whenever it changes, and executes its commands.
func (c *Control) serve(_ context.Context, in io.Reader, conn net.Conn) {
	defer c.leave(conn)
	states, stop := c.gate.Subscribe()
	defer stop()
	news, stopNews := c.news.Subscribe()
	defer stopNews()
	commands := make(chan toTap)
	go func() {
		defer close(commands)
		for lines := json.NewDecoder(in); ; {
			var m toTap
			if lines.Decode(&m) != nil {
				return
			}
			commands <- m
		}
	}()
	defer func() {
		_ = conn.Close()
		for range commands { // wait until the goroutine ends
			continue
		}
	}()
	sent := map[int64]bool{} // frames that the inspector has received
	for reply := (fromTap{}); c.send(conn, reply, sent) == nil; {
		reply = fromTap{}
		select {
		case <-states:
		case <-news:
		case m, ok := <-commands:
			if !ok {
				return
			}
			if m.Do != restart { // a restart does not use the gate
				c.mu.Lock()
				c.connections[conn] = true
				c.mu.Unlock()
			}
			reply.Reply = m.ID
			if err := c.do(m); err != nil {
				reply.Error = err.Error()
			}
		}
	}
}

func (c *Control) do(m toTap) error {
	switch {
	case m.Do == setBreakpoints:
		return c.gate.SetBreakpoints(m.Breakpoints)
	case m.Do == setFaults:
		return c.gate.SetFaults(m.Faults)
	case m.Do == decide && m.Decision != nil:
		return c.gate.Decide(m.Held, *m.Decision)
	case m.Do == setClock:
		return c.gate.SetClock(m.Held, m.Running)
	case m.Do == forwardAll:
		c.gate.ForwardAll()
		return nil
	case m.Do == restart:
		return c.restartServer()
	}
	return errors.New("the tap does not support the command " + strconv.Quote(m.Do))
}

// errNoRestart is the error of a tap that copies the bytes of one server.
var errNoRestart = errors.New("the tap does not restart its server: start it with mcptea tap --watch")

func (c *Control) restartServer() error {
	c.mu.Lock()
	do := c.restart
	c.mu.Unlock()
	if do == nil {
		return errNoRestart
	}
	return do()
}

// send sends a line with the state of the gate. The bytes of a frame are sent once.
func (c *Control) send(conn net.Conn, m fromTap, sent map[int64]bool) error {
	state := c.gate.State()
	for i := range state.Held {
		if h := &state.Held[i]; sent[h.ID] {
			h.Bytes = nil
		}
	}
	clear(sent)
	for _, h := range state.Held {
		sent[h.ID] = true
	}
	m.State = &state
	c.mu.Lock()
	m.Restarts, m.Consent = c.restart != nil, c.consent
	c.mu.Unlock()
	return writeLine(conn, m, writeTimeout)
}

// writeLine writes a line to a socket.
func writeLine(conn net.Conn, m any, timeout time.Duration) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_ = conn.SetWriteDeadline(time.Now().Add(timeout)) // if this fails, writing fails too
	_, err = conn.Write(append(line, '\n'))
	return err
}
