package client

import (
	"context"
	"net/url"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// Target returns what the client connects to. Its Transport is [TransportSSE] after a fallback
// to HTTP+SSE.
func (c *Client) Target() Target {
	t := c.target
	if e, ok := c.transport().(*autoTransport); ok && e.hasFallenBack() {
		t.Transport = TransportSSE
	}
	return t
}

// autoTransport is Streamable HTTP until it falls back, and HTTP+SSE after that. Its exchanges
// share one numbering, as if it were a single transport.
type autoTransport struct {
	target   Target
	link     transportDeps
	first    *mcphttp.Streamable
	receiver transport.Receiver // set by Open

	ended sync.Once
	done  chan struct{}
	wg    sync.WaitGroup // grows only while closing is false

	mu      sync.Mutex
	closing bool
	second  *mcphttp.SSE // second transport, or nil before the fallback
}

var _ transport.Transport = (*autoTransport)(nil)

func newAutoTransport(target Target, l transportDeps, first *mcphttp.Streamable) *autoTransport {
	return &autoTransport{target: target, link: l, first: first, done: make(chan struct{})}
}

// fallBack closes Streamable HTTP and opens HTTP+SSE. It is called once, after
// Open, and returns the endpoint of the server.
func (e *autoTransport) fallBack(ctx context.Context) (endpoint string, err error) {
	if err := e.first.Close(ctx); err != nil {
		return "", err
	}
	second := e.target.httpSSE(e.link, e.first.Exchanges())
	e.mu.Lock()
	if e.closing {
		e.mu.Unlock()
		return "", ErrClosed
	}
	e.second = second
	e.wg.Go(func() {
		<-second.Done() // closed by Close at the latest
		e.end()
	})
	e.mu.Unlock()
	err = second.Open(ctx, e.receiver)
	return second.Endpoint(), err
}

func (e *autoTransport) end() { e.ended.Do(func() { close(e.done) }) }

func (e *autoTransport) hasFallenBack() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.second != nil
}

// current returns the transport in use.
func (e *autoTransport) current() transport.Transport {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.second != nil {
		return e.second
	}
	return e.first
}

func (e *autoTransport) Open(ctx context.Context, r transport.Receiver) error {
	e.receiver = r
	return e.first.Open(ctx, r)
}

func (e *autoTransport) Send(ctx context.Context, frame transport.Outgoing) error {
	return e.current().Send(ctx, frame)
}
func (e *autoTransport) Negotiated(revision string) { e.current().Negotiated(revision) }
func (e *autoTransport) Listen() <-chan struct{}    { return e.current().Listen() }
func (e *autoTransport) Done() <-chan struct{}      { return e.done }

// CancelRequest implements [transport.RequestCanceler] if the current transport does.
func (e *autoTransport) CancelRequest(id jsonrpc.ID) bool {
	a, ok := e.current().(transport.RequestCanceler)
	return ok && a.CancelRequest(id)
}

func (e *autoTransport) Err() error {
	select {
	case <-e.done:
		return e.current().Err()
	default:
		return nil
	}
}

func (e *autoTransport) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	err := e.current().Close(ctx)
	e.wg.Wait()
	e.end()
	return err
}

// otherOrigin reports whether an endpoint is at another origin than the server.
func otherOrigin(server, endpoint string) bool {
	a, err := url.Parse(server)
	b, err2 := url.Parse(endpoint)
	return err == nil && err2 == nil && !mcphttp.SameOrigin(a, b)
}
