package streamable

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
)

// deleteTimeout is that of the DELETE in Close.
const deleteTimeout = 3 * time.Second

var _ transport.Transport = (*Transport)(nil)

// Transport is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type Transport struct {
	config   Config
	client   *rpchttp.Client
	endpoint *url.URL // set by Open

	life  context.Context // ends after the DELETE in Close
	end   context.CancelFunc
	done  chan struct{}
	tasks sync.WaitGroup // increased only while closing is false

	mu        sync.Mutex
	open      bool
	closing   bool
	listening bool
	session   string
	revision  string
	posts     map[jsonrpc.ID]*post // of the pending requests
}

// Open checks the endpoint URL and sends nothing.
func (t *Transport) Open(ctx context.Context, r transport.Receiver) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	u, err := rpchttp.Endpoint(t.config.URL)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closing:
		return errClosed
	case t.open:
		return errors.New("the connection is open already")
	}
	t.endpoint, t.client.Receiver, t.open = u, r, true
	return nil
}

// Negotiated sets the MCP-Protocol-Version header of later requests except
// initialize, if the revision has it (2025-06-18, transports, "Protocol Version
// Header"). A stateless revision has no session, no stream of Listen and no
// resumption.
func (t *Transport) Negotiated(revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = revision
}

// Listen opens the GET stream (2025-03-26, transports, "Listening for Messages
// from the Server") unless it is open, and reopens it after each end. It ends with
// status 405 of a server without the stream, or another rejection; Listen may then
// be called again. The channel is closed with the first response.
func (t *Transport) Listen() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open || t.closing || t.listening || isStateless(t.revision) {
		return nil
	}
	t.listening = true
	settled := make(chan struct{})
	t.tasks.Go(func() {
		t.listen(sync.OnceFunc(func() { close(settled) }))
		t.mu.Lock()
		defer t.mu.Unlock()
		t.listening = false
	})
	return settled
}

// Close deletes the session, if there is one, within deleteTimeout (2025-03-26,
// transports, "Session Management"), then cancels all exchanges and waits for the
// goroutines. The response to the DELETE is reported and is no error. Further calls
// wait for the first one.
func (t *Transport) Close(ctx context.Context) error {
	t.mu.Lock()
	first, open := !t.closing, t.open
	t.closing = true
	t.mu.Unlock()
	if !first {
		<-t.done
		return nil
	}
	if open && ctx.Err() == nil {
		t.endSession(ctx)
	}
	t.end()
	t.tasks.Wait()
	t.client.CloseIdle()
	close(t.done)
	return nil
}

// Done is closed only by Close: over HTTP a failed request says nothing about the
// next one.
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err returns nil, since only Close ends the connection.
func (t *Transport) Err() error { return nil }

// Exchanges returns the number of exchanges so far.
func (t *Transport) Exchanges() uint32 { return t.client.Count() }

// start runs a task that Close waits for. It returns false after Close.
func (t *Transport) start(task func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return false
	}
	t.tasks.Go(task)
	return true
}

// headerState returns the session id and the revision for the headers of a request.
func (t *Transport) headerState() (session, revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isStateless(t.revision) {
		return "", t.revision
	}
	return t.session, t.revision
}

// startSession sets the session id of the initialize response; empty without a session.
func (t *Transport) startSession(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session = session
}

// closed reports whether Close has canceled the exchanges.
func (t *Transport) closed() bool { return t.life.Err() != nil }

// closedErr returns errClosed after Close has canceled the exchanges.
func (t *Transport) closedErr() error {
	if t.closed() {
		return errClosed
	}
	return nil
}

// exchange begins an exchange with the endpoint and reports it.
func (t *Transport) exchange(purpose, method string, header http.Header, body []byte) *rpchttp.Exchange {
	return t.client.Begin(t.endpoint, purpose, method, header, body)
}

func (t *Transport) endSession(ctx context.Context) {
	if session, _ := t.headerState(); session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	ex := t.exchange("end session", http.MethodDelete, t.header(http.MethodDelete, nil), nil)
	ex, err := ex.RoundTrip(ctx)
	if err != nil {
		return
	}
	body, err := ex.Read(rpchttp.HeadLimit)
	// Both are no errors: 405 if clients cannot delete sessions, 404 if this one
	// has expired.
	if s := ex.Report.Status; err == nil && !ex.OK() && s != http.StatusMethodNotAllowed && s != http.StatusNotFound {
		err = statusError(ex, body)
	}
	ex.Finish(err)
}
