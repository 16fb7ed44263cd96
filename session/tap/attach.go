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
	"mcptea/session/intercept"
	"mcptea/session/socket"
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
	paths, err := socket.List(socketDir(state))
	if err != nil {
		return nil, fmt.Errorf("cannot list the active taps: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	found := make([]*Info, len(paths))
	var wait sync.WaitGroup
	for i, path := range paths {
		wait.Go(func() {
			conn, err := socket.Dial(ctx, path)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			if m, err := firstLine(json.NewDecoder(conn), path); err == nil {
				found[i] = m
			}
		})
	}
	wait.Wait()
	var all []Info
	for _, info := range found {
		if info != nil {
			all = append(all, *info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return cmp.Or(a.Since.Compare(b.Since), a.PID-b.PID) })
	return all, nil
}

// firstLine reads what a tap sends first.
func firstLine(lines *json.Decoder, path string) (*Info, error) {
	var m fromTap
	if err := lines.Decode(&m); err != nil {
		return nil, fmt.Errorf("cannot read from the tap on %s: %w", path, err)
	}
	if m.Version != protocolVersion || m.Info == nil {
		return nil, fmt.Errorf("the tap on %s is of another version of mcptea", path)
	}
	m.Info.Socket = path
	return m.Info, nil
}

// Attached is a connection to an active tap, whose gate it controls. It has the methods
// of a [intercept.Gate]. They may be called from any goroutine.
type Attached struct {
	conn    net.Conn
	done    chan struct{}
	writing sync.Mutex

	mu      sync.Mutex
	info    Info
	state   intercept.State
	replies map[int64]chan error
	last    int64 // ID of a command
	signal  signal.Signal
	err     error // why the connection ended
}

// Attach connects to the socket of an active tap.
func Attach(ctx context.Context, path string) (*Attached, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	conn, err := socket.Dial(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("cannot attach to the tap: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	lines := json.NewDecoder(conn)
	info, err := firstLine(lines, path)
	a := &Attached{
		conn: conn, done: make(chan struct{}), replies: map[int64]chan error{},
	}
	if err == nil {
		a.info = *info
		var m fromTap
		if err = lines.Decode(&m); err == nil {
			a.take(m)
		}
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("cannot attach to the tap: %w", err)
	}
	go a.read(lines)
	return a, nil
}

func (a *Attached) read(lines *json.Decoder) {
	for {
		var m fromTap
		if err := lines.Decode(&m); err != nil {
			a.end(err)
			return
		}
		a.take(m)
	}
}

// take takes a line of the tap.
func (a *Attached) take(m fromTap) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.Info != nil {
		m.Info.Socket = a.info.Socket
		a.info = *m.Info
	}
	if m.State != nil {
		for i := range m.State.Held {
			h := &m.State.Held[i]
			at := slices.IndexFunc(a.state.Held, func(old intercept.Held) bool { return old.ID == h.ID })
			if h.Bytes == nil && at >= 0 {
				h.Bytes = a.state.Held[at].Bytes
			}
		}
		a.state = *m.State
	}
	if ch := a.replies[m.Reply]; ch != nil {
		delete(a.replies, m.Reply)
		var err error
		if m.Error != "" {
			err = errors.New(m.Error)
		}
		ch <- err // it has room
	}
	a.signal.Notify()
}

// end ends everything that waits.
func (a *Attached) end(err error) {
	_ = a.conn.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = fmt.Errorf("the connection to the tap has ended: %w", err)
	a.state.Held = nil
	for id, ch := range a.replies {
		ch <- a.err
		delete(a.replies, id)
	}
	a.signal.Notify()
	close(a.done)
}

// Info describes the tap, with its current sessions.
func (a *Attached) Info() Info {
	a.mu.Lock()
	defer a.mu.Unlock()
	info := a.info
	info.Sessions = slices.Clone(info.Sessions)
	return info
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
	return intercept.State{
		Breakpoints: slices.Clone(a.state.Breakpoints), Faults: slices.Clone(a.state.Faults), Held: slices.Clone(a.state.Held),
		Stalled: a.state.Stalled,
	}
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
	reply := make(chan error, 1)
	a.mu.Lock()
	a.last++
	m.ID = a.last
	err := a.err
	if err == nil {
		a.replies[m.ID] = reply
	}
	a.mu.Unlock()
	if err == nil {
		defer a.forget(m.ID)
		err = a.write(m)
	}
	if err != nil {
		return err
	}
	select {
	case err := <-reply:
		return err
	case <-time.After(replyTimeout):
		return fmt.Errorf("the tap with process id %d does not respond", a.Info().PID)
	}
}

// forget drops a command whose reply is not waited for any more.
func (a *Attached) forget(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.replies, id)
}

func (a *Attached) write(m toTap) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	a.writing.Lock()
	defer a.writing.Unlock()
	_ = a.conn.SetWriteDeadline(time.Now().Add(replyTimeout))
	if _, err = a.conn.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot send to the tap: %w", err)
	}
	return nil
}
