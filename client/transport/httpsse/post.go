package httpsse

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
)

// Send POSTs one frame to the endpoint that the server has named (2024-11-05,
// transports, "HTTP with SSE"). It returns nil as soon as a status of 2xx is
// in; what the server has to say comes on the event stream. The errors are
// *transport.StatusError, [rpchttp.ErrClosed], the reason for which the
// stream ended, and failures to reach the server. When ctx ends first, the
// exchange goes on.
func (t *Transport) Send(ctx context.Context, frame []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	to, err := t.addPost()
	if err != nil {
		return err
	}
	// The exchange may outlive this call, so it needs bytes of its own.
	frame = bytes.Clone(frame)
	header := t.header(http.MethodPost)
	if !rpchttp.SameOrigin(t.server, to) {
		header = rpchttp.ProtocolHeaders(header)
	}
	ex := t.client.Begin(to, "message", http.MethodPost, header, frame)
	t.client.Receiver.Frame(transport.Frame{
		Bytes:    frame,
		Envelope: jsonrpc.Scan(frame),
		Time:     time.Now(),
		Dir:      transport.Out,
		Exchange: ex.Report.ID,
	})
	url := ex.Report.URL
	result := make(chan error, 1)
	go func() { // from here on the exchange belongs to it
		defer t.posts.Done()
		post(t.life, ex, result)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-result: // it came in the same moment
		return err
	default:
		return fmt.Errorf("POST %s has not been answered yet: %w", url, context.Cause(ctx))
	}
}

// addPost counts one more POST, which somebody must take off again, and returns
// where it goes.
func (t *Transport) addPost() (*url.URL, error) {
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

// post carries one exchange to its end. The result is there as soon as it is
// known; the body of a success may come in after that.
func post(life context.Context, ex *rpchttp.Exchange, result chan<- error) {
	ex, err := ex.RoundTrip(life)
	if err != nil {
		result <- err
		return
	}
	if ex.OK() {
		result <- nil
	}
	body, err := ex.Read(rpchttp.BodyLimit)
	// Most bodies are a word such as "Accepted". A message in it is unusual,
	// and there all the same.
	if jsonrpc.Scan(body).Kind != jsonrpc.Invalid {
		ex.Deliver(body, err != nil, "", "")
	}
	ex.Finish(err)
	if !ex.OK() {
		result <- ex.ResponseError(body)
	}
}
