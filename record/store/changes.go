package store

import (
	"bytes"
	"fmt"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// maxChanges bounds the changed frames that can be shown with both versions. The recording has the
// other ones.
const maxChanges = 100_000

// A change is the part of a [record.Change] that is kept in memory: the place of its line, without
// the bytes.
type change struct {
	record.Change
	at   int64 // offset of its line in the journal
	size int   // bytes, without the newline
}

// changedSides maps the side of a frame to its outcome, for frames that were on one side only.
var changedSides = [...]record.Changed{transport.Injected: record.Added, transport.Withheld: record.Dropped, transport.Attached: record.NotChanged, transport.Own: record.NotChanged}

// Changed records the effect of a breakpoint or a fault on a frame. It also adds the effect to the
// log.
func (s *Store) Changed(c *record.Change) {
	s.event(record.Event{Kind: record.KindChange, Time: time.Now(), Change: c})
}

// changed indexes a change of a frame. The caller holds s.mu.
func (s *Store) changed(e *record.Event, at int64, size int) {
	c := e.Change
	if int(c.Row) >= s.rows.n {
		return
	}
	var of Row
	s.rows.change(c.Row, func(r *Row) {
		r.Changed = c.What
		of = *r
	})
	if len(s.changes) < maxChanges {
		kept := change{*c, at, size}
		kept.Received, kept.Sent = nil, nil
		s.changes[of.off] = kept
	}
	text := fmt.Sprintf("intercept: #%d %s %s", c.Row+1, s.methods.list[of.Method], c.Text())
	s.logs.add(Log{Time: e.Time, Source: LogNote, Level: LevelNone, Row: c.Row, Text: text})
}

// Change returns the effect of a breakpoint or a fault on a frame, without the bytes of the other
// version. ok is false if the frame was forwarded immediately and unchanged.
func (s *Store) Change(row int32) (c record.Change, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if row < 0 || int(row) >= s.rows.n {
		return c, false
	}
	r := s.rows.at(row)
	if r.Changed == record.NotChanged {
		return c, false
	}
	if kept, ok := s.changes[r.off]; ok {
		return kept.Change, true
	}
	return record.Change{Row: row, What: r.Changed}, true
}

// Sides is like Change, but also returns the bytes of the other version. The caller owns them. The
// error is an error of reading the recording.
func (s *Store) Sides(row int32) (c record.Change, ok bool, err error) {
	if c, ok = s.Change(row); !ok {
		return c, false, nil
	}
	s.mu.RLock()
	r := s.rows.at(row)
	kept, found := s.changes[r.off]
	s.mu.RUnlock()
	if !found {
		return c, true, nil
	}
	line := make([]byte, kept.size)
	if err := s.journal.read(line, kept.at); err != nil {
		return c, true, err
	}
	var d record.Decoder
	e, err := d.Decode(line)
	if err != nil || e.Change == nil {
		return c, true, fmt.Errorf("the other side of frame %d cannot be read: %w", row+1, err)
	}
	return *e.Change, true, nil
}

// Text returns the bytes of a row for a search, at most 1 MiB of each part: both versions of a
// changed frame, and a delivery with its headers. They are valid until the next call.
func (sc *Scanner) Text(r *Row) []byte {
	body := sc.Body(r)
	s := sc.store
	if r.Kind == KindDelivery {
		return s.withHeaders(r, body)
	}
	if r.Changed == record.NotChanged {
		return body
	}
	s.mu.RLock()
	kept, ok := s.changes[r.off]
	s.mu.RUnlock()
	if !ok {
		return body
	}
	c, _, err := s.Sides(kept.Row)
	if err != nil {
		return body
	}
	sides := [][]byte{bytes.Clone(body), c.Received[:min(len(c.Received), bodyLimit)]}
	for _, frame := range c.Sent {
		sides = append(sides, frame[:min(len(frame), bodyLimit)])
	}
	return bytes.Join(sides, []byte("\n"))
}
