package form

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/phrase"
)

// Key edits the focused row or moves the focus. It returns false for a key that has no meaning
// here: tab in JSON or in the only row, up in the first row, and enter unless Takes returns true
// for it. Tab wraps around. In a form with rows, commands never get a letter. They get a digit if
// the row is not typed and the digit chooses nothing.
func (f *Form) Key(k tea.KeyPressMsg) bool {
	name := k.String()
	switch {
	case f.AsJSON && name == "tab": // leaves the editor
		return false
	case f.AsJSON:
		before := f.Editor.Version()
		taken := f.Editor.Key(k)
		f.edited(before)
		return taken
	case len(f.rows) == 0:
		return false
	case name == "tab":
		return f.turn(1)
	case name == "shift+tab":
		return f.turn(-1)
	}
	r, before := f.focused(), f.version
	switch {
	case f.edit(r, k, name):
		if f.version == before {
			r.setProblem("", "")
		}
		return true
	case name == "down", name == "enter" && f.RowByRow:
		return f.step(1)
	case name == "up":
		return f.step(-1)
	}
	switch {
	case k.Text == "" || r.isTyped():
		return k.Text != ""
	case f.startItem(r, k.Text):
		return f.Key(k)
	case isDigit(k.Text):
		return false // a digit selects a tab of the screen
	}
	r.setProblem("", r.stray(k.Text))
	return true
}

// stray returns a message about a character that chooses nothing. It is for rows that are not
// typed.
func (r *row) stray(text string) string {
	does := "space changes it"
	switch {
	case r.kind == heading:
		does = r.hint()
	case r.kind == choices:
		does = phrase.Signs("← → move, space marks")
	case r.kind == choice && len(r.options()) > 0:
		return fmt.Sprintf("No option begins with %q: space goes to the next one.", text)
	}
	return fmt.Sprintf("%q is no value here: %s.", text, does)
}

// edited handles a change of the JSON since a version.
func (f *Form) edited(since int) {
	if f.Editor.Version() != since {
		f.changed()
	}
}

// turn moves the focus by n rows. It wraps around. It returns false if there is only one row.
func (f *Form) turn(n int) bool {
	f.focus = (f.focus + n + len(f.rows)) % len(f.rows)
	return len(f.rows) > 1
}

// Selected reports whether typing replaces the text of the focused field.
func (f *Form) Selected() bool {
	r := f.focused()
	return r != nil && r.isTyped() && r.fresh && !f.AsJSON
}

// ToEnd moves the cursor to the end of the focused text.
func (f *Form) ToEnd() {
	if r := f.focused(); r != nil && r.isTyped() && !f.AsJSON {
		r.buf.SetOffset(r.buf.Size())
		r.fresh = false
	}
}

// Select moves the focus to the field with a name, if there is one.
func (f *Form) Select(name string) {
	if i := slices.IndexFunc(f.rows, func(r *row) bool { return name != "" && r.node != nil && r.node.Name == name }); i >= 0 && !f.AsJSON {
		f.focus = i
		f.ToEnd()
	}
}

func (f *Form) step(n int) bool {
	to := f.focus + n
	if to < 0 || to >= len(f.rows) {
		return false
	}
	f.focus = to
	return true
}

func (f *Form) edit(r *row, k tea.KeyPressMsg, name string) bool {
	switch r.kind {
	case heading:
		return f.headingKey(r, name)
	case toggle, choice:
		return f.chooseKey(r, k, name)
	case choices:
		return f.choicesKey(r, name)
	}
	before := r.buf.Version()
	deletes := k.Code == tea.KeyBackspace || k.Code == tea.KeyDelete
	if r.fresh && (k.Text != "" || deletes) {
		r.buf.SetValue("")
	}
	taken := r.buf.Key(k) || deletes
	r.fresh = r.fresh && !taken
	if r.buf.Version() != before {
		f.write(r, r.buf.Value())
	}
	return taken
}

// chooseKey handles a key on options: it moves through the options, or selects the next one that
// starts with a letter. It clears optional values.
func (f *Form) chooseKey(r *row, k tea.KeyPressMsg, name string) bool {
	options := r.options()
	n, at := len(options), slices.Index(options, r.text())
	if n == 0 {
		return false
	}
	switch {
	case name == "right" || name == "space":
		at = (at + 1) % n
	case name == "left":
		at = (max(at, 0) + n - 1) % n
	case name == "backspace" || name == "delete":
		f.write(r, "")
		return true
	case name == "home":
		at = 0
	case name == "end":
		at = n - 1
	case k.Text != "":
		if at = startingWith(options, k.Text, at); at < 0 {
			return false
		}
	default:
		return false
	}
	f.write(r, options[at])
	return true
}

// startingWith returns the index of the next option after from that starts with a letter, or -1.
func startingWith(options []string, text string, from int) int {
	want, _ := utf8.DecodeRuneInString(text)
	for i := range options {
		n := (from + 1 + i) % len(options)
		if first, _ := utf8.DecodeRuneInString(options[n]); unicode.ToLower(first) == unicode.ToLower(want) {
			return n
		}
	}
	return -1
}

func isDigit(text string) bool { return len(text) == 1 && text[0] >= '0' && text[0] <= '9' }

func (f *Form) choicesKey(r *row, name string) bool {
	n := len(r.options())
	if n == 0 {
		return false
	}
	switch name {
	case "left":
		r.at = (r.at + n - 1) % n
	case "right":
		r.at = (r.at + 1) % n
	case "home":
		r.at = 0
	case "end":
		r.at = n - 1
	case "space":
		f.flip(r, r.at)
	default:
		return false
	}
	return true
}

// Paste inserts text into the row with the focus, or into the JSON.
func (f *Form) Paste(text string) {
	r := f.focused()
	switch {
	case f.AsJSON:
		before := f.Editor.Version()
		f.Editor.Paste(text)
		f.edited(before)
	case r == nil:
	case r.kind == heading:
		f.pasteItems(r, text)
	case r.isTyped():
		if r.fresh {
			r.buf.SetValue("")
		}
		r.fresh = false
		r.buf.Insert(text)
		f.write(r, r.buf.Value())
	default:
		if text = strings.TrimSpace(text); !r.fits(text) {
			r.setProblem("", "The pasted text is not one of the options.")
			return
		}
		f.fill(r, text)
	}
}

// Click moves the focus to the row at a cell of the form as last painted. In a text, it moves the
// cursor there. On a switch, it flips the switch.
func (f *Form) Click(x, y int) {
	y += f.view.top
	for i, r := range f.rows {
		if y < r.y || y >= r.y+r.rows {
			continue
		}
		again := f.focus == i
		f.focus = i
		ix, iy := f.view.input(r, again)
		x, y = x-ix, y-r.y-iy
		switch {
		case x < 0 || y < 0:
		case r.isTyped():
			r.buf.Click(x, y)
			r.fresh = false
		case r.kind == choices:
			f.clickOption(r, x, y)
		case r.kind == heading:
			f.headingKey(r, "space")
		case again || r.kind == toggle:
			f.chooseKey(r, tea.KeyPressMsg{}, "right")
		}
		return
	}
}

// Takes reports whether enter starts a new line or moves to the next row. It starts a new line in
// JSON and in a row with many lines. Takes implements [app.Taker].
func (f *Form) Takes(key string) bool {
	r := f.focused()
	return key == "enter" && (f.AsJSON || r != nil && r.kind == manyLines || f.RowByRow && f.focus+1 < len(f.rows))
}
