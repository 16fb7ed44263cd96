package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// NewTrialClient returns a client for exchanges with [transport.PurposeTrial], beside a connection with the
// same configuration. It follows no redirects and adds no credentials. The receiver receives their reports.
func NewTrialClient(config Config, r transport.Receiver) *Client {
	c := NewClient(config.TLS, config.URL, func() error { return nil })
	if config.Dial != nil {
		c.http.dialThrough(config.Dial)
	}
	c.count.Store(config.Exchanges)
	if config.Secrets != nil {
		c.secrets = config.Secrets
	}
	c.Receiver = r
	return c
}

// readResponse is like [Exchange.Read], for a trial. It reads only the first response of an event stream, since
// such a stream may stay open.
func (ex *Exchange) readResponse() (body []byte, err error) {
	if !ex.ok() || ex.mediaType() != StreamType {
		return ex.Read(replyLimit)
	}
	events := NewEventReader(&ex.received)
	for {
		e, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, ex.bodyError(err)
		}
		if ex.countEvent(e); jsonrpc.Scan(e.Data).Kind.IsResponse() {
			return bytes.Clone(e.Data), nil
		}
	}
}

// OpenStream opens the event stream of HTTP+SSE for trials and returns the data of its endpoint event, or
// "" without one. The caller must call end.
func (c *Client) OpenStream(ctx context.Context, r transport.Request) (endpoint string, end func()) {
	ex := c.prepare(r.URL, r.Purpose, r.Method, r.Header.Clone(), nil)
	c.addSecrets(ex.URL, ex.Header)
	c.Receiver.Exchange(ex.Report)
	if ex.roundTrip(ctx) != nil {
		return "", func() {}
	}
	end = func() { ex.Finish(nil) }
	if !ex.ok() || ex.mediaType() != StreamType {
		return "", end
	}
	events := NewEventReader(&ex.received)
	for {
		e, err := events.Next()
		if err != nil {
			return "", end
		}
		if ex.countEvent(e); e.Name == "endpoint" {
			return string(bytes.TrimSpace(slices.Clone(e.Data))), end
		}
	}
}
