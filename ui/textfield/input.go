package textfield

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// Input is one line of text that its callers paint: a search, a number, a name. The zero
// Input is empty and ready for use. It is not safe for concurrent use.
type Input struct {
	Buffer
	Example string // shown while the field is empty
	chosen  bool   // the whole text is selected, so that typing replaces it
}

// Choose selects the whole text, so that typing replaces it.
func (in *Input) Choose() { in.chosen = !in.Empty() }

// Selected reports whether all of the text is selected.
func (in *Input) Selected() bool { return in.chosen }

// Deselect keeps the text, so that typing inserts at the cursor.
func (in *Input) Deselect() { in.chosen = false }

// On returns the style of the text, with the background of a selection.
func (in *Input) On(pal *paint.Palette, st paint.Style) paint.Style {
	if in.chosen {
		return st.On(pal.Chosen)
	}
	return st
}

var line = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// SetValue replaces the text and moves the cursor to its end.
func (in *Input) SetValue(text string) { in.Buffer.SetValue(line.Replace(text)) }

// Insert inserts text at the cursor, or replaces the selection. Line ends become spaces.
func (in *Input) Insert(text string) {
	in.replaceChosen()
	in.Buffer.Insert(line.Replace(text))
}

// replaceChosen deletes the text if all of it is selected, and reports whether it was.
func (in *Input) replaceChosen() (was bool) {
	if was, in.chosen = in.chosen, false; was {
		in.Replace(0, in.Size(), "")
	}
	return was
}

// Key edits the text. It reports whether the key has a meaning in a text field; the caller handles others.
// Moves are always handled, even at an end of the line.
func (in *Input) Key(k tea.KeyPressMsg) bool {
	deletes := k.Code == tea.KeyBackspace || k.Code == tea.KeyDelete
	if (deletes || k.Text != "") && in.replaceChosen() && deletes {
		return true
	}
	if !in.Buffer.Key(k) && !slices.Contains(alongKeys, k.String()) {
		return false // such as help: the selection stays
	}
	in.Deselect()
	return true
}

// alongKeys move the cursor along a line.
var alongKeys = []string{"left", "ctrl+b", "right", "ctrl+f", "alt+left", "ctrl+left", "alt+b", "alt+right", "ctrl+right", "alt+f"}

// A Field is an Input that receives keys. Changed is called when the text has changed.
type Field struct {
	*Input
	Changed func()
}

// Key implements [app.Field].
func (f Field) Key(k tea.KeyPressMsg) bool {
	defer f.watch(f.version)
	return f.Input.Key(k)
}

// Paste implements [app.Field].
func (f Field) Paste(text string) {
	defer f.watch(f.version)
	f.Insert(text)
}

func (f Field) watch(before int) {
	if f.version != before {
		f.Changed()
	}
}

// Visible returns the sanitized part of the text that is shown in w cells, and the column of the cursor in it.
// It scrolls so that the cursor is visible.
func (in *Input) Visible(w int) (text string, cursor int) {
	if w <= 0 {
		return "", 0
	}
	in.ready()
	cursor = in.scrollLine(w)
	text = in.text.slice(in.top, in.windowEnd(w))
	if in.Secret {
		return strings.Repeat(phrase.Signs("•"), utf8.RuneCountInString(text)), cursor
	}
	return display.Sanitize(text), cursor
}

// windowEnd returns the end of the text that [Input.Visible] shows in w cells.
func (in *Input) windowEnd(w int) int {
	s, end := in.text.slice(in.top, min(in.text.size, in.top+w*16+64)), 0
	for end < len(s) {
		n, cells := in.step(s, end)
		if w -= cells; w < 0 {
			break
		}
		end += n
	}
	return in.top + end
}

// Hidden reports whether there is text before and after the part that [Input.Visible] has
// returned last for a width.
func (in *Input) Hidden(w int) (before, after bool) {
	return in.top > 0, in.windowEnd(w) < in.Size()
}

// Rest returns the sanitized text after the part that [Input.Visible] shows in w cells, or "" for a secret.
func (in *Input) Rest(w int) string {
	if in.Secret {
		return ""
	}
	return display.Sanitize(in.text.slice(in.windowEnd(w), in.Size()))
}
