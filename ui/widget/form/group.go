package form

import "mcptea/ui/paint"

// Gesture is what a key or a click asks of a Group.
type Gesture uint8

// The gestures.
const (
	NoGesture   Gesture = iota
	ToggleGroup         // show its fields, or hide them; a Group without fields adds one
	OpenGroup
	CloseGroup
	AddToGroup
	ClearGroup
)

// Gesture returns what the last key or click asked of the Group with the focus, once.
func (f *Form) Gesture() Gesture {
	g := f.gesture
	f.gesture = NoGesture
	return g
}

func (f *Form) groupKey(name string) bool {
	g := map[string]Gesture{
		"space": ToggleGroup, "right": OpenGroup, "left": CloseGroup, "+": AddToGroup, "insert": AddToGroup,
		"delete": ClearGroup, "backspace": ClearGroup,
	}[name]
	f.gesture = g
	return g != NoGesture
}

// maxIndent bounds the cells by which nested fields are indented.
const maxIndent = 16

func (fd *field) indent() int { return min(2*fd.Depth, maxIndent) }

// groupRows paints a heading: its mark, label and type, its value in short, and what
// its keys do.
func (f *Form) groupRows(r *paint.Row, p *paint.Palette, fd *field, focused bool) []string {
	f.head(r, p, fd, focused)
	var out []string
	if f.layout.narrow {
		out = append(out, r.String())
		if !focused && fd.absent() {
			return out
		}
		r.Start(f.layout.w, paint.Style{})
		r.Gap(1 + min(fd.indent(), f.layout.w/3))
	}
	mark := p.Folded
	if fd.Open {
		mark = p.Unfolded
	}
	r.Put(p.Accent, mark+" ")
	text, st := fd.Summary, p.Text
	if fd.absent() {
		text, st = notSent, p.Muted
	}
	hint := ""
	if focused {
		hint = fd.Hint
	}
	room := max(r.Left()-1, 1)
	if hint != "" {
		room = max(room-paint.Width(hint)-3, min(room, 10))
	}
	r.Cell(st, text, min(room, paint.Width(paint.Sanitize(text))))
	if hint == "" {
		hint = fd.Help
	}
	if r.Left() > 6 && hint != "" {
		r.Gap(3)
		r.Cell(p.Muted, hint, min(r.Left()-1, paint.Width(paint.Sanitize(hint))))
	}
	return append(out, r.String())
}
