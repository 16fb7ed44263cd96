package control

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
	"mcptea/internal/system"
	"mcptea/session/attach"
	"mcptea/session/intercept"
)

const (
	// attachTimeout bounds the wait of Attach for a tap, and replyTimeout the time of a command.
	attachTimeout = 5 * time.Second
	replyTimeout  = 5 * time.Second
)

// Active is like [List] for the state directory of the user.
func Active(ctx context.Context) ([]Info, error) {
	state, err := system.StateDir()
	if err != nil {
		return nil, fmt.Errorf("cannot find the active taps: %w", err)
	}
	return List(ctx, state)
}

// List returns the active taps of the user, oldest first. state is the state
// directory. Sockets of taps that have ended are removed; a tap that does not respond
// is left out.
func List(ctx context.Context, state string) (taps []Info, err error) {
	all, err := attach.List(ctx, state)
	if err != nil {
		return nil, fmt.Errorf("cannot list the active taps: %w", err)
	}
	for _, i := range all {
		var info Info
		if i.Kind == attach.Tap && json.Unmarshal(i.Details, &info) == nil {
			info.Socket = i.Socket
			taps = append(taps, info)
		}
	}
	slices.SortStableFunc(taps, func(a, b Info) int { return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) })
	return taps, nil
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
	reply  chan error // receives the reply to the newest command; one slot
	signal signal.Signal
	err    error // why the connection ended
}

// Attach connects to the socket of an active tap.
func Attach(ctx context.Context, path string) (*Attached, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	conn, in, err := attach.Dial(ctx, path, attach.Control)
	if err != nil {
		return nil, fmt.Errorf("cannot attach to the tap: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	a := &Attached{conn: conn, done: make(chan struct{}), commanding: make(chan struct{}, 1)}
	lines := json.NewDecoder(in)
	if err = lines.Decode(&a.newest); err == nil && a.newest.State == nil {
		err = errors.New("it has sent no state")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot attach to the tap: %w", errors.Join(cmp.Or(context.Cause(ctx), err), conn.Close()))
	}
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
		if m.State != nil {
			a.handleLine(m)
		}
	}
}

// handleLine handles a line of the tap.
func (a *Attached) handleLine(m fromTap) {
	a.mu.Lock()
	defer a.mu.Unlock()
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

// Done returns a channel that is closed when the connection ends, mostly because the tap ends.
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

// Subscribe is like [intercept.Gate.Subscribe]; there is a token even when the connection ends.
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

// Restart makes the tap restart its server, and returns when the restart has begun. The error is the reason why
// it has not.
func (a *Attached) Restart() error { return a.command(toTap{Do: restart}) }

// Restarts reports whether the tap restarts its server on command.
func (a *Attached) Restarts() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.newest.Restarts
}

// Consent returns the page on which the user must sign in before the tap can continue, or nil.
func (a *Attached) Consent() *Consent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.newest.Consent
}

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
		return errors.New("the tap does not respond")
	}
}
