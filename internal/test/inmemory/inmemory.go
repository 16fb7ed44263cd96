// Package inmemory is a transport to a server in the same process, over pipes,
// one frame a line as on stdio. It has neither a process nor a socket, so a whole
// session can run in a testing/synctest bubble.
package inmemory

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Server is the main loop of a server: it reads frames from in and writes frames to
// out until in or ctx ends. Several goroutines may write to out, a whole line in each Write.
type Server func(ctx context.Context, in io.Reader, out io.Writer) error

// Transport is a connection to a server in the same process. It implements
// [transport.Transport].
type Transport struct {
	serve   Server
	toIn    *io.PipeWriter
	stop    context.CancelFunc
	r       transport.Receiver
	sending chan struct{} // held by one Send at a time, as in turns
	mu      sync.Mutex    // guards ended and closed
	done    chan struct{}
	ended   error
	closed  bool
	wg      sync.WaitGroup
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport to a server that Open starts.
func New(serve Server) *Transport {
	return &Transport{serve: serve, done: make(chan struct{}), sending: make(chan struct{}, 1)}
}

// Open starts the server in a goroutine that ends with Close.
func (t *Transport) Open(_ context.Context, r transport.Receiver) error {
	t.r = r
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	t.toIn, t.stop = inW, stop
	t.wg.Go(func() {
		err := t.serve(ctx, inR, turns{outW, make(chan struct{}, 1)})
		t.mu.Lock()
		if err != nil && !t.closed {
			t.ended = err
		}
		t.mu.Unlock()
		_ = outW.CloseWithError(io.EOF) // closes done, after which Err must have the error
		_ = inR.CloseWithError(io.ErrClosedPipe)
	})
	t.wg.Go(func() {
		defer close(t.done)
		in := bufio.NewReader(outR)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			line = bytes.TrimSuffix(line, []byte("\n"))
			r.Frame(transport.Frame{Bytes: line, Envelope: jsonrpc.Scan(line), Time: time.Now(), Dir: transport.In, Ending: "\n"})
		}
	})
	return nil
}

// Send implements [transport.Transport].
func (t *Transport) Send(_ context.Context, o transport.Outgoing) error {
	frame := o.Bytes
	t.sending <- struct{}{}
	defer func() { <-t.sending }()
	t.r.Frame(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.Out, Ending: "\n", Note: o.Note})
	_, err := t.toIn.Write(append(bytes.Clone(frame), '\n'))
	return err
}

// turns is a writer for several goroutines, one at a time. They wait for a channel: in a bubble, time does not pass while
// a goroutine waits for a lock, and the deadline of a reader that does not read would never come.
type turns struct {
	w    io.Writer
	turn chan struct{} // held by one Write at a time
}

// Write implements [io.Writer].
func (t turns) Write(b []byte) (int, error) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	return t.w.Write(b)
}

// Negotiated does nothing.
func (t *Transport) Negotiated(string) {}

// Listen does nothing.
func (t *Transport) Listen() <-chan struct{} { return nil }

// Done implements [transport.Transport].
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err returns the error of the server's main loop, nil after Close.
func (t *Transport) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// Close ends the input and the context of the server and waits for its goroutine.
func (t *Transport) Close(context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	if t.toIn != nil {
		_ = t.toIn.Close()
		t.stop()
	}
	t.wg.Wait()
	return nil
}
