package parts_test

import (
	"context"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Session is what the pane needs of one.
type Session interface {
	Notes() []Note
	Remove(n Note) error // writes the file
	ReadOnly() bool
}

// Note is what the user wrote about a frame.
type Note struct {
	Row  int32
	Text string
}

// Pane is the list of the notes, with the selected one in full.
type Pane struct {
	page.Page[Note, int32]
	app   app.App
	s     Session
	notes []Note
}

// New makes the pane. It asks for nothing: commands are also listed without a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s}
	p.Init(page.Spec[Note, int32]{
		Noun:  "note",
		Title: func() []paint.Span { return []paint.Span{{Text: "Notes"}} },
		Note: func(pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: phrase.Digits(p.Count())}}
		},
		Len:     func() int { return len(p.notes) },
		At:      func(i int) Note { return p.notes[i] },
		Key:     func(n Note) int32 { return n.Row },
		Columns: []widget.Column[Note]{{Cell: func(n Note, pal *paint.Palette) []paint.Span { return []paint.Span{{Style: pal.Text, Text: n.Text}} }}},
		Match: func(words string) func(Note) bool {
			return func(n Note) bool { return strings.Contains(n.Text, words) }
		},
		Empty:  func(d *doc.Doc) { d.Text(d.Pal.Muted, "No notes. a on a frame writes one.", 2) },
		Detail: func(n Note) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, n) }) },
		Open:   p.frame,
		Layout: page.Layout{Beside: 70},
	})
	p.Name, p.Own = "notes", []keys.Command{
		p.Do(keys.Command{ID: "frame", Keys: keys.On("enter f4"), Label: "frame", Help: "Show the frame of the note", Footer: 10}, p.frame),
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the note", Footer: 12}, p.copy),
		p.Do(keys.Command{ID: "remove", Verb: keys.End, Label: "remove", Help: "Remove the note", Footer: 14}, p.remove, p.cannotRemove),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the notes by words", Footer: 16, Run: p.StartFilter},
	}
	return p
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.notes = p.s.Notes()
	p.Changed()
	return p.Page.Refresh(t)
}

func (p *Pane) frame(n Note) { p.app.ShowFrame(n.Row) }

func (p *Pane) copy(n Note) { p.app.Copy(display.Sanitize(n.Text), nil, "note") }

func (p *Pane) cannotRemove(Note) string {
	if p.s.ReadOnly() {
		return "The recording is read-only."
	}
	return ""
}

func (p *Pane) remove(n Note) {
	p.app.Go(func(context.Context) func() { // on another goroutine
		err := p.s.Remove(n)
		return func() { // in Update
			if err != nil {
				p.app.Fail("Cannot remove the note: " + err.Error() + ".")
			}
		}
	})
}

func (p *Pane) detail(c *app.Canvas, n Note) {
	d := doc.On(c.Box([]paint.Span{{Style: c.Pal.Text, Text: "Note"}}, nil, false))
	d.Fact("frame", paint.Span{Style: c.Pal.Text, Text: "#" + phrase.Digits(int(n.Row)+1)})
	d.FactText("text", c.Pal.Text, n.Text, 20)
	d.Keys(1, doc.Key{ID: "frame", Label: "frame"}, doc.Key{ID: "remove", Label: "remove"})
	d.Paint()
}
