package form

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Key fills in the field with the focus or moves the focus; false when the key
// meant nothing here, which is so for tab at the last field and for enter
// everywhere but in long text.
func (f *Form) Key(k tea.KeyPressMsg) bool {
	if len(f.fields) == 0 {
		return false
	}
	name := k.String()
	switch name {
	case "tab":
		return f.Next()
	case "shift+tab":
		return f.Prev()
	}
	fd := &f.fields[f.focus]
	if f.edit(fd, k, name) {
		fd.said("", "")
		return true
	}
	switch name {
	case "down":
		return f.Next()
	case "up":
		return f.Prev()
	}
	return false
}

func (f *Form) edit(fd *field, k tea.KeyPressMsg, name string) bool {
	switch fd.Kind {
	case Group:
		return f.groupKey(name)
	case Toggle:
		return f.chooseKey(fd, k, name, name == "space")
	case Choice:
		return f.chooseKey(fd, k, name, false)
	case Choices:
		return f.choicesKey(fd, name)
	}
	if fd.fillKey(name) {
		return true
	}
	if fd.fresh && k.Text != "" {
		fd.buf.SetValue("")
	}
	taken := fd.buf.Key(k)
	fd.fresh = fd.fresh && !taken
	return taken
}

// chooseKey goes round the options, or to the next one that starts with a
// letter. What is not required can be emptied.
func (f *Form) chooseKey(fd *field, k tea.KeyPressMsg, name string, flip bool) bool {
	n := len(fd.Options)
	if n == 0 {
		return false
	}
	was := fd.choice
	switch {
	case name == "right" || flip || name == "space":
		fd.choice = (fd.choice + 1) % n
	case name == "left":
		fd.choice = (max(fd.choice, 0) + n - 1) % n
	case name == "backspace" || name == "delete":
		fd.choice = -1
	case name == "home":
		fd.choice = 0
	case name == "end":
		fd.choice = n - 1
	case k.Text != "":
		fd.choice = startingWith(fd.Options, k.Text, fd.choice)
	default:
		return false
	}
	if fd.choice != was {
		f.version++
	}
	return true
}

func startingWith(options []string, text string, from int) int {
	want, _ := utf8.DecodeRuneInString(text)
	for i := range options {
		n := (max(from, -1) + 1 + i) % len(options)
		if first, _ := utf8.DecodeRuneInString(options[n]); unicode.ToLower(first) == unicode.ToLower(want) {
			return n
		}
	}
	return from
}

func (f *Form) choicesKey(fd *field, name string) bool {
	n := len(fd.Options)
	if n == 0 {
		return false
	}
	switch name {
	case "left":
		fd.at = (fd.at + n - 1) % n
	case "right":
		fd.at = (fd.at + 1) % n
	case "home":
		fd.at = 0
	case "end":
		fd.at = n - 1
	case "space":
		f.flip(fd, fd.at)
	default:
		return false
	}
	return true
}

// Paste inserts text into the field with the focus; false when it takes none.
func (f *Form) Paste(s string) bool {
	if len(f.fields) == 0 {
		return false
	}
	fd := &f.fields[f.focus]
	switch fd.Kind {
	case Text, Long:
		if fd.fresh {
			fd.buf.SetValue("")
		}
		fd.fresh = false
		fd.buf.Insert(s)
		fd.said("", "")
	case Group:
		return false
	default:
		if !fd.fits(strings.TrimSpace(s)) {
			fd.said("", "The pasted text is not an option.")
			return false
		}
		f.version++
		fd.said("", "")
		return fd.set(strings.TrimSpace(s))
	}
	return true
}

// fits reports whether a text is made of options.
func (fd *field) fits(text string) bool {
	if fd.Kind != Choices {
		return slices.Contains(fd.Options, text)
	}
	for part := range strings.SplitSeq(text, ",") {
		if !slices.Contains(fd.Options, strings.TrimSpace(part)) {
			return false
		}
	}
	return true
}

// Click moves the focus to the field painted at a cell of the rows last
// painted, and the cursor there; on a switch it flips it. It tells whether
// there is a field.
func (f *Form) Click(x, y int) bool {
	y += f.top
	for i := range f.fields {
		fd := &f.fields[i]
		if y < fd.y || y >= fd.y+fd.rows {
			continue
		}
		again := f.focus == i
		f.focus = i
		ix, iy := f.layout.input(fd)
		switch {
		case x < ix || y < fd.y+iy:
		case fd.Kind == Text || fd.Kind == Long:
			fd.buf.Click(x-ix, y-fd.y-iy)
			fd.fresh = false
		case fd.Kind == Choices:
			f.clickOption(fd, x-ix, y-fd.y-iy)
		case fd.Kind == Group:
			f.gesture = ToggleGroup
		case again || fd.Kind == Toggle:
			f.chooseKey(fd, tea.KeyPressMsg{}, "right", false)
		}
		return true
	}
	return false
}
