package http

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// deleteTimeout bounds the DELETE in Close.
const deleteTimeout = 3 * time.Second

var _ transport.Transport = (*Streamable)(nil)

// Streamable is one connection to one server. All methods may be called from
// any goroutine, but not from within a call to the Receiver.
type Streamable struct {
	connection
	listening bool
	session   string
	posts     map[jsonrpc.Key]*post // posts by the ids of the pending requests
}

// NewStreamable returns a transport that is not open.
func NewStreamable(c Config) *Streamable {
	t := &Streamable{}
	t.init(c, t.closedErr)
	return t
}

// Open checks the endpoint URL and sends nothing.
func (t *Streamable) Open(ctx context.Context, r transport.Receiver) error { return t.open(ctx, r) }

// Listen opens the GET stream (2025-03-26, transports, "Listening for Messages
// from the Server") unless it is open, and reopens it after each end. It ends with
// status 405 of a server without the stream, or another rejection; Listen may then
// be called again. The channel is closed with the first response.
func (t *Streamable) Listen() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.opened || t.closing || t.listening || isStateless(t.revision) {
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

// Close deletes the session, if there is one, within deleteTimeout (2025-03-26, transports,
// "Session Management"), then cancels all exchanges and waits for the goroutines. The response
// to the DELETE is reported and is not an error. More calls wait for the first one.
func (t *Streamable) Close(ctx context.Context) error {
	t.mu.Lock()
	first, open := !t.closing, t.opened
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

// Err returns nil, since only Close ends the connection.
func (t *Streamable) Err() error { return nil }

// headerState returns the session id and the revision for the headers of a request.
func (t *Streamable) headerState() (session, revision string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if isStateless(t.revision) {
		return "", t.revision
	}
	return t.session, t.revision
}

// startSession sets the session id of the initialize response; empty without a session.
func (t *Streamable) startSession(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session = session
}

// closed reports whether Close has canceled the exchanges.
func (t *Streamable) closed() bool { return t.life.Err() != nil }

// closedErr returns errClosed after Close has canceled the exchanges.
func (t *Streamable) closedErr() error {
	if t.closed() {
		return errClosed
	}
	return nil
}

func (t *Streamable) endSession(ctx context.Context) {
	if session, _ := t.headerState(); session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	ex := t.client.Begin(t.server, transport.PurposeEndSession, http.MethodDelete, t.header(http.MethodDelete, nil), nil)
	ex, err := ex.RoundTrip(ctx)
	if err != nil {
		return
	}
	body, err := ex.Read(HeadLimit)
	// Both are not errors: 405 if clients cannot delete sessions, 404 if this one has expired.
	if s := ex.Report.Status; err == nil && !ex.ok() && s != http.StatusMethodNotAllowed && s != http.StatusNotFound {
		err = statusError(ex, body)
	}
	ex.Finish(err)
}
