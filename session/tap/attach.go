package tap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"mcptea/internal/signal"
	"mcptea/session/attach/socket"
	"mcptea/session/intercept"
)

const (
	// listTimeout is how long List waits for taps, attachTimeout how long Attach
	// does for one, and replyTimeout how long a command may take.
	listTimeout   = time.Second
	attachTimeout = 5 * time.Second
	replyTimeout  = 5 * time.Second
)

// List returns the active taps of the user, oldest first. state is the state
// directory. Sockets of taps that have ended are removed; a tap that does not respond
// is left out.
func List(ctx context.Context, state string) ([]Info, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	all, err := socket.Each(socketDir(state), func(path string) (info Info, ok bool) {
		conn, _, m, err := dial(ctx, path)
		if err != nil {
			return info, false
		}
		_ = conn.Close()
		return *m.Info, true
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the active taps: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Info) int { return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) })
	return all, nil
}

// dial connects to a tap and reads its first line.
func dial(ctx context.Context, path string) (conn net.Conn, lines *json.Decoder, m fromTap, err error) {
	if conn, err = socket.Dial(ctx, path); err != nil {
		return nil, nil, m, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	lines = json.NewDecoder(conn)
	err = lines.Decode(&m)
	switch {
	case !stop():
		err = context.Cause(ctx)
	case err != nil:
		err = fmt.Errorf("cannot read from the tap on %s: %w", path, err)
	case m.Version != protocolVersion || m.Info == nil || m.State == nil:
		err = fmt.Errorf("the tap on %s is of another version of mcptea", path)
	default:
		m.Info.Socket = path
		return conn, lines, m, nil
	}
	return nil, nil, m, errors.Join(err, conn.Close())
}

// Attached is a connection to an active tap, whose gate it controls. It has the methods
// of a [intercept.Gate]. They may be called from any goroutine.
type Attached struct {
	conn       net.Conn
	done       chan struct{}
	commanding chan struct{} // has an element while a command waits for its reply

	mu     sync.Mutex
	newest fromTap
	last   int64      // ID of a command
	reply  chan error // of the last command; of one slot
	signal signal.Signal
	err    error // why the connection ended
}

// Attach connects to the socket of an active tap.
func Attach(ctx context.Context, path string) (*Attached, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	conn, lines, m, err := dial(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("cannot attach to the tap: %w", err)
	}
	a := &Attached{conn: conn, done: make(chan struct{}), commanding: make(chan struct{}, 1), newest: m}
	go a.read(lines)
	return a, nil
}

// read takes the lines of the tap until the connection ends.
func (a *Attached) read(lines *json.Decoder) {
	for {
		var m fromTap
		if err := lines.Decode(&m); err != nil {
			_ = a.conn.Close()
			a.mu.Lock()
			defer a.mu.Unlock()
			a.err = fmt.Errorf("the connection to the tap has ended: %w", err)
			a.newest.State = &intercept.State{Breakpoints: a.newest.State.Breakpoints, Faults: a.newest.State.Faults}
			a.answer(a.err)
			a.signal.Notify()
			close(a.done)
			return
		}
		if m.Info != nil && m.State != nil {
			a.take(m)
		}
	}
}

// take takes a line of the tap.
func (a *Attached) take(m fromTap) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m.Info.Socket = a.newest.Info.Socket
	for i := range m.State.Held {
		h := &m.State.Held[i]
		at := slices.IndexFunc(a.newest.State.Held, func(old intercept.Held) bool { return old.ID == h.ID })
		if h.Bytes == nil && at >= 0 {
			h.Bytes = a.newest.State.Held[at].Bytes
		}
	}
	a.newest = m
	if m.Reply != 0 && m.Reply == a.last {
		var err error
		if m.Error != "" {
			err = errors.New(m.Error)
		}
		a.answer(err)
	}
	a.signal.Notify()
}

// answer ends the last command, unless that has ended. The caller holds the lock.
func (a *Attached) answer(err error) {
	select {
	case a.reply <- err:
	default:
	}
}

// Info describes the tap, with its current sessions. The caller must not change them.
func (a *Attached) Info() Info {
	a.mu.Lock()
	defer a.mu.Unlock()
	return *a.newest.Info
}

// Done is closed when the connection ends, mostly because the tap does.
func (a *Attached) Done() <-chan struct{} { return a.done }

// Close ends the connection: the tap forwards all frames.
func (a *Attached) Close() error {
	err := a.conn.Close()
	<-a.done
	return err
}

// State is like [intercept.Gate.State]. It is up to date after a command has returned.
func (a *Attached) State() intercept.State {
	a.mu.Lock()
	defer a.mu.Unlock()
	state := *a.newest.State
	state.Breakpoints, state.Faults, state.Held = slices.Clone(state.Breakpoints), slices.Clone(state.Faults), slices.Clone(state.Held)
	return state
}

// Subscribe is like [intercept.Gate.Subscribe]; there is a token also when Info has
// changed, and when the connection ends.
func (a *Attached) Subscribe() (<-chan struct{}, func()) { return a.signal.Subscribe() }

// SetBreakpoints is like [intercept.Gate.SetBreakpoints].
func (a *Attached) SetBreakpoints(list []intercept.Breakpoint) error {
	return a.command(toTap{Do: setBreakpoints, Breakpoints: list})
}

// SetFaults is like [intercept.Gate.SetFaults].
func (a *Attached) SetFaults(list []intercept.Fault) error {
	return a.command(toTap{Do: setFaults, Faults: list})
}

// Decide is like [intercept.Gate.Decide].
func (a *Attached) Decide(id int64, d intercept.Decision) error {
	return a.command(toTap{Do: decide, Held: id, Decision: &d})
}

// SetClock is like [intercept.Gate.SetClock].
func (a *Attached) SetClock(id int64, running bool) error {
	return a.command(toTap{Do: setClock, Held: id, Running: running})
}

// ForwardAll is like [intercept.Gate.ForwardAll]. It does nothing when the connection
// has ended: the tap has forwarded all frames then.
func (a *Attached) ForwardAll() { _ = a.command(toTap{Do: forwardAll}) }

// command sends a command and waits for the reply.
func (a *Attached) command(m toTap) error {
	a.commanding <- struct{}{}
	defer func() { <-a.commanding }()
	reply := make(chan error, 1)
	a.mu.Lock()
	a.last++
	m.ID, a.reply = a.last, reply
	err := a.err
	a.mu.Unlock()
	if err != nil {
		return err
	}
	if err := writeLine(a.conn, m, replyTimeout); err != nil {
		return fmt.Errorf("cannot send to the tap: %w", err)
	}
	select {
	case err := <-reply:
		return err
	case <-time.After(replyTimeout):
		return fmt.Errorf("the tap with process id %d does not respond", a.Info().PID)
	}
}
