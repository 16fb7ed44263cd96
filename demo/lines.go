package demo

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
)

// maxPending is how many bytes wait for the client before senders have to.
const maxPending = 1 << 20

// keepBuffer is the size up to which a buffer is used again.
const keepBuffer = 4 << 20

// lineWriter is the one writer of a stream. Frames from any goroutine are
// gathered in memory and written, many at a time, by a goroutine of its own.
type lineWriter struct {
	out    io.Writer
	frame  func(dst, frame []byte) []byte // appends a frame as it goes out
	failed func(error)

	mu      sync.Mutex
	changed sync.Cond // of everything below
	pending []byte
	closed  bool
	shut    bool // the stream itself is closed
	done    chan struct{}
}

// newLineWriter starts a writer; close ends it. failed is called with the first
// error.
func newLineWriter(out io.Writer, frame func(dst, frame []byte) []byte, failed func(error)) *lineWriter {
	w := &lineWriter{out: out, frame: frame, failed: failed, done: make(chan struct{})}
	w.changed.L = &w.mu
	go w.copy()
	return w
}

// write sends a frame; it waits while too much is pending. After close it does
// nothing.
func (w *lineWriter) write(frame []byte) {
	w.append(func(dst []byte) []byte { return w.frame(dst, frame) })
}

// raw sends bytes as they are.
func (w *lineWriter) raw(text string) {
	w.append(func(dst []byte) []byte { return append(dst, text...) })
}

func (w *lineWriter) append(add func([]byte) []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) > maxPending && !w.closed {
		w.changed.Wait()
	}
	if w.closed || w.shut {
		return
	}
	w.pending = add(w.pending)
	w.changed.Broadcast()
}

// copy writes what is pending until the writer is closed and empty.
func (w *lineWriter) copy() {
	defer close(w.done)
	var batch []byte
	for {
		w.mu.Lock()
		for len(w.pending) == 0 && !w.closed && !w.shut {
			w.changed.Wait()
		}
		if len(w.pending) == 0 {
			shut := w.shut
			w.mu.Unlock()
			if shut {
				if c, ok := w.out.(io.Closer); ok {
					_ = c.Close() // closing is the fault, not its outcome
				}
			}
			return
		}
		batch, w.pending = w.pending, batch[:0]
		w.changed.Broadcast()
		w.mu.Unlock()
		if _, err := w.out.Write(batch); err != nil {
			w.failed(err)
			w.close()
			return
		}
		if cap(batch) > keepBuffer {
			batch = nil
		}
	}
}

// close wakes all waiting goroutines and ends the writer once what is pending
// has been written; done says when.
func (w *lineWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.changed.Broadcast()
}

// shutStream writes what is pending and closes the stream.
func (w *lineWriter) shutStream() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shut = true
	w.changed.Broadcast()
}

// maxLine is how long a frame from the client may be.
const maxLine = 64 << 20

var errLineTooLong = errors.New("the line is too long")

// readLines sends lines, without their ends, until the stream or ctx ends. The
// receiver may keep a line. A line beyond maxLine comes as nil.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if err == errLineTooLong {
			line, err = nil, nil
		} else if err != nil && len(line) == 0 {
			return err
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to the next newline. Bytes before the end of the stream
// come together with its error.
func readLine(r *bufio.Reader) ([]byte, error) {
	line := []byte{}
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			line, tooLong = nil, true
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if tooLong {
			return nil, errLineTooLong
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		return line, err
	}
}
