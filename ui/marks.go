package ui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/frames"
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
		m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
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
	dialog.Prompt{
		Title: fmt.Sprintf("Note on frame #%d", row+1), Verb: "save", Value: m.session.Store().MarkAt(row).Note,
		Text: "One line of text. It is kept with the recording; an empty one removes it.",
		Accept: func(text string) (func(), error) {
			return func() {
				x := m.session.Store().MarkAt(row)
				x.Note = text
				if err := m.session.Store().SetMark(x); err != nil {
					m.app().Fail(dialog.Sentence(err))
				}
			}, nil
		},
	}.Open(m.app())
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

// explainRow opens the card of what a frame is about.
func (m *model) explainRow(a action.ExplainRow) tea.Cmd {
	c, _, ok := frames.CardOfRow(m.session, a.Row, a.AsHTTP)
	if !ok {
		return m.act(action.Flash{Text: "there is nothing to explain about this"})
	}
	dialog.Card(m.app(), c)
	return nil
}
