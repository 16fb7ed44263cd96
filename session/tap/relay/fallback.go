package relay

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
)

// mayFallBack reports whether initialize was refused as servers do that have only HTTP+SSE.
func (s *server) mayFallBack(err error) bool {
	status, ok := errors.AsType[*transport.StatusError](err)
	if !ok || s.fellBack.Load() {
		return false
	}
	return status.Status == http.StatusBadRequest || status.Status == http.StatusNotFound || status.Status == http.StatusMethodNotAllowed
}

// fallBack opens HTTP+SSE, after Streamable HTTP has refused initialize with an error. It returns that error if the
// server does not support HTTP+SSE either.
func (s *server) fallBack(before error) error {
	f, ok := s.t.(client.FallBacker)
	if !ok {
		return before
	}
	s.fellBack.Store(true)
	ctx, stop := context.WithTimeout(s.r.ctx, startTimeout)
	defer stop()
	endpoint, err := f.FallBack(ctx)
	if err != nil {
		return before
	}
	s.r.note("the server supports HTTP+SSE: endpoint " + s.r.redact(endpoint))
	at := time.Now()
	s.r.queue.Call(func() { // a separate connection, so ids start again
		s.r.recorder.Closed(at, "the server does not support Streamable HTTP")
		s.r.recorder.Transport = client.TransportSSE
		s.r.recorder.Next(at, s.restart, "", 0)
	})
	return nil
}

// initialize sends the host's own initialize to a new server, and returns the response. It selects the
// transport as for the host: a new server may not support the transport of the previous one.
func (s *server) initialize(ctx context.Context, frame []byte) ([]byte, error) {
	response, err := s.request(ctx, frame)
	if err == nil || !s.mayFallBack(err) {
		return response, err
	}
	if err := s.fallBack(err); err != nil {
		return nil, err
	}
	return s.request(ctx, frame)
}
