// Package loopback connects to a server that runs in the same process, over
// pipes, one frame a line as on stdio.
//
// It is for tests: nothing in it waits for a process or a socket, so a whole
// session can run in a bubble of fake time. It keeps the manners of a
// transport and has no other use.
package loopback

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

// Server is a server's main loop: it reads requests and writes answers until its
// input or the context ends.
type Server func(ctx context.Context, in io.Reader, out io.Writer) error

// Transport is a connection to a server in the same process. It implements
// [transport.Transport].
type Transport struct {
	serve  Server
	toIn   *io.PipeWriter
	stop   context.CancelFunc
	r      transport.Receiver
	mu     sync.Mutex
	done   chan struct{}
	ended  error
	closed bool
	wg     sync.WaitGroup
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport to a server that Open starts.
func New(serve Server) *Transport {
	return &Transport{serve: serve, done: make(chan struct{})}
}

// Open starts the server.
func (p *Transport) Open(_ context.Context, r transport.Receiver) error {
	p.r = r
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	p.toIn, p.stop = inW, stop
	p.wg.Go(func() {
		err := p.serve(ctx, inR, outW)
		_ = outW.CloseWithError(io.EOF)
		_ = inR.CloseWithError(io.ErrClosedPipe)
		p.mu.Lock()
		if err != nil && !p.closed {
			p.ended = err
		}
		p.mu.Unlock()
	})
	p.wg.Go(func() {
		defer close(p.done)
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
func (p *Transport) Send(_ context.Context, frame []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.r.Frame(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.Out, Ending: "\n"})
	_, err := p.toIn.Write(append(bytes.Clone(frame), '\n'))
	return err
}

// Negotiated does nothing.
func (p *Transport) Negotiated(string) {}

// Listen does nothing.
func (p *Transport) Listen() <-chan struct{} { return nil }

// Done implements [transport.Transport].
func (p *Transport) Done() <-chan struct{} { return p.done }

// Err is what the server's main loop returned.
func (p *Transport) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// Close ends the server and waits for it.
func (p *Transport) Close(context.Context) error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	if p.toIn != nil {
		_ = p.toIn.Close()
		p.stop()
	}
	p.wg.Wait()
	return nil
}
