package form

import (
	"slices"
	"strings"

	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// Kind is how a field is filled in.
type Kind uint8

// The kinds.
const (
	Text    Kind = iota // one line
	Long                // many lines; JSON
	Toggle              // "true", "false" or nothing
	Choice              // one of Options or nothing
	Choices             // some of Options
	Group               // a heading over the fields of a nested value
)

// Field says what to ask for. Its texts need not be trusted.
type Field struct {
	Name        string // the key in Values
	Label       string // what shows; the name when empty
	Type        string
	Help        string // what it means; cut where there is no room for all
	Facts       string // what it may hold; cut last of all
	Placeholder string // what a value could look like, until something is typed
	Kind        Kind
	Size        int // cells that a Text takes; 0 when there is no telling
	Required    bool
	Options     []string // without commas for Choices, else values cannot be told apart
	Value       string   // what is filled in at first; see Form.Values
	Typed       bool     // Value is the user's: typing does not replace it
	Depth       int      // how deep the field is nested
	Ghost       string   // what an empty field stands for; "not sent" when empty
	Open        bool     // of a Group: its fields follow
	Summary     string   // of a Group: its value in short; empty when it is not sent
	Hint        string   // of a Group: what its keys do, shown with the focus
}

type field struct {
	Field
	buf     textfield.Buffer
	choice  int    // Choice and Toggle: -1 is nothing
	on      []bool // Choices
	at      int    // Choices: the option under the cursor
	fresh   bool   // the value is the one it was made with: typing replaces it
	problem string
	note    string
	changes int // how often on has changed
	y, rows int // where it was painted last

	widest  int     // Toggle and Choice: cells of the widest option; 0 is not known yet
	grid    grid    // Choices
	painted painted // without the focus
}

var toggles = []string{"true", "false"}

// Form is a list of fields with a focus. Make it with New. It is not safe for
// concurrent use.
type Form struct {
	fields  []field
	focus   int
	top     int  // rows scrolled off
	below   bool // there are rows after the last one painted
	version int
	layout  layout
	laidOut bool
	cx, cy  int // the cursor at the last painting
	cursor  bool
	gesture Gesture

	groundOf *paint.Palette // that grounds was made of
	grounds  paint.Style
}

// New makes a form, the focus on the first field.
func New(fields []Field) *Form {
	f := &Form{fields: make([]field, len(fields))}
	for i, fd := range fields {
		f.fields[i].define(fd)
		f.fields[i].set(fd.Value)
		f.fields[i].fresh = !fd.Typed && !f.fields[i].buf.Empty()
	}
	return f
}

func (fd *field) define(d Field) {
	d.Help = strings.Join(strings.Fields(d.Help), " ") // it has few rows
	if d.Kind == Toggle {
		d.Options = toggles
	}
	fd.Field = d
	fd.buf.Multi = d.Kind == Long
}

// Replace takes other fields in the place of those there are. Fields of the same name,
// kind and value stay as they are; the focus stays on its field, or at its place.
func (f *Form) Replace(fields []Field) {
	old := make(map[string]*field, len(f.fields))
	for i := range f.fields {
		old[f.fields[i].Name] = &f.fields[i]
	}
	focused := f.Focused()
	before := f.Version()
	next := New(fields)
	for i := range next.fields {
		fd := &next.fields[i]
		was := old[fd.Name]
		if was == nil || was.Kind != fd.Kind || !slices.Equal(was.Options, fd.Options) || was.value() != fd.value() {
			continue
		}
		d := fd.Field
		*fd = *was
		fd.define(d)
		fd.painted, fd.widest = painted{}, 0
	}
	at := f.focus
	f.fields, f.laidOut = next.fields, false
	f.version += before + 1 // it must not fall
	if !f.Focus(focused) {
		f.focus = max(min(at, len(f.fields)-1), 0)
	}
}

// Len is the number of fields.
func (f *Form) Len() int { return len(f.fields) }

// Values gives what is filled in, by name: text as it was typed, "true" or
// "false" of a toggle, the option of a choice, and ", " between several. What
// is empty is there as "".
func (f *Form) Values() map[string]string {
	out := make(map[string]string, len(f.fields))
	for i := range f.fields {
		out[f.fields[i].Name] = f.fields[i].value()
	}
	return out
}

// Value gives what is filled in to the field of a name, as Values does.
func (f *Form) Value(name string) string {
	if i := f.index(name); i >= 0 {
		return f.fields[i].value()
	}
	return ""
}

// Set fills in a field; false without one of that name, or it has no
// such option.
func (f *Form) Set(name, value string) bool {
	i := f.index(name)
	if i < 0 {
		return false
	}
	f.version++
	f.fields[i].fresh = false
	return f.fields[i].set(value)
}

// Version changes whenever a value does.
func (f *Form) Version() int {
	n := f.version
	for i := range f.fields {
		n += f.fields[i].buf.Version()
	}
	return n
}

// SetProblem says what is wrong with a field; "" when nothing is. It reports whether
// there is a field of that name.
func (f *Form) SetProblem(name, msg string) bool {
	i := f.index(name)
	if i >= 0 {
		f.fields[i].problem = msg
	}
	return i >= 0
}

// SetNote says of a field what is worth knowing and not wrong; "" for nothing.
func (f *Form) SetNote(name, msg string) {
	if i := f.index(name); i >= 0 {
		f.fields[i].note = msg
	}
}

// ClearProblems takes all problems and notes away.
func (f *Form) ClearProblems() {
	for i := range f.fields {
		f.fields[i].said("", "")
	}
}

func (fd *field) said(problem, note string) { fd.problem, fd.note = problem, note }

// Focus moves to the field with a name.
func (f *Form) Focus(name string) bool {
	i := f.index(name)
	if i >= 0 {
		f.focus = i
	}
	return i >= 0
}

// Focused gives the name of the field with the focus; "" in an empty form.
func (f *Form) Focused() string {
	if len(f.fields) == 0 {
		return ""
	}
	return f.fields[f.focus].Name
}

// FocusProblem moves to the first field that has a problem.
func (f *Form) FocusProblem() bool {
	i := slices.IndexFunc(f.fields, func(fd field) bool { return fd.problem != "" })
	if i >= 0 {
		f.focus = i
	}
	return i >= 0
}

// Next moves the focus to the next field; false at the last one.
func (f *Form) Next() bool { return f.step(1) }

// Prev moves the focus to the field before; false at the first one.
func (f *Form) Prev() bool { return f.step(-1) }

func (f *Form) step(n int) bool {
	to := f.focus + n
	if to < 0 || to >= len(f.fields) {
		return false
	}
	f.focus = to
	return true
}

func (f *Form) index(name string) int {
	return slices.IndexFunc(f.fields, func(fd field) bool { return fd.Name == name })
}

func (fd *field) value() string {
	switch fd.Kind {
	case Group:
		return ""
	case Toggle, Choice:
		if fd.choice < 0 {
			return ""
		}
		return fd.Options[fd.choice]
	case Choices:
		var on []string
		for i, o := range fd.Options {
			if fd.on[i] {
				on = append(on, o)
			}
		}
		return strings.Join(on, ", ")
	}
	return fd.buf.Value()
}

func (fd *field) set(value string) bool {
	switch fd.Kind {
	case Group:
		return value == ""
	case Toggle, Choice:
		fd.choice = slices.Index(fd.Options, value)
		return fd.choice >= 0 || value == ""
	case Choices:
		fd.on = make([]bool, len(fd.Options))
		fd.changes++
		ok := true
		for part := range strings.SplitSeq(value, ",") {
			part = strings.TrimSpace(part)
			if i := slices.Index(fd.Options, part); i >= 0 {
				fd.on[i] = true
			} else if part != "" {
				ok = false
			}
		}
		return ok
	}
	fd.buf.SetValue(value)
	return true
}
