// Package pins implements the pane of pinned calls: their states, and how the response of the selected call
// differs from the expected one.
package pins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Pane is the list of the pins and the selected one.
type Pane struct {
	page.Page[*pins.Pin, string]
	app     app.App
	pins    *pins.Pins
	list    []pins.Pin
	others  int // number of sections in the file that are not pins
	version int
	problem error // problem with the file
	tick    app.Tick
	open    bool // the user has opened it, and not left it
	detail  detail

	// Renamed returns the current name of an entry in a server's list, or "" if unknown. It may be nil.
	Renamed func(list, name string) string
}

// New returns the pane over the pins of a session.
func New(a app.App, of *pins.Pins) *Pane {
	p := &Pane{app: a, pins: of, version: -1}
	p.detail.Pane = p
	p.Init(page.Spec[*pins.Pin, string]{
		Noun: "pin", Title: p.title, Note: p.note, Empty: p.empty, Sign: p.sign,
		Len: func() int { return len(p.list) },
		At:  func(i int) *pins.Pin { return &p.list[i] },
		Key: func(one *pins.Pin) string { return one.Name },
		Columns: []widget.Column[*pins.Pin]{
			{Name: "pin", Width: 20, Cell: func(one *pins.Pin, pal *paint.Palette) []paint.Span {
				return []paint.Span{{Style: pal.Text, Text: one.Name}}
			}},
			{Name: "call", Cell: p.call},
			{Right: true, Cell: repeated},
			{Name: "ms", Width: 6, Right: true, Cell: took},
		},
		Detail: func(one *pins.Pin) app.Pane { p.detail.arrange(one); return &p.detail },
		Layout: page.Layout{Beside: 100, Height: 60, Texts: true},
	})
	p.Name, p.Own = "pins", p.commands()
	return p
}

// repeated returns the sign of a pin that runs after each restart because the user has requested it.
func repeated(one *pins.Pin, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Accent, Text: paint.If(one.Repeated, "each restart", "")}}
}

// repeats returns the label of the key that makes the selected pin run after restarts, or stops that.
func (p *Pane) repeats() string {
	one, ok := p.Selected()
	return paint.If(ok && one.Repeated, "not after restarts", "run after restarts")
}

// nextChange scrolls to the next difference of the selected pin, or the previous one.
func (p *Pane) nextChange(step int) {
	if !p.detail.next(step) {
		p.app.Say("There are no more differences.")
	}
}

func (p *Pane) commands() []keys.Command {
	differs := func(one *pins.Pin) string {
		return keys.Reason(one.Response == nil || one.State != pins.Failed && one.State != pins.Rejected, "The selected pin has no response that differs.")
	}
	settled := func(one *pins.Pin) string {
		switch {
		case one.Repeatable():
			return ""
		case one.ReadOnly:
			return "It only reads, so it runs after each restart."
		}
		return "It runs only with " + p.app.Key("pin.run") + ": the file cannot name it as one that runs after each restart."
	}
	run := func(names ...string) { p.app.Online("Run pins", func() { p.pins.Run(names...) }) }
	return []keys.Command{
		p.Do(keys.Command{ID: "pin.run", Keys: keys.On("enter"), Label: "run", Help: "Run this call again", Words: "repeat call", Footer: 10}, func(one *pins.Pin) { run(one.Name) }),
		p.Do(keys.Command{ID: "pin.accept", Verb: keys.Pin, Label: "accept", Help: "Expect this response from now on", Words: "update snapshot", Footer: 11}, func(one *pins.Pin) { p.Accept(-1, one.Name) }, differs),
		p.Do(keys.Command{ID: "diff", Verb: keys.Diff, Label: "full diff", Help: "Compare the expected response with this one", Words: "difference compare", Footer: 12}, func(one *pins.Pin) { p.compare(one.Name) }, differs),
		{ID: "match.next", Verb: keys.NextMatch, Label: "next change", Help: "Go to the next difference", Footer: 13, Run: func() { p.nextChange(1) }, Off: p.detail.oneScreen},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous change", Help: "Go to the previous difference", Run: func() { p.nextChange(-1) }, Off: p.detail.oneScreen},
		p.Do(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the response", Words: "wire", Footer: 14}, func(one *pins.Pin) {
			p.app.ShowFrame(max(one.ResponseRow, one.RequestRow))
		}, func(one *pins.Pin) string {
			return keys.Reason(max(one.ResponseRow, one.RequestRow) < 0, "The pin has not run in this session.")
		}),
		p.Do(keys.Command{ID: "pin.repeat", Keys: keys.On("space"), Label: "run after restarts", Now: p.repeats, Help: "Run the calls of this tool after each restart, too, or stop that", Words: "allow watch save", Footer: 13}, p.repeat, settled),
		{ID: "again", Verb: keys.Again, Label: "run all", Help: "Run all pinned calls; asks about those that are not declared read-only", Words: "repeat call", Footer: 15, Run: p.runAll, Off: func() string { return keys.Reason(len(p.list) == 0, "There are no pins yet.") }},
		p.Do(keys.Command{ID: "edit", Verb: keys.Edit, Label: "edit", Help: "Edit the request of the pin", Words: "arguments change rename", Footer: 12}, p.edit),
		p.Do(keys.Command{ID: "remove", Verb: keys.End, Label: "unpin", Help: "Remove the pin from the file; asks first", Words: "delete", Footer: 16}, p.remove),
		p.Do(keys.Command{ID: "pin.reject", Label: "reject", Help: "Mark this response as known to be wrong: the pin stays failed", Words: "known"}, func(one *pins.Pin) { p.pins.Reject(one.Name) }, differs),
		{ID: "pin.accept-all", Label: "accept all", Help: "Expect the responses of all failed pins from now on", Words: "update snapshots", Run: func() { p.Accept(-1, p.differing()...) }, Off: func() string { return keys.Reason(p.differing() == nil, "No pin has a response to accept.") }},
	}
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.tick = t
	p.pins.Update(t.State)
	if p.pins.Version() != p.version {
		p.list, p.others, p.version, p.problem = p.pins.List()
		p.Changed()
	}
	for i := range p.list {
		busy = busy || p.list[i].State == pins.Running
	}
	return p.Page.Refresh(t) || busy
}

// Open puts the pane on the screen until esc closes it.
func (p *Pane) Open() { p.open = true }

// IsOpen reports whether the pane is on the screen.
func (p *Pane) IsOpen() bool { return p.open }

// Problem returns the error of the file of the pins, or nil.
func (p *Pane) Problem() error { return p.problem }

// Motion implements [app.Pane]: pages scroll the response, and esc closes the pane.
func (p *Pane) Motion(m keys.Motion) bool {
	switch m {
	case keys.PageDown, keys.PageUp, keys.HalfDown, keys.HalfUp:
		return keys.Scroll(&p.detail.scroll, m)
	case keys.Back:
		p.open = false
		return false
	}
	return p.Page.Motion(m)
}

// Wants returns the number of rows that the pane needs for all pins, and to read a difference.
func (p *Pane) Wants(s *app.Screen, w, h int) int {
	const readable = 12
	rows := p.Page.Wants(s, w, h)
	if p.Counts().Failed > 0 {
		rows = max(rows, len(p.list)+3, readable)
	}
	return rows
}

// foreign returns why the file belongs to another server: it names one, or the server has none of the pinned
// entries. It returns "" for a file of this server.
func (p *Pane) foreign() string {
	if len(p.list) == 0 {
		return ""
	}
	of := fmt.Sprintf("%s of %s: ", phrase.Count(len(p.list), "pin"), display.Sanitize(filepath.Base(p.pins.Path())))
	if name := p.list[0].Server; name != "" {
		return of + fmt.Sprintf("the file is for the server %q", name)
	}
	if slices.ContainsFunc(p.list, func(one pins.Pin) bool { return !one.Missing }) {
		return ""
	}
	return of + "the server has no " + subjects(p.list)
}

// subjects names the subjects of the pins.
func subjects(list []pins.Pin) string {
	const most = 3 // number of pins that are named
	var names []string
	noun := nounOf(list[0].Method)
	for i := range list {
		if name := display.Cut(display.Sanitize(list[i].Subject), 30); !slices.Contains(names, name) {
			names = append(names, name)
		}
		if nounOf(list[i].Method) != noun {
			noun = "tool or prompt"
		}
	}
	if more := len(names) - most; more > 1 {
		names = append(names[:most], fmt.Sprintf("%d others", more))
	}
	last := len(names) - 1
	if last == 0 {
		return noun + " " + names[0]
	}
	return noun + " " + strings.Join(names[:last], ", ") + " or " + names[last]
}

// nounOf returns the noun for the subject of a method.
func nounOf(method string) string { return paint.If(method == "prompts/get", "prompt", "tool") }

func (p *Pane) differing() (names []string) {
	for i := range p.list {
		if one := &p.list[i]; one.State == pins.Failed && one.Response != nil {
			names = append(names, one.Name)
		}
	}
	return names
}

// change changes the file of the pins outside of Update. Then it selects the pin with the returned name, and
// shows the sentence.
func (p *Pane) change(sentence string, change func() (name string, err error)) {
	p.app.Go(func(context.Context) func() {
		name, err := change()
		return func() {
			p.Refresh(p.tick)
			switch {
			case err != nil:
				p.app.Fail(dialog.Sentence(err))
			case name != "":
				p.Select(name)
				text := fmt.Sprintf("Pinned as %s (%s). ", display.Sanitize(name), p.file())
				if one, ok := p.Selected(); ok && one.Name == name {
					text += p.again(one)
				}
				p.app.Say(text)
			case sentence != "":
				p.app.Say(sentence)
			}
		}
	})
}

// again describes when the call of a new pin runs again.
func (p *Pane) again(one *pins.Pin) string {
	switch why := one.Waits(); {
	case why == "":
		return fmt.Sprintf("It runs again after each restart. %s shows the pins.", p.app.Key("pins"))
	case one.Repeatable():
		return fmt.Sprintf("It is %s. %s, then %s: run it after each restart.", why, p.app.Key("pins"), p.app.Key("pin.repeat"))
	default:
		return fmt.Sprintf("It %s. %s, then %s: run it.", why, p.app.Key("pins"), p.app.Key("pin.run"))
	}
}

// file returns the path of the pins for use in a sentence.
func (p *Pane) file() string { return display.Sanitize(p.pins.Path()) }

// PinCall pins a call with its response.
func (p *Pane) PinCall(c *session.Call) {
	p.change("", func() (string, error) {
		response, err := c.Outcome()
		if err != nil {
			return "", err
		}
		return p.pins.Add(c.Method, c.Params, response)
	})
}

// PinFrame pins the request of a frame with its response.
func (p *Pane) PinFrame(row int32) {
	p.change("", func() (string, error) { return p.pins.AddFrame(row) })
}

// Accept makes pins expect the responses of their last run. If row is not negative, the single pin expects the
// response in that row.
func (p *Pane) Accept(row int32, names ...string) {
	p.change(phrase.Count(len(names), "response")+" accepted into "+p.file()+".", func() (_ string, err error) {
		for _, name := range names {
			if row >= 0 {
				err = p.pins.AcceptFrame(name, row)
			} else {
				err = p.pins.Accept(name)
			}
			if err != nil {
				return "", err
			}
		}
		return "", nil
	})
}

// repeat sets whether the calls of a pin's tool run after each restart.
func (p *Pane) repeat(one *pins.Pin) {
	tool, on := one.Subject, !one.Repeated
	sentence := fmt.Sprintf("Calls of %s run after each restart; %s says so.", display.Sanitize(tool), p.file())
	if !on {
		sentence = fmt.Sprintf("Calls of %s no longer run after each restart.", display.Sanitize(tool))
	}
	p.change(sentence, func() (string, error) { return "", p.pins.Repeat(tool, on) })
}

// Ignore leaves out the values at a path.
func (p *Pane) Ignore(name, path string) {
	p.change("Ignored in the pin: "+display.Sanitize(path), func() (string, error) { return "", p.pins.Ignore(name, path) })
}

// Decide answers a question about values that pins take from outside of their file.
func (p *Pane) Decide(q *pins.Question, agreed bool) {
	p.change("", func() (string, error) { return "", p.pins.Decide(q, agreed) })
}

// remove removes a pin from the file, after a question, because it cannot be undone.
func (p *Pane) remove(one *pins.Pin) {
	name := one.Name
	dialog.Consent{
		Text:  question.Text{Name: "its request", Lines: []string{one.Line}, Facts: []question.Fact{{Label: "pin", Text: name}, {Label: "file", Text: p.file()}}},
		Title: "Remove this pin?", Yes: "remove", No: "keep it", After: "it stays in the file",
		Accept: func() {
			p.change(fmt.Sprintf("Pin %s removed from %s.", display.Sanitize(name), p.file()), func() (string, error) { return "", p.pins.Remove(name) })
		},
	}.Open(p.app)
}

func (p *Pane) title() []paint.Span {
	return []paint.Span{{Text: "Pins  "}, {Text: filepath.Base(p.pins.Path())}}
}

func (p *Pane) empty(d *doc.Doc) {
	if p.problem != nil {
		d.Text(d.Pal.Warn, p.problem.Error(), 4)
		return
	}
	d.Text(d.Pal.Text, "No pins yet. "+d.Names.Name("pin")+" on a call with a response pins it: "+pins.When+", and what differs is shown here. esc closes the pins.", 4)
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	if why := p.foreign(); why != "" && p.problem == nil {
		var top *app.Canvas
		top, c = c.Over(1)
		top.Say(1, c.Pal.Muted, why)
	}
	if p.problem != nil && len(p.list) > 0 {
		var top *app.Canvas
		top, c = c.Over(1)
		top.Say(1, c.Pal.Warn, p.problem.Error())
	}
	p.Page.Paint(c, focused)
}

// sign returns the sign of a pin's state.
func (p *Pane) sign(one *pins.Pin, pal *paint.Palette) paint.Span {
	switch one.State {
	case pins.Running:
		return paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.tick.Spin)}
	case pins.Passed:
		if one.Unfit() {
			return paint.Span{Style: pal.Warn, Text: pal.WarnMark}
		}
		return paint.Span{Style: pal.OK, Text: pal.OKMark}
	case pins.Failed:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	case pins.Rejected:
		return paint.Span{Style: pal.Muted, Text: pal.FailMark}
	}
	return paint.Span{Style: pal.Muted, Text: pal.Absent}
}

// missing returns a text that the server lacks the subject of a pin.
func missing(one *pins.Pin) string { return "the server has no such " + nounOf(one.Method) }

// call returns the call, or why there is no difference to display.
func (p *Pane) call(one *pins.Pin, pal *paint.Palette) []paint.Span {
	run := p.app.Key("pin.run") + " runs it"
	switch {
	case (one.State == pins.Failed || one.State == pins.Rejected) && one.Rows == nil:
		return []paint.Span{{Style: pal.Error, Text: one.Reason}}
	case one.Warning != "":
		return []paint.Span{{Style: pal.Warn, Text: one.Warning}}
	case one.State == pins.NotRun && one.Missing:
		return []paint.Span{{Style: pal.Muted, Text: missing(one)}}
	case one.State == pins.NotRun && one.Server != "":
		return []paint.Span{{Style: pal.Muted, Text: "of another server: " + run}}
	case one.State == pins.NotRun && !one.Outside.Empty():
		return []paint.Span{{Style: pal.Muted, Text: "sends " + outside(one) + ": " + run}}
	case one.State == pins.NotRun && one.Waits() != "":
		return []paint.Span{{Style: pal.Muted, Text: one.Waits()}}
	case one.State == pins.Rejected:
		return []paint.Span{{Style: pal.Muted, Text: "rejected"}}
	case one.Method != "tools/call" && one.Method != "prompts/get":
		return []paint.Span{{Style: pal.Value, Text: one.Method}}
	}
	return []paint.Span{{Style: pal.Value, Text: one.Subject}}
}

// took returns the duration of a call, in milliseconds.
func took(one *pins.Pin, pal *paint.Palette) []paint.Span {
	if one.State == pins.NotRun || one.State == pins.Running || one.Took == 0 { // the sign shows it
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: phrase.Milliseconds(one.Took)}}
}
