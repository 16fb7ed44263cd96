package sse

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 16 << 10
	leastRead   = 4 << 10

	// A larger buffer of a large event is not kept, since a stream may be open for
	// days.
	keepBuffer = 1 << 20

	// How often in a row a source may return neither bytes nor an error.
	emptyReads = 100
)

// lines splits a source into lines that end with \n, \r\n or \r. The bytes since
// start stay contiguous in the buffer.
type lines struct {
	src io.Reader
	err error // of src; returned once the buffer is empty

	buf   []byte
	start int // the first byte of the event
	pos   int // the first byte of the line after the current one

	from, to int // the current line, without its end

	max int // of the lines of an event, in bytes: maxEvent

	nl, cr byteIndex
	skipLF bool // the line before ended with \r, and a \n at pos belongs to it
}

// byteIndex finds the next position of a byte. It keeps the position up to which it has
// searched, so that a stream with \n line endings is not searched for \r again at
// each line.
type byteIndex struct {
	byte byte
	at   int // the bytes before it are searched
	here bool
}

// next returns the first position at or after pos, or -1.
func (m *byteIndex) next(buf []byte, pos int) int {
	if !m.here || m.at < pos {
		from := max(m.at, pos)
		i := bytes.IndexByte(buf[from:], m.byte)
		m.here = i >= 0
		if m.at = len(buf); m.here {
			m.at = from + i
		}
	}
	if !m.here {
		return -1
	}
	return m.at
}

// begin starts an event at the next line and drops the bytes before it.
func (l *lines) begin() {
	l.start = l.pos
	if rest := len(l.buf) - l.start; cap(l.buf) > keepBuffer && rest < firstBuffer {
		l.moveTo(make([]byte, 0, firstBuffer))
	}
}

// next returns the next line without its ending. It returns false after the end of
// src; rest then returns an incomplete line.
//
// A line that ends with \r is returned without waiting for a \n, since it may be the
// blank line that ends an event.
func (l *lines) next() ([]byte, bool) {
	for {
		if l.skipLF && l.pos < len(l.buf) {
			l.skipLF = false
			if l.buf[l.pos] == '\n' {
				if l.start == l.pos {
					l.start++
				}
				l.pos++
			}
		}
		if end := l.end(); end >= 0 {
			l.from, l.to = l.pos, end
			l.pos = end + 1
			l.skipLF = l.buf[end] == '\r'
			return l.buf[l.from:l.to], true
		}
		if !l.fill() {
			return nil, false
		}
	}
}

// end returns the position of the line ending after pos, or -1.
func (l *lines) end() int {
	nl, cr := l.nl.next(l.buf, l.pos), l.cr.next(l.buf, l.pos)
	if nl < 0 || cr < 0 {
		return max(nl, cr)
	}
	return min(nl, cr)
}

// rest makes the incomplete last line the current one and returns it.
func (l *lines) rest() []byte {
	l.from, l.to = l.pos, len(l.buf)
	l.pos = len(l.buf)
	return l.buf[l.from:l.to]
}

// fill reads more bytes. It returns false at the end.
func (l *lines) fill() bool {
	if l.err != nil {
		return false
	}
	if len(l.buf)-l.start > l.max {
		l.err = ErrTooLong
		return false
	}
	l.makeRoom()
	for range emptyReads {
		n, err := l.src.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf, l.err = l.buf[:len(l.buf)+n], err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	l.err = io.ErrNoProgress
	return false
}

// makeRoom moves or grows the buffer before a read. It moves only if that frees half
// of it, so that the cost per byte is constant (amortized).
func (l *lines) makeRoom() {
	if cap(l.buf)-len(l.buf) >= leastRead {
		return
	}
	if held := len(l.buf) - l.start; held <= cap(l.buf)/2 && cap(l.buf) >= firstBuffer {
		l.moveTo(l.buf[:0])
		return
	}
	l.moveTo(make([]byte, 0, max(firstBuffer, 2*cap(l.buf))))
}

// moveTo moves the bytes since start to the front of an empty buffer, which may
// share its memory with the old one.
func (l *lines) moveTo(buf []byte) {
	shift := l.start
	l.buf = append(buf, l.buf[shift:]...)
	l.start, l.pos, l.from, l.to = 0, l.pos-shift, max(0, l.from-shift), max(0, l.to-shift)
	l.nl.shift(shift)
	l.cr.shift(shift)
}

// shift adjusts a position after a move of the buffer. A dropped position is searched
// again.
func (m *byteIndex) shift(by int) {
	if m.at -= by; m.at < 0 {
		m.at, m.here = 0, false
	}
}
