package tap

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcptea/internal/signal"
	"mcptea/session/attach"
	"mcptea/session/attach/socket"
	"mcptea/session/intercept"
)

// Info describes an active tap. A caller owns what it gets.
type Info struct {
	PID       int       `json:"pid"`              // process id of the tap
	Name      string    `json:"name,omitempty"`   // of the server in its host, HOST/SERVER
	Target    string    `json:"target"`           // command line or URL, secrets redacted
	Transport string    `json:"transport"`        // "stdio" or "http"
	Listen    string    `json:"listen,omitempty"` // URL that the host connects to, over HTTP
	Since     time.Time `json:"since"`            // when the tap was started
	Sessions  []Session `json:"sessions"`         // that have not ended, oldest first; null without one
	Socket    string    `json:"socket"`           // file through which an inspector attaches
}

// Session is one session between a host and a server.
type Session struct {
	// ID is that of the session in held frames; empty over stdio.
	ID        string    `json:"id,omitempty"`
	Recording string    `json:"recording,omitempty"` // file, empty if no recording is written
	Since     time.Time `json:"since"`               // when the host connected
}

// protocolVersion is that of the messages on the socket.
const protocolVersion = 3

// socketDir is the directory of the sockets under the state directory.
func socketDir(state string) string { return filepath.Join(state, "taps") }

// fromTap is a line on the socket to an inspector: what the tap is, and the state of the
// gate. There is one at first, one after each change, and one as the reply to a command.
type fromTap struct {
	Version int              `json:"version"`
	Info    *Info            `json:"info"`
	State   *intercept.State `json:"state"`           // without the bytes of frames that were sent before
	Reply   int64            `json:"reply,omitempty"` // the ID of a command
	Error   string           `json:"error,omitempty"` // with Reply
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
)

// Control serves the inspectors that attach to a tap, on a socket. A nil Control does
// nothing.
//
// When the last inspector that has sent a command closes its connection, all frames
// are forwarded, and the gate is as it was at the start of the tap.
type Control struct {
	gate     *intercept.Gate
	initial  []intercept.Fault
	listener *socket.Listener
	served   sync.WaitGroup
	changed  signal.Signal // of the information
	state    string        // directory
	commands *attach.Listener

	mu          sync.Mutex
	info        Info
	connections map[net.Conn]bool // whether the inspector has sent a command
	closed      bool
}

// Serve listens on a socket under the state directory.
func Serve(state string, info Info, gate *intercept.Gate) (*Control, error) {
	info.PID, info.Since = os.Getpid(), time.Now()
	l, err := socket.Listen(socketDir(state), strconv.Itoa(info.PID))
	if err != nil {
		return nil, err
	}
	info.Socket = l.Path()
	c := &Control{
		gate: gate, initial: gate.State().Faults, listener: l, info: info, state: state,
		connections: map[net.Conn]bool{},
	}
	c.served.Go(c.accept)
	if info.Listen != "" {
		c.share(viaProxy{info: info})
	}
	return c, nil
}

// share lets commands use a connection. Without a socket the tap works as usual.
func (c *Control) share(shared attach.Connection) {
	l, err := attach.Serve(c.state, shared, nil)
	c.mu.Lock()
	closed := c.closed
	if err == nil && !closed {
		c.commands = l
	}
	c.mu.Unlock()
	if err == nil && closed {
		l.Close()
	}
}

// shareStdio lets commands use a connection over stdio; nil for a nil Control.
func (c *Control) shareStdio(out *direction) *shared {
	if c == nil {
		return nil
	}
	s := newShared(out, *c.snapshot())
	c.share(s)
	return s
}

// Close ends all connections and removes the socket.
func (c *Control) Close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.closed = true // closing twice does no harm
	for conn := range c.connections {
		_ = conn.Close()
	}
	commands := c.commands
	c.mu.Unlock()
	commands.Close()
	_ = c.listener.Close()
	c.served.Wait()
}

func (c *Control) accept() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		if c.closed {
			_ = conn.Close()
		}
		c.connections[conn] = false
		c.mu.Unlock()
		c.served.Go(func() { c.serve(conn) })
	}
}

// begin adds a session.
func (c *Control) begin(s Session) {
	if c == nil {
		return
	}
	c.change(func() { c.info.Sessions = append(c.info.Sessions, s) })
}

// end removes a session.
func (c *Control) end(id string) {
	if c == nil {
		return
	}
	c.change(func() {
		c.info.Sessions = slices.DeleteFunc(c.info.Sessions, func(s Session) bool { return s.ID == id })
	})
}

// change changes the information and sends it to all inspectors.
func (c *Control) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	c.changed.Notify()
}

// snapshot is a copy of the information.
func (c *Control) snapshot() *Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	info := c.info
	info.Sessions = slices.Clone(info.Sessions)
	return &info
}

// leave removes a connection. Without another one that has sent commands, the gate
// is reset.
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
		_ = c.gate.SetFaults(c.initial) // it was possible before
		c.gate.ForwardAll()
	}
}

// writeTimeout is how long an inspector may take to read.
const writeTimeout = 10 * time.Second

// serve sends an inspector the state as it changes and does what it commands.
func (c *Control) serve(conn net.Conn) {
	defer c.leave(conn)
	states, stop := c.gate.Subscribe()
	defer stop()
	changed, stopInfo := c.changed.Subscribe()
	defer stopInfo()
	commands := make(chan toTap)
	go func() {
		defer close(commands)
		for lines := json.NewDecoder(conn); ; {
			var m toTap
			if lines.Decode(&m) != nil {
				return
			}
			commands <- m
		}
	}()
	defer func() {
		_ = conn.Close()
		for range commands { // until the goroutine ends
			continue
		}
	}()
	sent := map[int64]bool{} // frames that the inspector knows
	for reply := (fromTap{}); c.send(conn, reply, sent) == nil; {
		reply = fromTap{}
		select {
		case <-states:
		case <-changed:
		case m, ok := <-commands:
			if !ok {
				return
			}
			c.mu.Lock()
			c.connections[conn] = true
			c.mu.Unlock()
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
	}
	return errors.New("the tap does not support the command " + strconv.Quote(m.Do))
}

// send sends a line with what the tap is and the state of the gate. The bytes of a frame
// are sent once.
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
	m.Version, m.Info, m.State = protocolVersion, c.snapshot(), &state
	return writeLine(conn, m, writeTimeout)
}

// writeLine writes a line to a socket.
func writeLine(conn net.Conn, m any, timeout time.Duration) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_ = conn.SetWriteDeadline(time.Now().Add(timeout)) // else writing fails
	_, err = conn.Write(append(line, '\n'))
	return err
}
