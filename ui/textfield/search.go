package textfield

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
)

// A Search is a line of words that are searched while they are typed.
type Search struct {
	Filter
	Begin  func(words string) // begins a search; no words end it
	In     string             // name of the searched text, such as "frame"
	Busy   bool               // the search is running
	Missed bool               // nothing was found
	Only   bool               // the search has come back to the same line
}

func (s *Search) field() Field { return Field{&s.Input, func() { s.Begin(s.Value()) }} }

// Key handles a key in the words.
func (s *Search) Key(k tea.KeyPressMsg) bool { return s.field().Key(k) }

// Paste inserts text into the words.
func (s *Search) Paste(text string) { s.field().Paste(text) }

// Drop drops the words. It reports whether there were any.
func (s *Search) Drop() bool {
	had := s.Clear()
	if had {
		s.Begin("")
	}
	return had
}

// End ends the typing: the words are kept, or dropped.
func (s *Search) End(keep bool) {
	if !keep {
		s.Drop()
	}
	s.Close()
}

// Put writes the words, and the state of the search, into the rest of a row.
func (s *Search) Put(r *paint.Row, pal *paint.Palette) {
	switch {
	case s.Busy:
		r.Right(paint.Span{Style: pal.Muted, Text: "searching "})
	case s.Missed && !s.Empty():
		r.Right(paint.Span{Style: pal.Warn, Text: "not found "})
	case s.Only && !s.Empty():
		r.Right(paint.Span{Style: pal.Muted, Text: "no other line of the " + s.In + " "})
	}
	s.Filter.Put(r, pal, pal.Text, max(1, r.Left()-3))
}
