package ui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// mark marks a frame or unmarks it; no row unmarks all. Notes stay.
func (m *model) mark(row int32) {
	s := m.session.Store()
	var err error
	marked := false
	if row == store.None {
		for _, x := range s.Marks() {
			x.Marked = false
			err = errors.Join(err, s.SetMark(x))
		}
	} else {
		x := s.MarkAt(row)
		x.Marked = !x.Marked
		marked, err = x.Marked, s.SetMark(x)
	}
	text := "No frame is marked."
	switch n := len(m.marked()); {
	case err != nil:
		m.say(action.Flash{Text: sentenceOf(err), Wrong: true})
		return
	case marked && n == 1:
		text = fmt.Sprintf("Frame #%d is marked. %s on another frame compares them, %s exports it.", row+1, command.KeyIn(command.Traffic, command.DiffFrames, false), command.KeyOf(command.ExportFrames))
	case n > 0:
		text = paint.Plural(n, "frame") + " marked."
	}
	m.say(action.Flash{Text: text})
}

// marked are the rows of the marked frames, in the order in which they were marked.
func (m *model) marked() []int32 {
	var rows []int32
	for _, x := range m.session.Store().Marks() {
		if x.Marked {
			rows = append(rows, x.Row)
		}
	}
	return rows
}

// annotated are the rows with a mark or a note.
func (m *model) annotated() []int32 {
	var rows []int32
	for _, x := range m.session.Store().Marks() {
		rows = append(rows, x.Row)
	}
	return rows
}

// editNote asks for the note on a frame.
func (m *model) editNote(row int32) {
	if row == store.None {
		m.say(action.Flash{Text: "No frame is selected."})
		return
	}
	o := &prompt{
		title: fmt.Sprintf("Note on frame #%d", row+1), verb: "save",
		text:   "One line of text. It is kept with the recording; an empty one removes it.",
		accept: func(text string) (action.Action, error) { return action.SetNote{Row: row, Text: text}, nil },
	}
	o.input.SetValue(m.session.Store().MarkAt(row).Note)
	m.overlay = o
}

// setNote sets the note on a frame.
func (m *model) setNote(a action.SetNote) {
	x := m.session.Store().MarkAt(a.Row)
	x.Note = a.Text
	if err := m.session.Store().SetMark(x); err != nil {
		m.say(action.Flash{Text: sentenceOf(err), Wrong: true})
	}
}

// place is a frame that words of the list of commands name: a number, a time of the day,
// or a time before or after the selected frame.
type place struct {
	row  int32
	text string // what it is, for the list
}

// placeFor returns the frame that a text names: "120", "#120", "14:28:14", "+3s" or
// "-1m".
func (m *model) placeFor(text string) (place, bool) {
	s := m.session.Store()
	if m.snap.Rows == 0 {
		return place{}, false
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && text[0] != '+' && text[0] != '-' {
		row := int32(min(max(n, 1), m.snap.Rows)) - 1
		return place{row, fmt.Sprintf("Go to frame #%d", row+1)}, true
	}
	base, _ := s.Row(max(m.wire().Selected(), 0))
	at := time.Unix(0, base.Time)
	switch d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); {
	case err == nil && (text[0] == '+' || text[0] == '-'):
		at = at.Add(d)
	default:
		clock, ok := parseClock(text)
		if !ok {
			return place{}, false
		}
		year, month, day := at.Date()
		at = time.Date(year, month, day, 0, 0, 0, 0, at.Location()).Add(clock)
	}
	row := s.RowAt(at)
	return place{row, fmt.Sprintf("Go to %s: frame #%d", paint.HumanClock(at), row+1)}, true
}

// parseClock parses a time of the day, and returns how long after midnight it is.
func parseClock(text string) (time.Duration, bool) {
	for _, form := range []string{"15:04:05", "15:04"} { // a fraction of a second may follow
		if t, err := time.Parse(form, text); err == nil {
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond()), true
		}
	}
	return 0, false
}
