package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/internal/system"
	"mcptea/record"
)

const (
	// maxMarks is the maximum number of rows with a mark or a note. The oldest are forgotten first.
	maxMarks = 10_000
	// maxNote is the length of a note, in bytes.
	maxNote = 1000
	// maxMarksFile bounds the file of marks next to a recording, in bytes.
	maxMarksFile = 32 << 20
)

// MarksSuffix is the suffix of the file of marks next to a recording. The file holds marks that
// were set while the recording was open for reading.
const MarksSuffix = ".marks"

// marks holds the user's marks and notes in the order they were set.
type marks struct {
	list    []record.Mark
	beside  bool // loaded from the file next to the recording
	unsaved bool // the file differs from the marks
}

func (m *marks) index(row int32) int {
	return slices.IndexFunc(m.list, func(x record.Mark) bool { return x.Row == row })
}

func (m *marks) set(x record.Mark) {
	if i := m.index(x.Row); i >= 0 {
		if m.list[i].Marked == x.Marked && x.Marked {
			m.list[i] = x // only the note changed
			return
		}
		m.list = slices.Delete(m.list, i, i+1)
	}
	if !x.Marked && x.Note == "" {
		return
	}
	if len(m.list) >= maxMarks {
		m.list = slices.Delete(m.list, 0, 1)
	}
	m.list = append(m.list, x)
}

// Marks returns the marks and notes of the user, in the order in which they were set. The
// caller owns the slice.
func (s *Store) Marks() []record.Mark {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.marks.list)
}

// HasMarked reports whether a frame is marked.
func (s *Store) HasMarked() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(s.marks.list, func(x record.Mark) bool { return x.Marked })
}

// MarksOf returns the result of [Store.Marks] for a fully loaded recording, but takes a fraction of
// the time. The error is an error of [Open], the file or the context.
func MarksOf(ctx context.Context, path string) ([]record.Mark, error) {
	s, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // nothing was set
	if s.marks.beside {
		return s.marks.list, nil
	}
	in := record.NewLines(ctx, s.source.file)
	defer in.Close()
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) { // the text after the last newline is incomplete
			return s.marks.list, nil
		}
		if err != nil {
			return nil, err
		}
		if bytes.Contains(line, []byte(`"mark"`)) || bytes.Contains(line, []byte(`"drift"`)) {
			s.marks.read(line)
		}
	}
}

// read applies a line if it sets or removes a mark.
func (m *marks) read(line []byte) {
	var d record.Decoder
	e, err := d.Decode(line)
	switch {
	case err != nil:
	case e.Kind == record.KindMark:
		m.set(*e.Mark)
	case e.Kind == record.KindDrift:
		m.set(driftNote(&e))
	}
}

// driftNote returns the note on a row whose list differs from a baseline.
func driftNote(e *record.Event) record.Mark {
	return record.Mark{Row: e.Drift.Row, Note: cutNote("drift: " + e.Text)}
}

// cutNote returns a note of at most maxNote bytes in one line.
func cutNote(note string) string {
	if len(note) > maxNote {
		note = note[:maxNote]
		for !utf8.ValidString(note) {
			note = note[:len(note)-1]
		}
	}
	return strings.Join(strings.Fields(note), " ")
}

// MarkAt returns the mark of a row, or the zero Mark.
func (s *Store) MarkAt(row int32) record.Mark {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.marks.index(row); i >= 0 {
		return s.marks.list[i]
	}
	return record.Mark{Row: row}
}

// SetMark sets a mark or a note on a row and replaces an earlier one. In a live session, the mark
// is recorded. In an opened recording, [Store.SaveMarks] saves it.
func (s *Store) SetMark(x record.Mark) error {
	x.Note = cutNote(x.Note)
	defer s.Notify()
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(x.Row) >= s.rows.n || x.Row < 0 {
		return fmt.Errorf("there is no frame %d", x.Row+1)
	}
	if s.source == nil {
		s.record(record.Event{Kind: record.KindMark, Time: time.Now(), Mark: &x})
		return nil
	}
	s.marks.beside, s.marks.unsaved = true, true
	s.marks.set(x)
	s.gen++
	return nil
}

// SaveMarks writes the file of marks next to an opened recording, if marks were set since the last call.
// [Store.Close] also does so.
func (s *Store) SaveMarks() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	list, unsaved := slices.Clone(s.marks.list), s.marks.unsaved
	s.marks.unsaved = false
	s.mu.Unlock()
	if !unsaved {
		return nil
	}
	var text []byte
	for i, x := range list {
		e := record.Event{Kind: record.KindMark, Time: time.Now(), Mark: &x}
		s.mu.RLock()
		s.passes(&e)
		s.mu.RUnlock()
		text = record.AppendEvent(text, int64(i)+1, &e)
	}
	if err := system.WriteFileBytes(s.path+MarksSuffix, text); err != nil {
		s.mu.Lock()
		s.marks.unsaved = true // later marks or Close write them
		s.mu.Unlock()
		return fmt.Errorf("cannot write the marks: %w", err)
	}
	return nil
}

// readMarks reads the file of marks next to an opened recording, if there is one.
func (s *Store) readMarks() {
	file, _, err := system.OpenRegular(s.path + MarksSuffix)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxMarksFile))
	if err != nil {
		return
	}
	s.marks.beside = true
	for line := range bytes.Lines(text) {
		s.marks.read(line)
	}
}
