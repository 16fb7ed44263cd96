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
	"mcptea/session/intercept"
	"mcptea/session/socket"
)

// Info describes an active tap. A caller owns what it gets.
type Info struct {
	PID       int       `json:"pid"`
	Name      string    `json:"name,omitempty"` // of the server in its host, HOST/SERVER
	Target    string    `json:"target"`         // without secrets
	Transport string    `json:"transport"`
	Listen    string    `json:"listen,omitempty"` // URL that the host connects to, over HTTP
	Since     time.Time `json:"since"`
	Sessions  []Session `json:"sessions"` // that have not ended, oldest first
	Socket    string    `json:"socket"`   // for [Attach]
}

// Session is one session between a host and a server.
type Session struct {
	// ID is the Session of held frames. It is empty over stdio.
	ID        string    `json:"id,omitempty"`
	Recording string    `json:"recording,omitempty"` // file, empty if none is written
	Since     time.Time `json:"since"`
}

// protocolVersion is that of the messages on the socket.
const protocolVersion = 2

// socketDir is the directory of the sockets under the state directory.
func socketDir(state string) string { return filepath.Join(state, "taps") }

// fromTap is a line on the socket to an inspector. All but the first have a state.
type fromTap struct {
	Version int              `json:"version,omitempty"` // in the first line
	Info    *Info            `json:"info"`
	State   *intercept.State `json:"state,omitempty"` // without the bytes of frames that were sent before
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

	mu          sync.Mutex
	info        Info
	connections map[*connection]struct{}
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
		gate: gate, initial: gate.State().Faults, listener: l, info: info,
		connections: map[*connection]struct{}{},
	}
	c.served.Go(c.accept)
	return c, nil
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
	c.mu.Unlock()
	_ = c.listener.Close()
	c.served.Wait()
}

func (c *Control) accept() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		a := &connection{Conn: conn, control: c, sent: map[int64]bool{}}
		c.mu.Lock()
		if c.closed {
			_ = conn.Close()
		}
		c.connections[a] = struct{}{}
		c.mu.Unlock()
		c.served.Go(a.serve)
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
func (c *Control) leave(a *connection) {
	c.mu.Lock()
	delete(c.connections, a)
	last := a.controls
	for other := range c.connections {
		last = last && !other.controls
	}
	c.mu.Unlock()
	if last {
		_ = c.gate.SetBreakpoints(nil)
		_ = c.gate.SetFaults(c.initial) // it was possible before
		c.gate.ForwardAll()
	}
}

// connection is that of one inspector.
type connection struct {
	net.Conn
	control *Control

	controls bool // it has sent a command; the lock of control guards it

	mu   sync.Mutex // of what is written
	sent map[int64]bool
}

// writeTimeout is how long an inspector may take to read.
const writeTimeout = 10 * time.Second

// serve sends the state as it changes and does what the inspector commands.
func (a *connection) serve() {
	defer a.control.leave(a)
	defer func() { _ = a.Close() }()
	states, stop := a.control.gate.Subscribe()
	defer stop()
	changed, stopInfo := a.control.changed.Subscribe()
	defer stopInfo()
	if a.write(fromTap{Version: protocolVersion, Info: a.control.snapshot()}) != nil || a.send(fromTap{}) != nil {
		return
	}
	done := make(chan struct{})
	var sender sync.WaitGroup
	defer sender.Wait()
	defer close(done)
	sender.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-states:
			case <-changed:
			}
			if a.send(fromTap{}) != nil {
				_ = a.Close()
				return
			}
		}
	})
	for commands := json.NewDecoder(a); ; {
		var m toTap
		if commands.Decode(&m) != nil {
			return
		}
		a.control.mu.Lock()
		a.controls = true
		a.control.mu.Unlock()
		reply := fromTap{Reply: m.ID}
		if err := a.do(m); err != nil {
			reply.Error = err.Error()
		}
		if a.send(reply) != nil {
			return
		}
	}
}

func (a *connection) do(m toTap) error {
	gate := a.control.gate
	switch {
	case m.Do == setBreakpoints:
		return gate.SetBreakpoints(m.Breakpoints)
	case m.Do == setFaults:
		return gate.SetFaults(m.Faults)
	case m.Do == decide && m.Decision != nil:
		return gate.Decide(m.Held, *m.Decision)
	case m.Do == setClock:
		return gate.SetClock(m.Held, m.Running)
	case m.Do == forwardAll:
		gate.ForwardAll()
		return nil
	}
	return errors.New("the tap does not support the command " + strconv.Quote(m.Do))
}

// send sends a reply, or nothing but the state, with what the tap is and the state of the
// gate. The bytes of a frame are sent once.
func (a *connection) send(m fromTap) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	state := a.control.gate.State()
	held := make(map[int64]bool, len(state.Held))
	for i := range state.Held {
		h := &state.Held[i]
		if held[h.ID] = true; a.sent[h.ID] {
			h.Bytes = nil
		}
	}
	a.sent = held
	m.Info, m.State = a.control.snapshot(), &state
	return a.write(m)
}

// write writes a line. The caller holds the lock, but for the first one.
func (a *connection) write(m fromTap) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := a.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err = a.Write(append(line, '\n'))
	return err
}
