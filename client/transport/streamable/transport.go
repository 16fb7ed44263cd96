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

// deleteTimeout is how long the DELETE at the end may take at most.
const deleteTimeout = 3 * time.Second

var _ transport.Transport = (*Transport)(nil)

// Transport is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type Transport struct {
	config   Config
	client   *rpchttp.Client
	endpoint *url.URL // set by Open

	life  context.Context // over when Close has said goodbye
	end   context.CancelFunc
	done  chan struct{}
	tasks sync.WaitGroup // grows only while closing is false

	mu        sync.Mutex
	open      bool
	closing   bool
	listening bool
	session   string
	revision  string
	posts     map[jsonrpc.ID]*post // the requests on their way, while stateless
}

// Open checks the endpoint and sends nothing. The first POST is what shows
// whether a server is there.
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

// Negotiated makes every later request but "initialize" carry the
// MCP-Protocol-Version header, if the revision knows it (2025-06-18,
// transports, "Protocol Version Header"). In one without handshake there is no
// session, no stream to listen on and none to resume.
func (t *Transport) Negotiated(revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = revision
}

// Listen opens the GET stream (2025-03-26, transports, "Listening for Messages
// from the Server") unless one is open, and opens it again when it breaks. A
// server that has none answers 405, which is reported and ends the matter, as
// does any other refusal; Listen may then be called again. The channel is
// closed with the first answer.
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

// Close ends the session with a DELETE if the server gave one (2025-03-26,
// transports, "Session Management"), for which it takes three seconds at most,
// then cancels every exchange and waits for the goroutines. The server's
// answer to the DELETE is reported and is no error. Further calls wait for the
// first.
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

// Done is closed by Close alone: over HTTP a request that fails says nothing
// about the next one.
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err is nil always, since the end is always ours.
func (t *Transport) Err() error { return nil }

// Exchanges returns how many exchanges there were. It changes no more after
// Close.
func (t *Transport) Exchanges() uint32 { return t.client.Count() }

// start runs a task that Close waits for. It reports false when there can be
// no more of them.
func (t *Transport) start(task func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return false
	}
	t.tasks.Go(task)
	return true
}

// headerState returns what the headers of a request depend on.
func (t *Transport) headerState() (session, revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isStateless(t.revision) {
		return "", t.revision
	}
	return t.session, t.revision
}

// startSession keeps the session id that came with the answer to "initialize",
// whatever it looks like. None means that there is no session.
func (t *Transport) startSession(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session = session
}

// closed reports whether Close has got to the point of cancelling.
func (t *Transport) closed() bool { return t.life.Err() != nil }

// closedErr says why nothing more is sent, nil while something may be.
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
	// 405 means that the server keeps its sessions, 404 that it has already
	// forgotten this one; both are in order.
	if s := ex.Report.Status; err == nil && !ex.OK() && s != http.StatusMethodNotAllowed && s != http.StatusNotFound {
		err = statusError(ex, body)
	}
	ex.Finish(err)
}
