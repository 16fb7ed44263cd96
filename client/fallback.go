package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/exchange"
	"mcptea/client/transport/httpsse"
	"mcptea/client/transport/streamable"
)

// FallbackError says that a URL answers over neither of the HTTP transports. It
// unwraps to neither answer, since each alone would be half of what there is to
// tell.
type FallbackError struct {
	Probe error // what came of server/discover; nil when that was not sent
	HTTP  error // what came of Streamable HTTP
	SSE   error // what came of HTTP+SSE
}

// Error gives all answers.
func (e *FallbackError) Error() string {
	if e.Probe != nil {
		return fmt.Sprintf("no MCP server was found at this URL: server/discover (%v), initialize (%v), HTTP+SSE (%v)", e.Probe, e.HTTP, e.SSE)
	}
	return fmt.Sprintf("the server speaks neither Streamable HTTP (%v) nor HTTP+SSE (%v)", e.HTTP, e.SSE)
}

// mayBeSSE reports whether the way in which initialize was refused is that of a
// server that knows HTTP+SSE alone (2025-11-25, transports, "Backwards
// Compatibility"). Statuses that say something else, about authorization or
// about the server's health, are no reason to try another protocol.
func mayBeSSE(err error, list *checklist) bool {
	var status *transport.StatusError
	if !errors.As(err, &status) {
		return false
	}
	if s := list.running(); s == nil || s.Name != StepInitialize {
		return false // initialize was accepted; this is about something else
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// fallBack connects over HTTP+SSE after Streamable HTTP was refused. When there
// is an event stream with an endpoint, the server speaks HTTP+SSE, and what
// goes wrong after that is all that there is to tell.
func (c *Client) fallBack(ctx context.Context, list *checklist, e *autoTransport, refused error) error {
	list.stop(refused)
	list.replan(slices.Concat([]string{StepStream}, stepsOfHandshake)...)
	c.mu.Lock()
	c.unexpected, c.garbled = nil, false // that was the other attempt
	c.mu.Unlock()
	if err := c.openStream(ctx, list, e.fallBack); err != nil {
		if ctx.Err() != nil {
			return err // nobody waits for an answer any more
		}
		return &FallbackError{Probe: c.probeRefused, HTTP: refused, SSE: err}
	}
	c.rule(revision.EraLegacy, EraProbed, "the URL opens an event stream with an endpoint, as HTTP+SSE of 2024-11-05 does")
	return c.legacy(ctx, list, c.offerOverSSE())
}

// openStream is the step of HTTP+SSE that the other transports do not have.
func (c *Client) openStream(ctx context.Context, list *checklist, open func(context.Context) (endpoint string, err error)) error {
	list.begin(StepStream, c.target.String(), c.cfg.ConnectTimeout)
	late := &TimeoutError{"GET", c.cfg.ConnectTimeout}
	ctx, stop := c.withTimeout(ctx, c.cfg.ConnectTimeout, late)
	defer stop()
	endpoint, err := open(ctx)
	if err != nil {
		return err
	}
	detail := "endpoint " + endpoint
	if otherOrigin(c.target.URL, endpoint) {
		detail += ", at another origin: continued because of --lenient, without what may be secret"
	}
	list.finish(StepStream, detail)
	return nil
}

// Target is what the client connects to. Its Transport says "sse" when the
// choice was the server's and that is what it speaks.
func (c *Client) Target() Target {
	t := c.target
	if e, ok := c.transport().(*autoTransport); ok && e.hasFallenBack() {
		t.Transport = TransportSSE
	}
	return t
}

// autoTransport is the transport to a URL while it is open which one the server
// speaks: Streamable HTTP until it falls back, HTTP+SSE from then on. The
// exchanges of both are numbered as those of one.
type autoTransport struct {
	target   Target
	link     transportDeps
	first    *streamable.Transport
	receiver transport.Receiver // set by Open

	ended sync.Once
	done  chan struct{}
	wg    sync.WaitGroup // grows only while closing is false

	mu      sync.Mutex
	closing bool
	second  *httpsse.Transport // nil until it falls back
}

var _ transport.Transport = (*autoTransport)(nil)

func newAutoTransport(target Target, l transportDeps, first *streamable.Transport) *autoTransport {
	return &autoTransport{target: target, link: l, first: first, done: make(chan struct{})}
}

// fallBack closes the one transport and opens the other. It comes once, after
// Open, and returns the endpoint that the server named.
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
		<-second.Done() // which Close closes at the latest
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

// current is the transport in force.
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

func (e *autoTransport) Send(ctx context.Context, frame []byte) error {
	return e.current().Send(ctx, frame)
}
func (e *autoTransport) Negotiated(revision string) { e.current().Negotiated(revision) }
func (e *autoTransport) Listen() <-chan struct{}    { return e.current().Listen() }
func (e *autoTransport) Done() <-chan struct{}      { return e.done }

// Abandon implements [transport.Abandoner] as far as the transport in force does.
func (e *autoTransport) Abandon(id jsonrpc.ID) bool {
	a, ok := e.current().(transport.Abandoner)
	return ok && a.Abandon(id)
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

// otherOrigin reports whether a server has named an endpoint at another origin.
func otherOrigin(server, endpoint string) bool {
	a, err := url.Parse(server)
	b, err2 := url.Parse(endpoint)
	return err == nil && err2 == nil && !exchange.SameOrigin(a, b)
}
