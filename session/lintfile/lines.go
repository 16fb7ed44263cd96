package lintfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	readSize = 256 << 10
	// maxLine is the length of the longest line that is read: a frame of 64 MiB
	// in Base64 and what stands around it.
	maxLine = 128 << 20
)

// lines reads a file by lines.
type lines struct {
	ctx    context.Context
	read   func() ([]byte, error) // the next piece, valid until the next call
	rest   []byte                 // of the piece
	buf    []byte                 // a line that is spread over pieces
	number int
	offset int64 // of the next line, from where the reading began
	taken  int64 // bytes that were read
	err    error
	stop   func()
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{ctx: ctx, stop: func() {}}
	if waits(r) {
		l.read, l.stop = readBeside(ctx, r)
		return l
	}
	piece := make([]byte, readSize)
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

func (l *lines) close() { l.stop() }

// atEnd reports whether the line that was returned last, with an error, is the
// last one. Nothing can be read after it.
func (l *lines) atEnd(err error) bool {
	if err != nil {
		return errors.Is(err, io.EOF)
	}
	rest, err := l.next()
	return len(rest) == 0 && errors.Is(err, io.EOF)
}

// next returns the next line with its ending, valid until the next call. The last
// line may lack one: it comes with io.EOF, and is empty when there is none.
func (l *lines) next() ([]byte, error) {
	l.number++
	l.buf = l.buf[:0]
	for {
		if i := bytes.IndexByte(l.rest, '\n'); i >= 0 {
			line := l.rest[:i+1]
			l.rest = l.rest[i+1:]
			if len(l.buf) > 0 {
				l.buf = append(l.buf, line...)
				line = l.buf
			}
			l.offset += int64(len(line))
			return line, nil
		}
		l.buf = append(l.buf, l.rest...)
		l.rest = nil
		if len(l.buf) > maxLine {
			return nil, fmt.Errorf("line %d is longer than %d MB", l.number, maxLine>>20)
		}
		if l.err != nil {
			l.offset += int64(len(l.buf))
			return l.buf, l.err
		}
		l.rest, l.err = l.read()
		l.taken += int64(len(l.rest))
	}
}
