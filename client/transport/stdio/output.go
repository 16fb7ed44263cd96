package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxLeft bounds the bytes that are read from a pipe after the process has exited: a pipe holds at most as
	// many. Later bytes are from a descendant.
	maxLeft = 1 << 20
	// maxWait bounds the time that is spent waiting for output by then, and
	// maxSilence one such wait.
	maxWait    = time.Second
	maxSilence = 100 * time.Millisecond
)

// output is stdout or stderr of the server. One goroutine reads it. It is closed by that goroutine, or
// after that goroutine has ended.
type output struct {
	source
	end   chan struct{} // closed when the last line was delivered
	steps atomic.Int64  // reads and deliveries, see await

	once sync.Once // runs Close once

	mu        sync.Mutex
	closed    bool // the process has exited: the limits hold
	abandoned bool // the output is no longer read

	// Limits on the bytes still read then, and on the time spent waiting. The rest belongs to the goroutine
	// that reads.
	left int
	wait time.Duration
}

// source is our end of a pipe, an [os.File] or a substitute.
type source interface {
	io.ReadCloser
	SetReadDeadline(t time.Time) error
	// linger sets whether a read that finds nothing may wait for several lines.
	linger(on bool)
}

func newOutput(s source) *output {
	return &output{source: s, end: make(chan struct{}), left: maxLeft, wait: maxWait}
}

// limit bounds all later reads, since only a descendant can write to the pipe. A slow receiver does not
// count: the content of the pipe is read in any case.
func (o *output) limit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	_ = o.SetReadDeadline(time.Now().Add(maxSilence)) // deadline of a blocking read
}

// abandon closes the pipe while it is read: the next write of the server fails.
func (o *output) abandon() {
	o.mu.Lock()
	o.abandoned = true
	_ = o.SetReadDeadline(time.Now())
	o.mu.Unlock()
	o.await()
	_ = o.Close()
}

func (o *output) state() (closed, abandoned bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed, o.abandoned
}

// Close closes the pipe, only once, because its number may later belong to another file. It must not be called
// during a Read.
func (o *output) Close() (err error) {
	o.once.Do(func() { err = o.source.Close() })
	return err
}

// Read implements [io.Reader].
func (o *output) Read(p []byte) (int, error) {
	defer o.steps.Add(1)
	closed, abandoned := o.state()
	if !closed && !abandoned {
		if n, err := o.source.Read(p); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		_, abandoned = o.state()
	}
	if abandoned {
		return 0, os.ErrClosed
	}
	// The deadline may pass before the read begins: the second read finds the content of the pipe.
	n, err := o.readRest(p)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = o.readRest(p)
	}
	return n, err
}

// readRest is a Read after the exit of the server. o.left bounds its bytes, and o.wait its time.
func (o *output) readRest(p []byte) (int, error) {
	if o.left == 0 || o.wait <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	start := time.Now()
	_ = o.SetReadDeadline(start.Add(min(maxSilence, o.wait)))
	n, err := o.source.Read(p[:min(len(p), o.left)])
	o.left -= n
	o.wait -= time.Since(start)
	return n, err
}

// delivered records that the receiver has handled a line.
func (o *output) delivered() { o.steps.Add(1) }

// await waits until the last line was delivered. It gives up if neither a read nor a delivery ends within
// [deliveryTimeout].
func (o *output) await() {
	for {
		before := o.steps.Load()
		select {
		case <-o.end:
			return
		case <-time.After(deliveryTimeout):
			if o.steps.Load() == before {
				return
			}
		}
	}
}
