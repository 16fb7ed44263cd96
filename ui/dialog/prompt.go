package dialog

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// Prompt is a window that asks for one line of text, with an optional list of choices.
type Prompt struct {
	Title, Text string
	Value       string // initial text; the cursor is after it
	AtStart     bool   // the cursor is before the text
	// Whole marks a value that is usually replaced as a whole, such as a count or a duration: it is selected,
	// so typing replaces it. A text of several parts, such as a filter, a command line or a note, is edited at
	// the cursor.
	Whole  bool
	Secret bool   // the text is not shown
	Verb   string // label of the key that accepts
	// Accept returns a function to call with the text after the window is closed, or why the text is not
	// possible.
	Accept func(text string) (do func(), err error)
	// Check returns the mistake in the text while the user types; it may be nil.
	Check func(text string) error
	// Hint returns a text to show below a valid text; it may be nil.
	Hint func(text string) string
	// Paths completes the last word as a path; a relative one starts in PathsIn.
	Paths   bool
	PathsIn string
	// Choices are values for the first word of the text.
	Choices []Entry
}

type prompt struct {
	window
	Prompt
	app     app.Program
	input   textfield.Input
	problem string
	shown   string  // text shown by Hint
	choices []Entry // choices that start with the typed text
	list    widget.Rows[*Entry, string]
}

// Open opens the window.
func (p Prompt) Open(a app.Program) {
	o := &prompt{Prompt: p, app: a}
	o.window = window{title: p.Title, compose: o.write}
	if len(p.Choices) > 0 {
		o.window.list = &o.list
	}
	o.commands = []keys.Command{accept(p.Verb, o.accept)}
	if p.Paths {
		o.commands = append(o.commands, keys.Command{ID: "path.complete", Keys: keys.On("tab"), Label: "complete", Help: "Complete the path of a file", Footer: 11, Run: o.complete})
	}
	o.list.Init(func() int { return len(o.choices) }, func(i int) *Entry { return &o.choices[i] }, (*Entry).name, underField()...)
	o.input.SetValue(p.Value)
	o.input.Secret = p.Secret
	switch {
	case p.AtStart:
		o.input.Key(tea.KeyPressMsg{Code: tea.KeyHome})
	case p.Whole:
		o.input.Choose()
	}
	o.changed()
	if p.Value == "" {
		o.problem = "" // the user has not typed anything that could be wrong
	}
	a.Open(o)
}

// narrow keeps the choices that start with the typed name.
func (o *prompt) narrow() {
	name := o.input.Value()
	if i := strings.IndexAny(name, "=@ "); i >= 0 {
		name = name[:i]
	}
	o.choices = o.choices[:0]
	for _, c := range o.Choices {
		if strings.HasPrefix(c.Name, name) {
			o.choices = append(o.choices, c)
		}
	}
	o.list.Refresh()
	o.list.SelectIndex(0)
}

func (o *prompt) changed() {
	o.problem, o.shown = "", ""
	text := strings.TrimSpace(o.input.Value())
	if o.Check != nil {
		if err := o.Check(text); err != nil {
			o.problem = Sentence(err)
		}
	}
	if o.Hint != nil && o.problem == "" {
		o.shown = o.Hint(text)
	}
	o.narrow()
}

func (o *prompt) accept() {
	text := strings.TrimSpace(o.input.Value())
	if len(o.choices) > 0 && !strings.ContainsAny(text, "=@ ") {
		text = o.choices[o.list.Index()].Name // the name was typed only in part
	}
	do, err := o.Accept(text)
	if err != nil {
		o.problem = Sentence(err)
		return
	}
	o.app.Close(o)
	do()
}

// complete completes the path before the cursor, if the text ends there.
func (o *prompt) complete() {
	line := o.input.Value()
	o.app.Go(func(ctx context.Context) func() {
		c := completePath(ctx, o.PathsIn, line)
		return func() {
			if o.input.Value() != line { // the user has continued to type
				return
			}
			if c.line != line {
				o.input.SetValue(c.line)
				o.changed()
			}
			if says := c.says(); says != "" {
				o.problem, o.shown = "", says
			}
		}
	})
}

// Closes implements [app.Closed].
func (o *prompt) Closes() string { return "cancel" }

func (o *prompt) write(d *doc.Doc) {
	d.Text(d.Pal.Muted, o.Text, 6)
	d.Input(&o.input, o.changed)
	st, text := d.Pal.Muted, o.shown
	if o.problem != "" {
		st, text = d.Pal.Warn, o.problem
	}
	below := 1
	if o.Hint != nil || o.Paths {
		below = 2 // the height of a hint is not known before
	}
	d.TextOf(below, st, text)
	hints := []doc.Key{{ID: "dialog.accept", Label: o.Verb}}
	if o.Paths {
		hints = append(hints, doc.Key{ID: "path.complete", Label: "complete"})
	}
	if len(o.Choices) > 0 {
		d.List(&o.list, nil)
	}
	if o.list.Len() > 1 {
		hints = append(hints, selects(o.list.Index(), o.list.Len()))
	}
	d.Keys(1, append(hints, closes(o))...)
}
