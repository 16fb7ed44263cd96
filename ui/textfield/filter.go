package textfield

import (
	"cmp"

	"mcptea/ui/paint"
)

// Filter is the line in which the words of a filter or a search are typed. The
// zero Filter is empty and closed.
type Filter struct {
	Input
	Sign string // shown before the words; "" means a slash

	typing bool
	x      int // column of the text at the last painting
	at     int // column of the cursor
}

// Open focuses the line. Its words are selected, so that text replaces them.
func (f *Filter) Open() {
	if f.Deselect(); !f.typing {
		f.Choose()
	}
	f.typing = true
}

// Typing reports whether keys are text of the line.
func (f *Filter) Typing() bool { return f.typing }

// Shown reports whether there is something to paint: words, or the cursor.
func (f *Filter) Shown() bool { return f.typing || !f.Empty() }

// Clear drops the words and closes the line. It reports whether there were any.
func (f *Filter) Clear() bool {
	had := !f.Empty()
	f.Close()
	if had {
		f.SetValue("")
	}
	return had
}

// Paste inserts text while the line is open, and reports whether it is.
func (f *Filter) Paste(text string) bool {
	if f.typing {
		f.Insert(text)
	}
	return f.typing
}

// Put writes the sign and the words into a row, the words in at most w cells.
func (f *Filter) Put(r *paint.Row, pal *paint.Palette, st paint.Style, w int) {
	r.Put(pal.Accent, cmp.Or(f.Sign, "/")+" ")
	f.x = r.Used()
	text, at := f.Visible(min(w, r.Left()))
	f.at = at
	if f.typing {
		st = st.On(pal.Field)
	}
	r.Put(f.On(pal, st), text)
	if used := r.Used() - f.x; f.typing && used < w {
		r.GapOn(pal.Field, w-used)
	}
}

// CursorX returns the column of the cursor at the last painting. ok is false while the line is closed.
func (f *Filter) CursorX() (x int, ok bool) { return f.x + f.at, f.typing }

// Close ends the typing and keeps the words.
func (f *Filter) Close() {
	f.typing = false
	f.Deselect()
}

// Column returns the column of a byte of the words at the last painting.
func (f *Filter) Column(at int) int {
	return f.x + f.cellsBetween(f.top, min(at, f.Size()), unlimited)
}
