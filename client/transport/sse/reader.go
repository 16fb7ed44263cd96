package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent is the maximum size of the lines of one event.
const maxEvent = 128 << 20

// ErrTooLong reports an event with more than [maxEvent] bytes.
var ErrTooLong = fmt.Errorf("an event of the stream is longer than %d MiB", maxEvent>>20)

var byteOrderMark = []byte("\xef\xbb\xbf")

// Reader reads the events of one stream (MCP 2025-11-25, transports,
// "Streamable HTTP"; the format is that of the HTML standard, section 9.2). Use
// it from one goroutine.
type Reader struct {
	lines   lines
	begun   bool // the first line of the stream was read
	ended   bool // the end was returned
	pending pending
}

// pending is the event being read. Its positions are offsets from the first byte of
// the event, since the buffer may move.
type pending struct {
	event     Event
	count     int // number of lines that are not blank
	fields    int // number of those that are not comments
	dataLines int
	dataAt    int // the first data line; further ones are joined in data
	dataEnd   int

	data, comment []byte // reused
	name          string // the name of an earlier event, most likely used again
}

// NewReader returns a reader of the events of src.
func NewReader(src io.Reader) *Reader {
	return &Reader{lines: lines{src: src, max: maxEvent, nl: byteIndex{byte: '\n'}, cr: byteIndex{byte: '\r'}}}
}

// Next returns the next event as soon as its blank line is in. Events without
// data are delivered too, their Data being nil; a lone comment is such an event.
//
// At the end of the stream the error is io.EOF. An event that the end cut off
// comes with io.ErrUnexpectedEOF, or with the error that src gave, and holds
// what was there; as far as the protocol goes it has not happened, so neither
// its id nor its data count. All later calls give the error of the end.
func (r *Reader) Next() (Event, error) {
	if r.ended {
		return Event{}, r.lines.err
	}
	r.pending.forget()
	r.lines.begin()
	for {
		line, ok := r.lines.next()
		if !ok {
			return r.end()
		}
		switch line = r.withoutMark(line); {
		case len(line) > 0:
			r.take(line)
		case r.pending.count > 0:
			return r.event(r.lines.from), nil
		default:
			r.lines.begin() // blank lines between events belong to none of them
		}
	}
}

// withoutMark cuts the byte order mark off the first line of the stream.
func (r *Reader) withoutMark(line []byte) []byte {
	if r.begun {
		return line
	}
	r.begun = true
	return bytes.TrimPrefix(line, byteOrderMark)
}

// end makes an event of what the end of the stream left behind.
func (r *Reader) end() (Event, error) {
	r.ended = true
	rest := r.lines.rest()
	whole := len(rest) == 0
	if rest = r.withoutMark(rest); len(rest) > 0 {
		r.take(rest)
	}
	err := r.lines.err
	clean := errors.Is(err, io.EOF)
	switch p := &r.pending; {
	case p.count == 0:
		return Event{}, err
	case clean && whole && p.fields == 0:
		err = nil // comments need no blank line to be whole
	case clean:
		err = io.ErrUnexpectedEOF
	}
	return r.event(len(r.lines.buf)), err
}

// take files one line that is not blank.
func (r *Reader) take(line []byte) {
	p := &r.pending
	p.count++
	if line[0] == ':' {
		p.addComment(trimSpace(line[1:]))
		return
	}
	p.fields++
	e := &p.event
	name, value := cutField(line)
	switch string(name) { // compiled without a copy
	case "data":
		// The value ends where the line does.
		end := r.lines.to - r.lines.start
		p.addData(r.lines.buf[r.lines.start:], end-len(value), end)
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

// event completes the pending event, the lines of which end at the given place
// of the buffer.
func (r *Reader) event(end int) Event {
	p := &r.pending
	raw := r.lines.buf[r.lines.start:end]
	p.event.Raw = raw[:len(raw):len(raw)]
	data := p.data
	if p.dataLines == 1 {
		data = raw[p.dataAt:p.dataEnd]
	}
	if p.event.hasData = p.dataLines > 0; len(data) > 0 {
		p.event.Data = data[:len(data):len(data)]
	}
	if p.event.HasComment {
		p.event.comment = p.comment
	}
	return p.event
}

func (p *pending) forget() {
	*p = pending{data: reuse(p.data), comment: reuse(p.comment), name: p.name}
}

// addData adds the data line event[at:end]. A single one, the common case, is
// not copied.
func (p *pending) addData(event []byte, at, end int) {
	switch p.dataLines++; p.dataLines {
	case 1:
		p.dataAt, p.dataEnd = at, end
		return
	case 2:
		p.data = append(p.data, event[p.dataAt:p.dataEnd]...)
	}
	p.data = append(append(p.data, '\n'), event[at:end]...)
}

func (p *pending) addComment(text []byte) {
	if p.event.HasComment {
		p.comment = append(p.comment, '\n')
	}
	p.event.HasComment = true
	p.comment = append(p.comment, text...)
}

// reuse empties a buffer, or drops it when it has become too large to keep.
func reuse(b []byte) []byte {
	if cap(b) > keepBuffer {
		return nil
	}
	return b[:0]
}
