package http

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Send POSTs one frame to the endpoint (2024-11-05, transports, "HTTP with SSE"). It
// returns nil after a status of 2xx; responses are received on the event stream. The
// errors are *transport.StatusError, [errClosed], the reason why the stream
// ended, and failures to reach the server. If ctx ends first, the exchange continues.
func (t *SSE) Send(ctx context.Context, frame transport.Outgoing) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, err := t.addPost()
	if err != nil {
		return err
	}
	m := newMessage(frame)
	header := t.header(http.MethodPost)
	if !SameOrigin(t.server, to) {
		header = protocolHeaders(header)
	}
	ex := t.post(to, header, &m)
	url := ex.Report.URL
	result := make(chan error, 1)
	go func() { // owns the exchange
		defer t.posts.Done()
		sendPost(t.life, ex, result)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-result: // both were ready at the same time
		return err
	default:
		return fmt.Errorf("no response to POST %s yet: %w", url, context.Cause(ctx))
	}
}

// addPost adds a POST to t.posts and returns the endpoint. The caller calls
// t.posts.Done.
func (t *SSE) addPost() (*url.URL, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.cause != nil:
		return nil, t.cause
	case t.endpoint == nil:
		return nil, errNotOpen
	}
	t.posts.Add(1)
	return t.endpoint, nil
}

// sendPost makes one exchange. It sends the result as soon as the result is known, and then reads
// the body of a success.
func sendPost(life context.Context, ex *Exchange, result chan<- error) {
	ex, err := ex.RoundTrip(life)
	if err != nil {
		result <- err
		return
	}
	if ex.ok() {
		result <- nil
	}
	body, err := ex.Read(bodyLimit)
	// Most bodies are a word such as "Accepted". A message in the body does not
	// conform, but is delivered.
	if jsonrpc.Scan(body).Kind != jsonrpc.Invalid {
		ex.deliver(body, err != nil, "", "")
	}
	ex.Finish(err)
	if !ex.ok() {
		result <- ex.responseError(body)
	}
}
