package record

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// Reader reads a recording from its first line on.
type Reader struct {
	Header  Header
	lines   *Lines
	decoder Decoder
}

// NewReader returns a reader of the lines that follow the first, which is the
// header and was read already. The error is [ErrNotARecording].
func NewReader(first []byte, lines *Lines) (*Reader, error) {
	h, err := ParseHeader(first)
	if err != nil {
		return nil, err
	}
	return &Reader{Header: h, lines: lines}, nil
}

// Line is the number of the line of the event that was yielded last, from 1.
func (r *Reader) Line() int { return r.lines.number }

// Events returns the events in the order of the file. An event and its bytes are
// valid until the next one. What cannot be read does not end the sequence: a
// garbage line, an incomplete last line (a crash, a full disk) and a newer version
// of the format are events of [KindProblem]. The error is one of the source, and
// ends the sequence.
func (r *Reader) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if v := r.Header.Version; v > Version && !yield(problem("the recording has version %d of the format; this program knows up to %d, and skips what is new", v, Version), nil) {
			return
		}
		for line, err := r.lines.Next(); ; {
			switch {
			case err != nil && !errors.Is(err, io.EOF):
				yield(Event{}, err)
				return
			case len(line) == 0:
				return
			}
			e, wrong := r.decode(line)
			if wrong == nil {
				if !yield(e, nil) {
					return
				}
				line, err = r.lines.Next()
				continue
			}
			number, size := r.lines.number, r.lines.Size()
			if line, err = r.next(err); len(line) == 0 && errors.Is(err, io.EOF) {
				yield(problem("line %d is incomplete: the recording was cut off after %d bytes of it", number, size), nil)
				return
			}
			if !yield(problem("line %d is not an event and was skipped: %v", number, wrong), nil) {
				return
			}
		}
	}
}

func (r *Reader) decode(line []byte) (Event, error) {
	if r.lines.IsCut() {
		return Event{}, ErrTooLong
	}
	return r.decoder.Decode(line)
}

// ErrTooLong is why a line is not read.
var ErrTooLong = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

// next returns the next line, after one that came with an error.
func (r *Reader) next(err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return r.lines.Next()
}

func problem(format string, args ...any) Event {
	return Event{Kind: KindProblem, Text: fmt.Sprintf(format, args...)}
}
