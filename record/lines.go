package record

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"

	"mcptea/client/jsonrpc"
)

const (
	readSize = 256 << 10
	// maxLine is the maximum length of a line, in bytes: a frame of 64 MiB in Base64, with the members around
	// it.
	maxLine = 96 << 20
	// largeLine is the buffer size at which the buffer grows directly to the maximum.
	largeLine = 16 << 20
	// longHead is the number of bytes kept of a line that is too long.
	longHead = 4 << 10
	// maxMemory is the largest line buffer that is reused, so that one long line does not keep its memory.
	maxMemory = 1 << 20
	// growth is the factor by which a full buffer grows. Unused bytes take no memory pages, but the old buffer
	// stays until it is collected.
	growth = 4
)

// Lines reads a file line by line, in bounded memory. It is not safe for
// concurrent use.
type Lines struct {
	read  func([]byte) (int, error)
	piece int    // bytes that are read at a time
	rest  []byte // bytes read after the last block
	err   error  // error after the rest
	limit int64  // maximum length of a line: [maxLine]
	stop  func()

	// Ahead is called for each decoded frame of [Lines.Blocks], on several goroutines. It may be nil.
	Ahead func(e *Event) uint64
	// Parts is called like Ahead and appends the [Event.Parts] of a frame. It may be nil.
	Parts func(e *Event, to []jsonrpc.Span) []jsonrpc.Span

	// The fields below belong to [Lines.Next].
	buf   []byte // the memory of the block
	block []byte // unread rest of the current block
	size  int64  // bytes of the last returned line
}

// NewLines returns a reader of lines. The end of the context ends the reader, even during a read.
// That read then continues in the background until the source returns. The caller must call Close.
func NewLines(ctx context.Context, r io.Reader) *Lines {
	l := &Lines{stop: func() {}, limit: maxLine, piece: readSize}
	if waits(r) {
		l.read, l.stop = readBeside(ctx, r)
		return l
	}
	if sized, ok := r.(interface{ Size() int64 }); ok {
		l.piece = int(min(readSize, sized.Size()+1)) // notices the end without another read
	}
	l.read = func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	}
	return l
}

// waits reports whether reads of the source may wait forever.
func waits(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

// readBeside reads in a separate goroutine. After the context or stop has ended it, the goroutine
// still waits for the read that is running.
func readBeside(ctx context.Context, r io.Reader) (read func([]byte) (int, error), stop func()) {
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
	var last result
	var rest []byte
	return func(p []byte) (int, error) {
		if len(rest) == 0 && last.err == nil {
			if last.piece != nil {
				free <- last.piece
			}
			select {
			case last = <-pieces:
				rest = last.piece
			case <-ctx.Done():
				last.piece = nil
				return 0, context.Cause(ctx)
			}
		}
		n := copy(p, rest)
		if rest = rest[n:]; len(rest) > 0 {
			return n, nil
		}
		return n, last.err
	}, func() { cancel(nil) }
}

// Close ends the reading, but does not close the source.
func (l *Lines) Close() { l.stop() }

// Continue lets Next read again after the source has grown.
func (l *Lines) Continue() { l.err = nil }

// HasLine reports whether Next has a line without reading from the source.
func (l *Lines) HasLine() bool { return len(l.block) > 0 }

// Rest returns the number of bytes read from the source beyond the lines that Next has returned.
func (l *Lines) Rest() int { return len(l.rest) }

// Restart drops the bytes that were read ahead, because the position of the source has changed.
func (l *Lines) Restart() { l.rest, l.block, l.err = nil, nil, nil }

// Size returns the length in bytes of the line that Next returned last. It is greater than the
// length of the returned bytes if Next truncated the line. In a damaged file, a line may have any
// length.
func (l *Lines) Size() int64 { return l.size }

// IsCut reports whether Next truncated the line that it returned last.
func (l *Lines) IsCut() bool { return l.size > l.limit }

// Next returns the next line with its ending, valid until the next call. A last line without an
// ending is returned with io.EOF; at the end, the line is empty. A line longer than 96 MiB is
// truncated, but keeps its ending; see Size.
func (l *Lines) Next() ([]byte, error) {
	cut := int64(0)
	if len(l.block) == 0 {
		l.buf = reuse(l.buf)
		l.buf, cut = l.next(l.buf)
		l.block = l.buf
	}
	line, rest, ended := cutLine(l.block)
	l.block, l.size = rest, max(int64(len(line)), cut)
	if !ended {
		return line, l.err
	}
	return line, nil
}

// cutLine cuts off the first line with its ending. ended reports whether the line has an ending.
func cutLine(text []byte) (line, rest []byte, ended bool) {
	i := bytes.IndexByte(text, '\n')
	if i < 0 {
		return text, nil, false
	}
	return text[:i+1], text[i+1:], true
}

// reuse returns b for the next block, or nil if it held a long line.
func reuse(b []byte) []byte {
	if cap(b) > maxMemory {
		return nil
	}
	return b[:0]
}

// next returns the complete lines of one read, in the memory of b. When l.err is set, it returns the last line
// of the source, if that has no line ending. If a line is too long, next returns its start and its length.
func (l *Lines) next(b []byte) (block []byte, cut int64) {
	b = append(b[:0], l.rest...)
	l.rest = nil
	for searched := 0; ; {
		if i := bytes.LastIndexByte(b[searched:], '\n'); i >= 0 {
			i += searched + 1
			l.rest = b[i:]
			return b[:i], 0
		}
		if searched = len(b); int64(searched) > l.limit {
			return l.cut(b)
		}
		if l.err != nil {
			return b, 0
		}
		if len(b) == cap(b) {
			size := growth * len(b)
			if len(b) >= largeLine {
				size = math.MaxInt
			}
			b = append(make([]byte, 0, max(l.piece, min(size, int(l.limit)+l.piece))), b...)
		}
		var n int
		n, l.err = l.read(b[len(b):cap(b)])
		b = b[:len(b)+n]
	}
}

// cut reads to the end of a line that is too long, and returns its beginning and its length.
func (l *Lines) cut(b []byte) (head []byte, size int64) {
	head, size = bytes.Clone(b[:longHead]), int64(len(b))
	for piece := make([]byte, readSize); l.err == nil; {
		var n int
		n, l.err = l.read(piece)
		if _, rest, ended := cutLine(piece[:n]); ended {
			l.rest = rest
			return append(head, '\n'), size + int64(n-len(rest))
		}
		size += int64(n)
	}
	return head, size
}
