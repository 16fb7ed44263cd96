package attach

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

const (
	// listTimeout is the maximum wait of List for descriptions. dialTimeout is the maximum wait of a command
	// for one.
	listTimeout = time.Second
	dialTimeout = 5 * time.Second
)

// List returns the connections of the user that are shared, inspectors first. state is the
// state directory. Sockets of processes that have ended are removed. For a process that
// does not respond, or is of another version, the Problem says so.
func List(ctx context.Context, state string) ([]Info, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	all, err := eachSocket(dir(state), func(path string) (info Info, ok bool) {
		conn, _, info, err := dial(ctx, path)
		if err == nil {
			_ = conn.Close()
		} else {
			info.Problem = err.Error()
		}
		return info, !errors.Is(err, os.ErrNotExist)
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the shared connections: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Info) int { return cmp.Compare(a.Kind, b.Kind) })
	return all, nil
}

// dial connects to a socket and reads the description.
func dial(ctx context.Context, path string) (conn net.Conn, in *bufio.Reader, info Info, err error) {
	info = Info{ID: strings.TrimSuffix(filepath.Base(path), socketSuffix), Socket: path}
	if conn, err = dialSocket(ctx, path); err != nil {
		return nil, nil, info, err
	}
	dialed := conn // conn is nil as soon as an error is returned
	stop := context.AfterFunc(ctx, func() { _ = dialed.Close() })
	in = bufio.NewReader(conn)
	line, err := in.ReadBytes('\n')
	var other Info
	switch {
	case !stop():
		err = fmt.Errorf("the process %s does not respond", info.ID)
	case err != nil:
		err = fmt.Errorf("the process %s has closed the connection: %w", info.ID, err)
	case json.Unmarshal(line, &other) != nil || other.Version != version:
		err = fmt.Errorf("the process %s is of another version of mcptea", info.ID)
	case other.Full:
		err = fmt.Errorf("the process %s has %d connections, as many as it serves: end commands and inspectors that use it, or programs that have connected and send nothing", info.ID, maxConnections)
	default:
		other.ID, other.Socket = info.ID, path
		return conn, in, other, nil
	}
	_ = conn.Close() // the error says more
	return nil, nil, info, err
}

// Dial connects to the socket of a process for a use, [Agent] or [Control]. The messages of the process must be
// read from the reader.
func Dial(ctx context.Context, path, use string) (net.Conn, *bufio.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, in, _, err := dial(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if _, err := conn.Write([]byte(use + "\n")); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return conn, in, nil
}

// Use returns the target of a client that uses the connection.
func (i Info) Use() client.Target {
	return client.Target{Shared: &client.Shared{
		Name: i.Target, By: i.Kind + " " + i.ID, Transport: i.Transport, Revision: i.Revision, Tasks: i.Tasks,
		Dial: func(lost func(jsonrpc.ID, error)) transport.Transport {
			return &shared{info: i, lost: lost, done: make(chan struct{})}
		},
	}}
}

// shared is a transport over a connection that is shared.
type shared struct {
	info     Info
	lost     func(jsonrpc.ID, error)
	receiver transport.Receiver
	conn     net.Conn
	sending  sync.Mutex
	reading  sync.WaitGroup
	done     chan struct{} // closed when nothing more is received

	mu     sync.Mutex
	closed bool
	err    error
}

var _ transport.Transport = (*shared)(nil)

// Open implements [transport.Transport].
func (t *shared) Open(ctx context.Context, r transport.Receiver) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, in, info, err := dial(ctx, t.info.Socket)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = errors.New("it has ended")
	case err == nil && info.Problem != "":
		err = errors.Join(errors.New(info.Problem), conn.Close())
	}
	if err != nil {
		close(t.done)
		return fmt.Errorf("cannot use the connection of the %s %s: %w", t.info.Kind, t.info.ID, err)
	}
	if t.info.Notifications {
		if _, err := conn.Write([]byte(notificationsLine + "\n")); err != nil {
			close(t.done)
			return errors.Join(fmt.Errorf("cannot use the connection of the %s %s: %w", t.info.Kind, t.info.ID, err), conn.Close())
		}
	}
	t.conn, t.receiver = conn, r
	t.reading.Go(func() { t.read(in) })
	return nil
}

// read receives frames until the process ends, or the transport is closed.
func (t *shared) read(in *bufio.Reader) {
	defer close(t.done)
	lines := newScanner(in, maxLine)
	for lines.Scan() {
		line := lines.Bytes()
		if text, ok := bytes.CutPrefix(line, []byte("!")); ok {
			var l lost
			if json.Unmarshal(text, &l) == nil {
				t.lost(l.ID, errors.New(l.Error))
			}
			continue
		}
		t.receiver.Frame(transport.Frame{Bytes: line, Envelope: jsonrpc.Scan(line), Time: time.Now(), Dir: transport.In, Ending: "\n"})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case errors.Is(lines.Err(), bufio.ErrTooLong):
		t.err = fmt.Errorf("the %s %s, whose connection was used, has sent a frame of more than %d MiB", t.info.Kind, t.info.ID, maxLine>>20)
	default:
		t.err = fmt.Errorf("the %s %s, whose connection was used, has ended", t.info.Kind, t.info.ID)
	}
}

var errNullID = errors.New("a request with the id null cannot be sent over the connection of another process: its response could not be told from another one")

// Send implements [transport.Transport]. A tap takes requests and notifications alone:
// the response to anything else would be for its host.
func (t *shared) Send(_ context.Context, o transport.Outgoing) error {
	frame := o.Bytes
	e := jsonrpc.Scan(frame)
	switch {
	case bytes.IndexByte(frame, '\n') >= 0 || len(frame) == 0:
		return errors.New("a frame over the connection of another process must be one line, without a line break")
	case len(frame) >= maxOwn: // the limit includes the line break
		return fmt.Errorf("a frame over the connection of another process can have %d MiB at most, and this one has %d bytes", maxOwn>>20, len(frame))
	case e.Kind == jsonrpc.Batch:
		return errors.New("a batch cannot be sent over the connection of another process")
	case e.Kind == jsonrpc.Request && e.IDType == jsonrpc.IDNull:
		return errNullID
	case t.info.Kind == Tap && e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Notification, t.info.Kind == Tap && e.IDType == jsonrpc.IDNull:
		return errors.New("over the connection of a tap only requests and notifications can be sent: the server may reply to another frame with a message that its host would get")
	}
	t.receiver.Frame(transport.Frame{Bytes: frame, Envelope: e, Time: time.Now(), Dir: transport.Out, Ending: "\n", Note: o.Note})
	t.sending.Lock()
	defer t.sending.Unlock()
	_ = t.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // if this fails, writing fails too
	_, err := t.conn.Write(append(bytes.Clone(frame), '\n'))
	if err == nil {
		return nil
	}
	// A part of the line may have been written: nothing can follow it.
	err = fmt.Errorf("cannot write to the %s %s, whose connection is used: %w", t.info.Kind, t.info.ID, err)
	t.mu.Lock()
	if !t.closed {
		t.closed, t.err = true, err
	}
	t.mu.Unlock()
	return errors.Join(err, t.conn.Close())
}

// Negotiated implements [transport.Transport]. The process has negotiated.
func (t *shared) Negotiated(string) {}

// Listen implements [transport.Transport].
func (t *shared) Listen() <-chan struct{} { return nil }

// Close implements [transport.Transport].
func (t *shared) Close(context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	if t.conn == nil {
		return nil
	}
	err := t.conn.Close()
	t.reading.Wait()
	return err
}

// Done implements [transport.Transport].
func (t *shared) Done() <-chan struct{} { return t.done }

// Err implements [transport.Transport].
func (t *shared) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
