package store

import (
	"context"
	"errors"
	"io"
	"iter"

	"mcptea/record"
	"mcptea/record/flow"
)

// Tail reads the events of a record in order, even while it grows. It reads the lines of the recording, so that
// its reader sees exactly what a reader of the file will see. It is not safe for concurrent use.
type Tail struct {
	store   *Store
	source  *journalReader
	lines   *record.Lines // lines of the source
	decoder record.Decoder
	row     int32 // row of the next event that has one
	started bool  // the header was passed

	// The fields below belong to [Tail.Matches].
	matcher *flow.Matcher
	event   record.Event
	matches []Match // matches of the event that were not yielded yet
	err     error
}

// NewTail returns a reader that begins with the first event.
func (s *Store) NewTail() *Tail {
	source := &journalReader{journal: s.journal}
	lines := record.NewLines(context.Background(), source)
	return &Tail{store: s, source: source, lines: lines, matcher: flow.NewMatcher(flow.Limits{})}
}

// Matches yields the events of the record, each with its matches; see [flow.Matcher.Event]. It ends
// when there are currently no more events; see [Tail.Err]. Both values are valid until the next
// step. A new loop continues where the last one stopped, even within an event.
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

// Err returns why Matches ended, or nil if a later call may continue.
func (t *Tail) Err() error { return t.err }

// Next returns the next event and its row, or None if it has none. ok is false if there is no event yet. The
// event is valid until the next call. The error is [ErrNotKept] if the event was not kept, or the error of a
// closed record. After an error, nothing more can be read.
func (t *Tail) Next() (e record.Event, row int32, ok bool, err error) {
	for {
		if !t.lines.HasLine() {
			if e, ok := t.large(); ok {
				t.row++
				return e, t.row - 1, true, nil
			}
		}
		line, err := t.lines.Next()
		if errors.Is(err, io.EOF) {
			t.lines.Continue()
			return e, None, false, nil
		}
		if err != nil {
			return e, None, false, err
		}
		if !t.started {
			t.started = true
			if _, err := record.ParseHeader(line); err == nil {
				continue
			}
		}
		if t.lines.IsCut() {
			continue // a line that is too long is skipped, as in Load
		}
		e, err := t.decoder.Decode(line)
		if err != nil {
			continue // an invalid line in an opened recording
		}
		if !e.IsRow() {
			return e, None, true, nil
		}
		t.row++
		return e, t.row - 1, true, nil
	}
}

// Row returns the row of the next event that has a row. This is also the number of rows before it.
func (t *Tail) Row() int32 { return t.row }

// A journalReader reads the part of the journal that existed when its end was last checked. That
// part ends with a complete line.
type journalReader struct {
	journal  *journal
	off, end int64
}

// Read returns io.EOF at the current end.
func (r *journalReader) Read(p []byte) (int, error) {
	n := min(int64(len(p)), r.end-r.off)
	if n <= 0 {
		return 0, io.EOF
	}
	if err := r.journal.read(p[:n], r.off); err != nil {
		return 0, err
	}
	r.off += n
	return int(n), nil
}
