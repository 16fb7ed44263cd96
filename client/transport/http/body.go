package http

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// BodyTimeout is the time in which the body of a request must have arrived after its header.
const BodyTimeout = 30 * time.Second

// maxDiscarded is the number of bytes of a body that are read after the handler, so that the connection can be
// reused.
const maxDiscarded = 256 << 10

// WithBodyTimeout returns a handler whose requests fail to be read if their body has not arrived within a time. It
// bounds the reading alone: a response may last as long as its stream. The server's own ReadTimeout would end streams.
func WithBodyTimeout(h http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, deadline := http.NewResponseController(w), time.Now().Add(limit)
		if r.ContentLength == 0 || c.SetReadDeadline(deadline) != nil {
			h.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, controller: c}
		r.Body = body
		h.ServeHTTP(w, r)
		if body.ended.Load() {
			return
		}
		// The handler gave up. The server may wait for the rest without a limit, so it is read here if it is still open.
		_ = c.Flush()
		_ = c.SetReadDeadline(deadline)
		if _, err := io.CopyN(io.Discard, body, maxDiscarded); errors.Is(err, os.ErrDeadlineExceeded) {
			panic(http.ErrAbortHandler) // closes the connection, and is not logged
		}
	})
}

// timedBody removes the deadline when the body has been read. Its methods may be called from any
// goroutine, like the methods of the body that it wraps.
type timedBody struct {
	io.ReadCloser
	controller *http.ResponseController
	ended      atomic.Bool // the whole body was read
}

func (b *timedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.ended.CompareAndSwap(false, true) {
		_ = b.controller.SetReadDeadline(time.Time{}) // this worked when the deadline was set
	}
	return n, err
}
