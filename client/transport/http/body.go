package http

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// BodyTimeout is the time in which the body of a request must have arrived after its header.
const BodyTimeout = 30 * time.Second

// WithBodyTimeout returns a handler whose requests fail to be read if their body has not arrived within a time. It
// bounds the reading alone: a response may last as long as its stream. The server's own ReadTimeout would end streams.
func WithBodyTimeout(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := http.NewResponseController(w); r.ContentLength != 0 && c.SetReadDeadline(time.Now().Add(limit)) == nil {
			r.Body = timedBody{r.Body, c}
		}
		h.ServeHTTP(w, r)
	})
}

// timedBody removes the deadline when the body has been read. After an error it stays: the server may want to read
// the rest.
type timedBody struct {
	io.ReadCloser
	of *http.ResponseController
}

func (b timedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.of.SetReadDeadline(time.Time{}) // it was set before
	}
	return n, err
}
