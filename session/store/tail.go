package store

import (
	"bytes"
	"iter"

	"mcptea/session/flow"
	"mcptea/session/record"
)

// Tail reads the events of a record in their order, also while it grows. It
// reads the very lines that the recording has, so that its reader sees what a
// reader of the file will see. It is not safe for concurrent use.
type Tail struct {
	store   *Store
	decoder record.Decoder
	off     int64  // in the journal, of the byte behind buf
	buf     []byte // what was read and not decoded yet
	mem     []byte // backs buf; used again when all of buf was decoded
	row     int32  // of the next event that is a row
	started bool   // the header was passed

	// The rest is of [Tail.Matches].
	matcher *flow.Matcher
	event   record.Event
	matches []Match // of the event, that were not visited yet
	err     error
}

const (
	// tailRead is how much a Tail reads at a time, in bytes.
	tailRead = 256 << 10
	// maxMem is the size above which memory is not used again: one long line
	// must not stay.
	maxMem = 1 << 20
)

// NewTail returns a reader that begins with the first event.
func (s *Store) NewTail() *Tail { return &Tail{store: s, matcher: flow.NewMatcher(flow.Limits{})} }

// Matches walks over the events of the record, each with what it belongs to: see
// [flow.Matcher.Event]. It ends when there are no more at the moment: see [Tail.Err]. Both
// are valid until the next step. Ranging over it again goes on where a loop has ended, also
// within an event.
func (t *Tail) Matches() iter.Seq2[*record.Event, *Match] {
	return func(yield func(*record.Event, *Match) bool) {
		for {
			for len(t.matches) > 0 {
				m := &t.matches[0]
				t.matches = t.matches[1:]
				if !yield(&t.event, m) {
					return
				}
			}
			var row int32
			var ok bool
			if t.event, row, ok, t.err = t.Next(); t.err != nil || !ok {
				return
			}
			t.matches = t.matcher.Event(&t.event, row)
		}
	}
}

// Err is why a walk over the matches has ended; nil if it may go on later.
func (t *Tail) Err() error { return t.err }

// Next returns the next event, and the row that it has among the frames, None if
// it has none. ok is false while there is no further event. The event is valid
// until the next call. The error is [ErrNotKept] if the event was not kept, and
// that of the record if it is closed; nothing more can be read then.
func (t *Tail) Next() (e record.Event, row int32, ok bool, err error) {
	for {
		line, ok, err := t.line()
		if err != nil || !ok {
			return e, None, false, err
		}
		if !t.started {
			t.started = true
			if _, err := record.ParseHeader(line); err == nil {
				continue
			}
		}
		if len(line) > record.MaxLine {
			continue // as Load does
		}
		e, err := t.decoder.Decode(line)
		if err != nil {
			continue // garbage in a recording that was opened
		}
		if !e.IsRow() {
			return e, None, true, nil
		}
		t.row++
		return e, t.row - 1, true, nil
	}
}

// Row is that of the next event that has one: how many rows were passed.
func (t *Tail) Row() int32 { return t.row }

// line returns the next line with its newline.
func (t *Tail) line() ([]byte, bool, error) {
	if len(t.buf) == 0 {
		if more, err := t.read(tailRead); err != nil || !more {
			return nil, false, err
		}
	}
	for searched := 0; ; {
		if i := bytes.IndexByte(t.buf[searched:], '\n'); i >= 0 {
			line := t.buf[:searched+i+1]
			t.buf = t.buf[searched+i+1:]
			return line, true, nil
		}
		// A long line: twice as much each time.
		searched = len(t.buf)
		if more, err := t.read(max(searched, tailRead)); err != nil || !more {
			return nil, false, err
		}
	}
}

// read appends at most n bytes of the journal to buf. The journal ends with whole
// lines, so that what is missing of one is there.
func (t *Tail) read(n int) (more bool, err error) {
	_, end := t.store.journal.size()
	n = int(min(int64(n), end-t.off))
	if n <= 0 {
		return false, nil
	}
	grown := t.mem
	if size := len(t.buf) + n; len(t.buf) > 0 || cap(grown) < size || cap(grown) > maxMem {
		grown = make([]byte, size)
		copy(grown, t.buf)
	} else {
		grown = grown[:size]
	}
	if err := t.store.journal.read(grown[len(t.buf):], t.off); err != nil {
		return false, err
	}
	t.buf, t.mem = grown, grown
	t.off += int64(n)
	return true, nil
}
