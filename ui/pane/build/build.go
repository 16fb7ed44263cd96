// Package build implements the pane of the newest failed build: its output, and the source lines that it
// names.
//
// Tests: ui/pane/build*_test.go
package build

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/runs/watch"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// maxLines bounds the lines of an output that are shown.
const maxLines = 20_000

// Pane is the output of the newest build that failed.
type Pane struct {
	app.Place

	app     app.App
	state   watch.State
	started bool         // the server was started once
	shown   *watch.Build // build that the lines belong to
	lines   []string
	list    widget.List[int]
}

// New returns the pane without a build.
func New(a app.App) *Pane {
	p := &Pane{app: a}
	p.list.Items = widget.Items[int]{
		Len: func() int { return len(p.lines) },
		Key: func(i int) int { return i },
		Row: p.line,
	}
	p.Name, p.Own = "build", []keys.Command{
		{ID: "open", Verb: keys.Open, Keys: keys.On("enter"), Label: "open in $EDITOR", Help: "Open the source file at the line that the message names in $EDITOR", Words: "editor source file line", Footer: 10, Run: p.open, Off: p.noPlace},
		{ID: "match.next", Verb: keys.NextMatch, Label: "next error", Help: "Go to the next message with a file and a line", Words: "place message", Footer: 12, Run: func() { p.next(1) }, Off: p.noPlace},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous error", Help: "Go to the previous message with a file and a line", Words: "place message", Run: func() { p.next(-1) }, Off: p.noPlace},
		{ID: "copy", Verb: keys.Copy, Label: "copy output", Help: "Copy the output of the build", Words: "clipboard", Footer: 14, Run: func() { p.app.Copy(string(p.shown.Output), nil, "output of the build") }, Off: p.noBuild},
	}
	return p
}

// SetState sets the state of the loop.
func (p *Pane) SetState(st watch.State) {
	p.state = st
	if st.Build == nil || st.Build.Err == nil || st.Build == p.shown {
		return
	}
	p.shown, p.lines = st.Build, nil
	for line := range strings.Lines(string(st.Build.Output)) {
		if len(p.lines) == maxLines {
			break
		}
		p.lines = append(p.lines, ansi.Strip(strings.TrimRight(line, "\r\n")))
	}
	p.list.Refresh()
	p.list.SelectIndex(0)
	if len(st.Build.Places) > 0 {
		p.list.SelectIndex(st.Build.Places[0].Row)
	}
}

// Failed reports whether the newest build has failed.
func (p *Pane) Failed() bool { return p.state.Build != nil && p.state.Build.Err != nil }

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool { return keys.Scroll(&p.list, m) }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.started = t.State.Attempt > 0
	return false
}

// Present reports whether there is something to show.
func (p *Pane) Present() bool { return p.Failed() }

func (p *Pane) noBuild() string { return keys.Reason(p.shown == nil, "No build has failed.") }

func (p *Pane) noPlace() string {
	return keys.Reason(p.shown == nil || len(p.shown.Places) == 0, "The output names no source file.")
}

// Badge returns the number of messages that name a place.
func (p *Pane) Badge() string {
	switch {
	case !p.Failed():
		return ""
	case len(p.state.Build.Places) == 0:
		return "!"
	}
	return phrase.Digits(len(p.state.Build.Places))
}

// next selects the next line that names a place, or the previous one.
func (p *Pane) next(step int) {
	places := slices.Clone(p.shown.Places)
	if step < 0 {
		slices.Reverse(places)
	}
	for _, place := range places {
		if (place.Row-p.list.Index())*step > 0 {
			p.list.SelectIndex(place.Row)
			return
		}
	}
	p.app.Say("No more places in this direction.")
}

// open opens the file of the message that the selected line belongs to.
func (p *Pane) open() {
	at := p.shown.Places[0]
	for _, place := range p.shown.Places {
		if place.Row <= p.list.Index() {
			at = place
		}
	}
	p.app.OpenSource(stderr.Source{File: at.File, Line: at.Line})
}

// placeAt returns the place that a line names.
func (p *Pane) placeAt(row int) (watch.Place, bool) {
	i, ok := slices.BinarySearchFunc(p.shown.Places, row, func(a watch.Place, row int) int { return a.Row - row })
	if !ok {
		return watch.Place{}, false
	}
	return p.shown.Places[i], true
}

// line writes a line of the output.
func (p *Pane) line(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	text := p.lines[i]
	at, ok := p.placeAt(i)
	from := strings.Index(text, at.File)
	if !ok || from < 0 {
		r.Put(pal.Muted, text)
		return
	}
	rest := len(text)
	if at.Text != "" {
		if k := strings.LastIndex(text, at.Text); k > from {
			rest = k
		}
	}
	r.Put(pal.Value, text[:rest])
	r.Put(pal.Error, text[rest:])
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	pal, b := c.Pal, p.shown
	if b == nil {
		d := doc.On(c.Box([]paint.Span{{Style: pal.TextBold, Text: "Build"}}, nil, focused))
		d.Text(pal.Muted, "No build has failed yet.", 1)
		d.Paint()
		return
	}
	title := []paint.Span{{Style: pal.ErrorBold, Text: "Build failed"}, {Style: pal.Muted, Text: "  " + b.Command}}
	if !p.Failed() {
		title = []paint.Span{{Style: pal.TextBold, Text: "Build"}, {Style: pal.Muted, Text: "  the latest build passed; this is the output of the one that failed"}}
	}
	note := []paint.Span{{Style: pal.Muted, Text: phrase.Took(b.Took) + " " + pal.Separator + " " + b.At.Format("15:04:05")}}
	d := doc.On(c.Box(title, note, focused))
	text := strconv.Itoa(len(b.Places)) + " messages have a file and a line; " + b.Err.Error()
	switch len(b.Places) {
	case 0:
		text = "the command failed: " + b.Err.Error()
	case 1:
		text = "1 message has a file and a line; " + b.Err.Error()
	}
	saved := ""
	if p.state.Saved != "" {
		saved = p.state.Saved + "  "
	}
	d.Row(paint.Span{Style: pal.Error, Text: pal.FailMark + " "}, paint.Span{Style: pal.TextBold, Text: saved}, paint.Span{Style: pal.Text, Text: text})
	next := "Save a file to build again. The server starts when the build passes."
	if p.started {
		next = "Save a file to build again. The previous server runs until the build passes."
	}
	d.Row(paint.Span{Style: pal.OK, Text: pal.ArrowOut + " "}, paint.Span{Style: pal.Text, Text: next})
	d.Gap()
	d.List(&p.list, p.open)
	d.Paint()
}
