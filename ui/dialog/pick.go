package dialog

import (
	"context"

	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Pick is a window in which the user chooses an entry and, with Label, types a line: for example a
// format and a file, or a content and a command.
type Pick struct {
	Title, Text, Verb string
	Width             int // width in cells, or 0 for the usual width
	Entries           []Entry
	Selected          int // initially selected entry
	Label             string
	Value             string // initial text, which typed text replaces
	Empty             string // what to do without text, as a sentence
	Example           string // example of a text, shown while the field is empty
	// Hint returns the meaning of the text, shown below it. If Hint is nil, nothing is shown.
	Hint func(text string) string
	// File suggests a file name for an entry: the text is a path. An existing file is replaced if the user
	// accepts twice; in a directory, the file gets the suggested name.
	File func(i int) string
	// Accept does the work, outside of Update, and returns a function that is called in Update after the window
	// is closed. After an error the window stays open.
	Accept func(ctx context.Context, i int, text string) (done func(), err error)
}

type pick struct {
	window
	Pick
	app   app.Program
	field File
	list  widget.Rows[*Entry, string]
	named int // entry for which a file was suggested
	busy  bool
	spin  int
}

// Open opens the window.
func (p Pick) Open(a app.Program) {
	o := &pick{Pick: p, app: a}
	o.window = window{title: p.Title, width: p.Width, list: &o.list, compose: o.write}
	o.commands = []keys.Command{accept(p.Verb, o.accept)}
	o.list.Init(func() int { return len(o.Entries) }, func(i int) *Entry { return &o.Entries[i] }, (*Entry).name, underField()...)
	o.list.Refresh()
	o.list.SelectIndex(p.Selected)
	o.field.Input.SetValue(p.Value)
	o.field.Input.Choose()
	o.field.Input.Example = p.Example
	o.suggest()
	a.Open(o)
}

// suggest fills in the name of a file for the selected entry.
func (o *pick) suggest() {
	o.named, o.field.Problem = o.list.Index(), ""
	if o.File != nil {
		o.field.Suggest(o.File(o.named))
	}
}

func (o *pick) accept() {
	i, text := o.list.Index(), o.field.Text()
	switch {
	case o.busy:
		return
	case o.Label != "" && text == "":
		o.field.Problem = o.Empty
		return
	}
	o.busy = true
	var path func() (string, error)
	if o.File != nil {
		path = o.field.Path()
	}
	o.app.Go(func(ctx context.Context) func() {
		var done func()
		var err error
		if path != nil {
			text, err = path()
		}
		if err == nil {
			done, err = o.Accept(ctx, i, text)
		}
		return func() {
			o.busy = false
			if err != nil {
				o.field.Failed(o.app, text, err)
				return
			}
			o.app.Close(o)
			done()
		}
	})
}

func (o *pick) Refresh(t app.Tick) bool {
	o.spin = t.Spin
	return o.busy
}

// Closes implements [app.Closed].
func (o *pick) Closes() string { return "cancel" }

func (o *pick) write(d *doc.Doc) {
	if o.named != o.list.Index() {
		o.suggest() // after a key, a click or the wheel
	}
	d.Text(d.Pal.Muted, o.Text, 4)
	if o.Label != "" {
		d.Input(&o.field.Input, o.field.Edited)
	}
	switch {
	case o.busy:
		d.Text(d.Pal.Warn, paint.Spinner(d.Pal, o.spin)+" working", 1)
	case o.field.Problem != "":
		d.Text(d.Pal.Warn, o.field.Problem, 1)
	case o.Hint != nil:
		d.TextOf(1, d.Pal.Accent, o.Hint(o.field.Text()))
	default:
		d.Gap()
	}
	d.List(&o.list, nil)
	hints := []doc.Key{{ID: "dialog.accept", Label: o.Verb}}
	if len(o.Entries) > 1 {
		hints = append(hints, selects(o.list.Index(), o.list.Len()))
	}
	d.Keys(1, append(hints, closes(o))...)
}

// selects returns the key that selects another one of n entries, which depends on the selected one.
func selects(at, n int) doc.Key {
	return doc.Key{ID: paint.If(at < n-1, "move.down", "move.up"), Label: "select"}
}

func (e *Entry) name() string { return e.Name }

// underField returns the columns of entries under a field.
func underField() []widget.Column[*Entry] {
	return []widget.Column[*Entry]{
		{Width: maxName, Cell: func(e *Entry, p *paint.Palette) []paint.Span { return []paint.Span{{Style: p.Text, Text: e.Name}} }},
		{Cell: func(e *Entry, p *paint.Palette) []paint.Span { return []paint.Span{{Style: p.Muted, Text: e.Summary}} }},
		{Cell: func(e *Entry, p *paint.Palette) []paint.Span { return []paint.Span{{Style: p.Value, Text: e.Group}} }},
		{Right: true, Cell: func(e *Entry, p *paint.Palette) []paint.Span { return []paint.Span{{Style: p.Muted, Text: e.Note}} }},
	}
}
