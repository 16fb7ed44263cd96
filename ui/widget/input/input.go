// Package input is one line of text that is being typed: a filter, a search, a
// number. Keys and state are those of the text input of Bubbles; the text is
// painted by this program, since it may come from a server by paste.
package input

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
)

// Input is a text field of one line. The zero Input is empty and ready for use.
// It is not safe for concurrent use.
type Input struct {
	field   textinput.Model
	made    bool
	version int
	left    int // cells scrolled off at the left
}

func (in *Input) model() *textinput.Model {
	if !in.made {
		in.field, in.made = textinput.New(), true
		in.field.KeyMap.Paste = key.NewBinding()
		in.field.SetVirtualCursor(false)
		in.field.Focus()
	}
	return &in.field
}

// SetSecret has the text painted as dots.
func (in *Input) SetSecret() {
	m := in.model()
	m.EchoMode, m.EchoCharacter = textinput.EchoPassword, '•'
}

// Value is the text.
func (in *Input) Value() string { return in.model().Value() }

// Empty reports whether there is no text.
func (in *Input) Empty() bool { return !in.made || in.field.Value() == "" }

// Version changes with the text.
func (in *Input) Version() int { return in.version }

// SetValue replaces the text and moves the cursor to its end.
func (in *Input) SetValue(text string) {
	in.model().SetValue(text)
	in.field.CursorEnd()
	in.version++
}

// Insert puts text at the cursor, line ends as spaces.
func (in *Input) Insert(text string) { in.update(tea.PasteMsg{Content: text}) }

// Key edits the text. It reports whether the key means something in a text
// field: those that do not are left to the caller.
func (in *Input) Key(k tea.KeyPressMsg) bool {
	m := in.model()
	if k.Text == "" && !key.Matches(k, bindings(m)...) {
		return false
	}
	if key.Matches(k, m.KeyMap.DeleteWordForward) && m.Position()+1 == utf8.RuneCountInString(m.Value()) {
		// The text input reads behind the end of the line in this case.
		k = tea.KeyPressMsg{Code: tea.KeyDelete}
	}
	in.update(k)
	return true
}

func (in *Input) update(msg tea.Msg) {
	m := in.model()
	before := m.Value()
	*m, _ = m.Update(msg)
	if m.Value() != before {
		in.version++
	}
}

// bindings are the keys of a text field.
func bindings(m *textinput.Model) []key.Binding {
	k := m.KeyMap
	return []key.Binding{
		k.CharacterForward, k.CharacterBackward, k.WordForward, k.WordBackward, k.DeleteWordBackward, k.DeleteWordForward,
		k.DeleteAfterCursor, k.DeleteBeforeCursor, k.DeleteCharacterBackward, k.DeleteCharacterForward, k.LineStart, k.LineEnd,
	}
}

// Visible is the part of the text that shows in w cells, sanitized, and the
// column of the cursor in it. It scrolls so that the cursor is in sight.
func (in *Input) Visible(w int) (text string, cursor int) {
	m := in.model()
	if w <= 0 {
		return "", 0
	}
	value := []rune(m.Value())
	before, after := string(value[:m.Position()]), string(value[m.Position():])
	if m.EchoMode == textinput.EchoPassword {
		before, after = strings.Repeat("•", m.Position()), strings.Repeat("•", len(value)-m.Position())
	}
	before, after = paint.Sanitize(before), paint.Sanitize(after)
	at := paint.Width(before)
	in.left = max(0, min(in.left, at), at-w+1)
	text, over := paint.SkipCells(before+after, in.left)
	at -= in.left + over
	end := 0
	for end < len(text) {
		n := paint.NextCluster(text[end:])
		if n <= 0 || paint.Width(text[:end+n]) > w {
			break
		}
		end += n
	}
	return text[:end], min(at, w-1)
}

// Hidden reports whether there is text before and after the part that [Input.Visible] has
// returned last for a width.
func (in *Input) Hidden(w int) (before, after bool) {
	return in.left > 0, paint.Width(paint.Sanitize(in.Value()))-in.left > w
}
