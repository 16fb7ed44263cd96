package http

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxEvent bounds the lines of one event, in bytes, as for a line over stdio.
const maxEvent = 64 << 20

// ErrEventTooLong reports an event with more than [maxEvent] bytes.
var ErrEventTooLong = fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)

var byteOrderMark = []byte("\xef\xbb\xbf")

const (
	firstBuffer = 16 << 10
	leastRead   = 4 << 10
	// growth is the factor by which a full buffer grows. The unwritten part of a new buffer takes
	// no memory. The old buffer does until it is collected.
	growth = 4
	// A larger buffer of a large event is not kept, since a stream may be open for
	// days.
	keepBuffer = 1 << 20
	// How often in a row a source may return neither bytes nor an error.
	emptyReads = 100
)

// EventReader reads the events of one stream (MCP 2025-11-25, transports, "Streamable HTTP"; the format is
// defined in the HTML standard, section 9.2). It is not safe for concurrent use.
type EventReader struct {
	src io.Reader
	err error // error of src; returned once the buffer is empty
	max int   // maximum size of the lines of an event, in bytes: maxEvent

	buf      []byte // pending event and the bytes read after it
	start    int    // index of the first byte of the event
	pos      int    // index of the first byte of the line after the current one
	lf, cr   int    // no \n is between pos and lf, and no \r between pos and cr
	from, to int    // the current line, without its ending
	skipLF   bool   // the line before ended with \r, and a \n at pos belongs to it

	begun   bool // the first line of the stream was read
	ended   bool // the end was returned
	pending pendingEvent
}

// pendingEvent is the event being read. Its positions are offsets from the first byte of the
// event, since the buffer may move.
type pendingEvent struct {
	event     Event
	count     int // number of lines that are not blank
	fields    int // number of fields that are not comments
	dataLines int
	dataAt    int // the value of the first data line
	dataEnd   int
	dataSize  int // size of the values of all data lines, joined

	data []byte // reused
	name string // the name of an earlier event, most likely used again
}

// NewEventReader returns a reader of the events of src.
func NewEventReader(src io.Reader) *EventReader {
	return &EventReader{src: src, max: maxEvent}
}

// Next returns the next event as soon as its blank line has arrived. Events without data are delivered, too,
// with nil Data; a lone comment is such an event.
//
// At the end of the stream the error is io.EOF. An event that is cut off is returned with io.ErrUnexpectedEOF,
// or with the error of src, and contains the part that arrived. By the protocol it has not happened, so neither
// its id nor its data count. All later calls return the error of the end.
func (r *EventReader) Next() (Event, error) {
	if r.ended {
		return Event{}, r.err
	}
	r.pending = pendingEvent{data: reuse(r.pending.data), name: r.pending.name}
	r.begin()
	for {
		line, ok := r.line()
		if !ok {
			return r.end()
		}
		switch line = r.withoutMark(line); {
		case len(line) > 0:
			r.addLine(line)
		case r.pending.count > 0:
			return r.event(r.from), nil
		default:
			r.begin() // blank lines between events belong to no event
		}
	}
}

// withoutMark cuts the byte order mark off the first line of the stream.
func (r *EventReader) withoutMark(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, byteOrderMark)
}

// end makes an event of the bytes left at the end of the stream.
func (r *EventReader) end() (Event, error) {
	r.ended = true
	rest := r.buf[r.from:]
	whole := len(rest) == 0
	if rest = r.withoutMark(rest); len(rest) > 0 {
		r.addLine(rest)
	}
	err := r.err
	clean := errors.Is(err, io.EOF)
	switch p := &r.pending; {
	case p.count == 0:
		return Event{}, err
	case clean && whole && p.fields == 0:
		err = nil // comments need no blank line to be whole
	case clean:
		err = io.ErrUnexpectedEOF
	}
	return r.event(len(r.buf)), err
}

// addLine adds one line that is not blank.
func (r *EventReader) addLine(line []byte) {
	p := &r.pending
	p.count++
	if line[0] == ':' {
		p.event.HasComment = true
		return
	}
	p.fields++
	e := &p.event
	name, value := cutField(line)
	switch string(name) { // compiled without a copy
	case "data":
		p.addData(r.to-r.start-len(value), r.to-r.start) // the value ends at the end of the line
	case "event":
		if string(value) != p.name {
			p.name = string(value)
		}
		e.Name = p.name
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.ID, e.HasID = string(value), true
		}
	case "retry":
		if d, ok := retryOf(value); ok {
			e.Retry, e.HasRetry = d, true
		}
	}
}

// event completes the pending event, whose lines end at the given place of the buffer.
func (r *EventReader) event(end int) Event {
	p := &r.pending
	raw := r.buf[r.start:end]
	var data []byte
	switch {
	case p.dataLines == 1: // the common case, which is not copied
		data = raw[p.dataAt:p.dataEnd]
	case p.dataLines > 1 && !errors.Is(r.err, ErrEventTooLong):
		data = p.join(raw)
	}
	p.event.Raw = slices.Clip(raw)
	if len(data) > 0 {
		p.event.Data = slices.Clip(data)
	}
	return p.event
}

// begin starts an event at the next line and drops the bytes before it.
func (r *EventReader) begin() {
	r.start = r.pos
	if rest := len(r.buf) - r.start; cap(r.buf) > keepBuffer && rest < firstBuffer {
		r.moveTo(make([]byte, 0, firstBuffer))
	}
}

// line returns the next line without its ending. It returns false after the end of src,
// where an incomplete line is the current one.
//
// A line that ends with \r is returned without waiting for a \n, since it may be the
// blank line that ends an event.
func (r *EventReader) line() ([]byte, bool) {
	for {
		if r.skipLF && r.pos < len(r.buf) {
			r.skipLF = false
			if r.buf[r.pos] == '\n' {
				if r.start == r.pos {
					r.start++
				}
				r.pos++
			}
		}
		r.lf = r.index('\n', max(r.lf, r.pos), len(r.buf))
		r.cr = r.index('\r', max(r.cr, r.pos), r.lf)
		if end := r.cr; end < len(r.buf) {
			r.from, r.to, r.pos, r.skipLF = r.pos, end, end+1, r.buf[end] == '\r'
			return r.buf[r.from:r.to], true
		}
		if !r.fill() {
			r.from, r.to, r.pos = r.pos, len(r.buf), len(r.buf)
			return nil, false
		}
	}
}

// index returns the position of a byte, or the end of the range.
func (r *EventReader) index(c byte, from, to int) int {
	if i := bytes.IndexByte(r.buf[from:to], c); i >= 0 {
		return from + i
	}
	return to
}

// fill reads more bytes, or returns false at the end. It moves the buffer only if that frees half of it, so
// that the cost per byte is constant (amortized).
func (r *EventReader) fill() bool {
	held := len(r.buf) - r.start
	if r.err == nil && held > r.max {
		r.err = ErrEventTooLong
	}
	switch room := cap(r.buf) - len(r.buf); {
	case r.err != nil:
		return false
	case room >= leastRead:
	case held <= cap(r.buf)/2 && cap(r.buf) >= firstBuffer:
		r.moveTo(r.buf[:0])
	default:
		r.moveTo(make([]byte, 0, r.larger()))
	}
	for range emptyReads {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf, r.err = r.buf[:len(r.buf)+n], err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	r.err = io.ErrNoProgress
	return false
}

// larger returns the size of the next buffer. Close to the maximum it is the maximum, because detecting an
// event that is too long would otherwise take the memory twice.
func (r *EventReader) larger() int {
	size := max(firstBuffer, growth*cap(r.buf))
	if size >= r.max {
		return r.max + firstBuffer
	}
	return size
}

// moveTo moves the bytes since start to the front of an empty buffer, which may
// share its memory with the old one.
func (r *EventReader) moveTo(buf []byte) {
	r.buf = append(buf, r.buf[r.start:]...)
	for _, at := range []*int{&r.pos, &r.lf, &r.cr, &r.from, &r.to, &r.start} {
		*at = max(0, *at-r.start)
	}
}

// addData adds the data line event[at:end].
func (p *pendingEvent) addData(at, end int) {
	if p.dataLines++; p.dataLines == 1 {
		p.dataAt, p.dataEnd = at, end
	} else {
		p.dataSize++ // the line break between two values
	}
	p.dataSize += end - at
}

// join returns the values of the data lines of an event, joined by line breaks. It searches the lines again, so
// that their places need not be stored, and memory is allocated once.
func (p *pendingEvent) join(event []byte) []byte {
	p.data = append(slices.Grow(p.data[:0], p.dataSize), event[p.dataAt:p.dataEnd]...)
	for rest := event[p.dataEnd:]; len(rest) > 0; {
		end := bytes.IndexAny(rest, "\r\n")
		if end < 0 {
			end = len(rest)
		}
		if name, value := cutField(rest[:end]); string(name) == "data" {
			p.data = append(append(p.data, '\n'), value...)
		}
		rest = rest[min(end+1, len(rest)):]
	}
	return p.data
}

// reuse empties a buffer, or drops it when it has become too large to keep.
func reuse(b []byte) []byte {
	if cap(b) > keepBuffer {
		return nil
	}
	return b[:0]
}
