package relay

import (
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// maxOutlet bounds the bytes for the host that wait in memory. Then the server waits.
	maxOutlet = 1 << 20
	// maxAtOnce is the number of bytes that a pipe with room accepts without blocking (POSIX: PIPE_BUF).
	maxAtOnce = 4096
	// maxWrite bounds one write to the host, in bytes.
	maxWrite = 64 << 10
)

// outlet writes to the host. The goroutine that has bytes writes them if the host accepts them
// immediately. Otherwise the bytes wait in memory for a goroutine that writes all of them together.
// So no lock is held in the meantime, and a host that does not read can be given up. An outlet is
// an [io.Writer].
type outlet struct {
	dst  io.Writer
	room func() bool // dst takes maxAtOnce bytes without waiting

	mu      sync.Mutex
	changed sync.Cond
	bytes   []byte
	busy    bool // a write is under way
	wrote   int  // number of completed writes
	err     error
	closed  bool
	ended   chan struct{} // closed when writing has ended
	given   chan struct{} // closed when the host was given up
}

// errNotRead is the error of a write to a host that was given up.
var errNotRead = errors.New("the host does not read its input")

func newOutlet(dst io.Writer) *outlet {
	o := &outlet{dst: dst, room: roomIn(dst), ended: make(chan struct{}), given: make(chan struct{})}
	o.changed.L = &o.mu
	go o.run()
	return o
}

func (o *outlet) run() {
	defer close(o.ended)
	var spare []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.bytes) == 0 && !o.closed && o.err == nil {
			o.changed.Wait()
		}
		if len(o.bytes) == 0 || o.err != nil {
			return
		}
		now := o.bytes
		o.bytes, o.busy = spare[:0], true
		o.changed.Broadcast()
		for rest := now; len(rest) > 0 && o.err == nil; {
			n := min(len(rest), maxWrite)
			o.mu.Unlock()
			_, err := o.dst.Write(rest[:n])
			o.mu.Lock()
			rest = rest[n:]
			o.wrote++
			o.fail(err)
		}
		spare, o.busy = now, false
	}
}

// fail takes the error of a write, and ends the waiting. The caller holds the lock.
func (o *outlet) fail(err error) {
	if err != nil && o.err == nil {
		o.err = err
		o.changed.Broadcast()
	}
}

// Write implements [io.Writer]: b is copied if it waits. The error may come from an earlier write.
func (o *outlet) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.busy && len(o.bytes) == 0 && o.err == nil && len(b) <= maxAtOnce && o.room() {
		_, err := o.dst.Write(b)
		o.fail(err)
		return len(b), o.err
	}
	for len(o.bytes) > maxOutlet && o.err == nil {
		o.changed.Wait()
	}
	if o.err != nil {
		return 0, o.err
	}
	o.bytes = append(o.bytes, b...)
	o.changed.Broadcast()
	return len(b), nil
}

// limit gives up the host if it reads none of the waiting bytes for the time d.
func (o *outlet) limit(d time.Duration) {
	go func() {
		for last := o.progress(); ; {
			select {
			case <-o.ended:
				return
			case <-time.After(d):
			}
			o.mu.Lock()
			if (o.busy || len(o.bytes) > 0) && o.wrote == last {
				o.fail(errNotRead)
				close(o.given)
				o.mu.Unlock()
				return
			}
			last = o.wrote
			o.mu.Unlock()
		}
	}()
}

func (o *outlet) progress() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.wrote
}

// close returns when everything is written, or returns false if the host was given up.
func (o *outlet) close() bool {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	select {
	case <-o.ended:
		return true
	case <-o.given:
		return false
	}
}
