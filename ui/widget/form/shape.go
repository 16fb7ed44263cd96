package form

import "strings"

// FillKey writes the placeholder of an empty field; see [Form.CanFill].
const FillKey = "right"

// InLong reports whether the field with the focus takes many lines, so that
// enter starts a new one.
func (f *Form) InLong() bool {
	return len(f.fields) > 0 && f.fields[f.focus].Kind == Long
}

// CanFill reports whether the field with the focus is empty and has a
// placeholder that Fill, the right arrow and ctrl+space write into it.
func (f *Form) CanFill() bool {
	return len(f.fields) > 0 && f.fields[f.focus].canFill()
}

// Fill writes the placeholder of the field with the focus as its text.
func (f *Form) Fill() bool {
	if !f.CanFill() {
		return false
	}
	f.fields[f.focus].fill()
	return true
}

// canFill is for long text alone: a placeholder of one line is a hint.
func (fd *field) canFill() bool {
	return fd.Kind == Long && fd.Placeholder != "" && fd.buf.Empty()
}

func (fd *field) fillKey(name string) bool {
	if name != FillKey && name != "ctrl+space" && name != "ctrl+@" || !fd.canFill() {
		return false
	}
	fd.fill()
	return true
}

// fill leaves the cursor between the first quotes with nothing in them, where
// one goes on to write.
func (fd *field) fill() {
	fd.set(fd.Placeholder)
	fd.said("", "")
	fd.buf.SetOffset(strings.Index(fd.Placeholder, `""`) + 1)
}
