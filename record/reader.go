package record

import (
	"fmt"
	"iter"
)

// Reader reads a recording from its first line.
type Reader struct {
	Header  Header
	Lines   *Lines // lines after the header
	decoder Decoder
	line    int
}

// NewReader returns a reader of the lines after the first one. The first line is the header, which
// the caller has read. The error is [ErrNotARecording].
func NewReader(first []byte, lines *Lines) (*Reader, error) {
	h, err := ParseHeader(first)
	if err != nil {
		return nil, err
	}
	return &Reader{Header: h, Lines: lines, line: 1}, nil
}

// Line returns the number of the line of the event that was yielded last, from 1.
func (r *Reader) Line() int { return r.line }

// Events yields the events in the order of the file; see [Lines.Blocks]. An event and its bytes are valid until
// the next one. Unreadable parts do not end the sequence: an invalid line, an incomplete last line (after a
// crash or on a full disk) and a newer version of the format become events of [KindProblem]. An error of the
// source ends the sequence.
func (r *Reader) Events() iter.Seq2[*Event, error] { return r.events }

func (r *Reader) events(yield func(*Event, error) bool) {
	if v := r.Header.Version; v > Version && !yield(problem("the recording has version %d of the format; this program knows up to %d, and skips what is new", v, Version), nil) {
		return
	}
	var wrong error // error of the previous line
	var size int64
	for lines, err := range r.Lines.Blocks() {
		if err != nil {
			if wrong == nil || yield(r.garbage(wrong), nil) {
				yield(nil, err)
			}
			return
		}
		for i := range lines {
			if wrong != nil && !yield(r.garbage(wrong), nil) {
				return
			}
			line := &lines[i]
			r.line++
			r.decoder.Complete(line)
			if wrong, size = line.Err, line.Size; wrong == nil && !yield(&line.Event, nil) {
				return
			}
		}
	}
	if wrong != nil {
		yield(problem("line %d is incomplete: the recording was cut off after %d bytes of it", r.line, size), nil)
	}
}

// garbage returns an event for the newest line, which is not valid.
func (r *Reader) garbage(why error) *Event {
	return problem("line %d is not an event and was skipped: %v", r.line, why)
}

// ErrTooLong is the reason why a line is skipped.
var ErrTooLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

func problem(format string, args ...any) *Event {
	return &Event{Kind: KindProblem, Text: fmt.Sprintf(format, args...)}
}
