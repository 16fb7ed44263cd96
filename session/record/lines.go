package record

import (
	"bytes"
	"context"
	"io"
	"os"
)

const (
	readSize = 256 << 10
	// maxLine is the length of the longest line that is read, in bytes: a frame of 64 MiB
	// in Base64 and what is around it.
	maxLine = 128 << 20
	// longHead is how much is kept of a longer line, in bytes.
	longHead = 4 << 10
	// maxMemory is the size above which the memory of a line is not used again: one long
	// line must not stay.
	maxMemory = 1 << 20
)

// Lines reads a file line by line, in bounded memory. It is not safe for
// concurrent use.
type Lines struct {
	read   func() ([]byte, error) // the next piece, valid until the next call
	rest   []byte                 // of the piece
	buf    []byte                 // a line that is spread over pieces
	number int                    // of the line that was returned last, from 1
	size   int64                  // of that line, in bytes
	limit  int64                  // of size: [maxLine]
	err    error
	stop   func()
}

// NewLines returns a reader of lines. The context ends it, also while a read
// waits; that read then continues in the background until the source returns. Close
// must be called in the end.
func NewLines(ctx context.Context, r io.Reader) *Lines {
	l := &Lines{stop: func() {}, limit: maxLine}
	if waits(r) {
		l.read, l.stop = readBeside(ctx, r)
		return l
	}
	size := int64(readSize)
	if sized, ok := r.(interface{ Size() int64 }); ok {
		size = min(size, sized.Size()+1) // the end is noticed without another read
	}
	piece := make([]byte, size)
	l.read = func() ([]byte, error) {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		n, err := r.Read(piece)
		return piece[:n], err
	}
	return l
}

// waits reports a source whose reads may wait for ever.
func waits(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

// readBeside reads in a goroutine of its own, which ends with the context or with
// stop once its read has returned.
func readBeside(ctx context.Context, r io.Reader) (read func() ([]byte, error), stop func()) {
	type result struct {
		piece []byte
		err   error
	}
	pieces, free := make(chan result), make(chan []byte, 2)
	free <- make([]byte, readSize)
	free <- make([]byte, readSize)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case b := <-free:
				n, err := r.Read(b[:readSize])
				select {
				case pieces <- result{b[:n], err}:
				case <-ctx.Done():
					return
				}
				if err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	var last []byte
	return func() ([]byte, error) {
		if last != nil {
			free <- last
			last = nil
		}
		select {
		case got := <-pieces:
			last = got.piece
			return got.piece, got.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, func() { cancel(nil) }
}

// Close ends the reading. It does not close the source.
func (l *Lines) Close() { l.stop() }

// Continue has Next look for more than there was at the end of a source that has grown.
func (l *Lines) Continue() { l.err = nil }

// Size returns the length of the line that Next returned last, in bytes. It is greater
// than the length of the returned bytes if only the beginning of the line was kept: a
// damaged file may have a line of any length.
func (l *Lines) Size() int64 { return l.size }

// IsCut reports whether the line that Next returned last was too long to be kept.
func (l *Lines) IsCut() bool { return l.size > l.limit }

// Next returns the next line with its ending, valid until the next call. The last
// line may lack one: it is returned with io.EOF, and is empty at the end. Of a line that
// is longer than 128 MiB only the beginning is returned, with the ending; see Size.
func (l *Lines) Next() ([]byte, error) {
	l.number++
	l.size = 0
	if l.buf = l.buf[:0]; cap(l.buf) > maxMemory {
		l.buf = nil
	}
	for {
		if i := bytes.IndexByte(l.rest, '\n'); i >= 0 {
			line := l.rest[:i+1]
			l.rest = l.rest[i+1:]
			l.size += int64(len(line))
			switch {
			case l.IsCut():
				l.keepHead(line)
				line = append(l.buf, '\n')
			case len(l.buf) > 0:
				l.buf = append(l.buf, line...)
				line = l.buf
			}
			return line, nil
		}
		l.size += int64(len(l.rest))
		if l.IsCut() {
			l.keepHead(l.rest)
		} else {
			l.buf = append(l.buf, l.rest...)
		}
		l.rest = nil
		if l.err != nil {
			return l.buf, l.err
		}
		l.rest, l.err = l.read()
	}
}

// keepHead keeps the beginning of a line that is too long; rest is what follows the
// buffered part of it.
func (l *Lines) keepHead(rest []byte) {
	if len(l.buf) < longHead {
		l.buf = append(l.buf, rest[:min(len(rest), longHead-len(l.buf))]...)
	}
	if len(l.buf) > longHead {
		l.buf = bytes.Clone(l.buf[:longHead])
	}
}
