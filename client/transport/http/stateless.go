package http

import (
	"context"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// firstStateless is the first revision without sessions, GET stream and resumption
// (2026-07-28, basic / transports, "Streamable HTTP"). Revisions are dates, so they
// compare as text.
const firstStateless = "2026-07-28"

func isStateless(revision string) bool { return revision >= firstStateless }

var _ transport.RequestCanceler = (*Streamable)(nil)

// cancelGrace is the time in which the exchange of a cancelled request stays open for a late response. It
// applies if closing the exchange cancels nothing.
var cancelGrace = 10 * time.Second

// CancelRequest closes the exchange of a request, which is how it is cancelled if there are no
// sessions (2026-07-28, basic / patterns / cancellation). In earlier revisions a connection
// that closes cancels nothing: the exchange is closed after cancelGrace, and not resumed.
func (t *Streamable) CancelRequest(id jsonrpc.ID) bool {
	t.mu.Lock()
	stateless, p := isStateless(t.revision), t.posts[id.Key()]
	t.mu.Unlock()
	switch {
	case p == nil:
	case stateless:
		p.cancel(errCanceled)
	case !p.abandoned.Swap(true):
		timer := time.AfterFunc(cancelGrace, func() { p.cancel(errCanceled) })
		context.AfterFunc(p.life, func() { timer.Stop() })
	}
	return stateless
}

// track adds a request to t.posts, and returns the function that removes it.
func (t *Streamable) track(p *post) (leave func()) {
	if p.envelope.Kind != jsonrpc.Request {
		return func() {}
	}
	id := p.envelope.ID.Of(p.frame).ID()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.posts == nil {
		t.posts = make(map[jsonrpc.Key]*post)
	}
	t.posts[id.Key()] = p
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.posts[id.Key()] == p {
			delete(t.posts, id.Key())
		}
	}
}
