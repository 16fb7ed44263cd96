package stdio

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

const (
	readSize = 256 << 10
	// maxLine is the maximum size of a line. A longer line is returned in truncated pieces: the
	// first has this size, the more have restSize, so that a line without end takes no more
	// memory than one of maxLine.
	maxLine  = 64 << 20
	restSize = 1 << 20
	// keepSize is the maximum size of the buffer that is kept after a long line.
	keepSize = 4 << 20
	// growth is the factor by which a full buffer grows. The unwritten part of a new buffer takes
	// no memory. The old buffer does until it is collected.
	growth = 4
)

// line is one line of a stream.
type line struct {
	text      []byte // without its ending; valid until the next call of next
	ending    string // "\n", "\r\n" or ""
	truncated bool   // without newline: the stream ended, or maxLine was reached
	owned     bool   // the receiver owns text: the reader does not reuse it
}

// lines splits a stream at newlines, in linear time for lines of any length.
type lines struct {
	r     io.Reader
	buf   []byte
	start int // first byte of the current line
	seen  int // the bytes from start to seen have no newline
	end   int // end of the bytes that were read
	limit int // limit of the current piece: most, or restSize after the first piece of a line
	most  int
	err   error
	given int64        // bytes of the current line that were returned in pieces
	open  atomic.Int64 // bytes of the current line that were read, while more are waited for

	clock func() time.Time
	at    time.Time // time of the newest read
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: r, buf: make([]byte, min(readSize, limit)), limit: limit, most: limit, clock: time.Now}
}

// next returns the next line. After the last one it returns the error of the reader.
func (l *lines) next() (line, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.seen:l.end], '\n'); i >= 0 {
			return l.cut(l.seen + i), nil
		}
		l.seen = l.end
		if l.err != nil || l.end-l.start >= l.limit {
			return l.rest()
		}
		l.open.Store(l.given + int64(l.end-l.start))
		l.fill()
	}
}

// all returns all whole lines that were read and not yet returned, with their endings. If there are none, it
// reads more. Without a whole line, it returns the bytes of an incomplete one, like next.
func (l *lines) all() (lines []byte, part line, err error) {
	for {
		if i := bytes.LastIndexByte(l.buf[l.seen:l.end], '\n'); i >= 0 {
			lines = l.buf[l.start : l.seen+i+1]
			l.start = l.seen + i + 1
			l.seen, l.limit, l.given = l.start, l.most, 0
			return lines, line{}, nil
		}
		l.seen = l.end
		if l.err != nil || l.end-l.start >= l.limit {
			part, err = l.rest()
			return nil, part, err
		}
		l.open.Store(l.given + int64(l.end-l.start))
		l.fill()
	}
}

// cut returns the line that ends with the newline at position i.
func (l *lines) cut(i int) line {
	out := line{text: l.buf[l.start:i], ending: "\n"}
	if n := len(out.text); n > 0 && out.text[n-1] == '\r' {
		out.text, out.ending = out.text[:n-1], "\r\n"
	}
	l.start, l.seen, l.limit, l.given = i+1, i+1, l.most, 0
	if out.owned = len(out.text) > keepSize; out.owned {
		l.renew()
	}
	return out
}

// renew leaves the buffer to the owner of its first line, and allocates a new one.
func (l *lines) renew() {
	rest := l.buf[l.start:l.end]
	l.buf = make([]byte, max(min(readSize, l.limit), len(rest)))
	l.start, l.seen, l.end = 0, 0, copy(l.buf, rest)
}

// rest returns the bytes without a newline.
func (l *lines) rest() (line, error) {
	if l.start == l.end {
		return line{}, l.err
	}
	out := line{text: l.buf[l.start:l.end], truncated: true}
	l.given += int64(len(out.text))
	l.start, l.seen, l.limit = l.end, l.end, min(restSize, l.most)
	if out.owned = len(out.text) > keepSize; out.owned {
		l.renew()
	}
	return out, nil
}

// fill reads more bytes, and moves or grows the buffer if it is full.
func (l *lines) fill() {
	if l.start == l.end {
		l.start, l.seen, l.end = 0, 0, 0
		if len(l.buf) > keepSize {
			l.renew()
		}
	}
	if l.end == len(l.buf) {
		into := l.buf
		if used := l.end - l.start; used > len(l.buf)/2 {
			into = make([]byte, min(growth*len(l.buf), l.start+l.limit))
		}
		copy(into, l.buf[l.start:l.end])
		l.buf = into
		l.end, l.seen, l.start = l.end-l.start, l.seen-l.start, 0
	}
	n, err := l.r.Read(l.buf[l.end:min(len(l.buf), l.start+l.limit)])
	l.at = l.clock()
	l.end += n
	l.err = err
}
