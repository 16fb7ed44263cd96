package pins

import (
	"path/filepath"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/session/runs/pins"
	"mcptea/ui/dialog"
)

// runAll runs the pins that run after each restart, and asks whether to run the others, whose requests it shows
// first. It reports pins that cannot run.
func (p *Pane) runAll() { p.app.Online("Run pins", p.runOnline) }

func (p *Pane) runOnline() {
	var waiting []*pins.Pin
	runs, foreign := 0, ""
	for i := range p.list {
		switch one := &p.list[i]; {
		case one.Server != "":
			foreign = one.Server
		case one.Missing, one.Waits() == "": // a missing one fails
			runs++
		case one.State != pins.Running:
			waiting = append(waiting, one)
		}
	}
	switch {
	case foreign != "":
		p.app.Say(phrase.Count(len(p.list), "pin") + " not run: the file is for the server " + display.Sanitize(foreign) + ". " + p.app.Key("pin.run") + " runs one.")
		return
	case runs > 0:
		p.pins.Run()
	}
	if len(waiting) > 0 {
		p.askAll(waiting, runs)
	}
}

// askAll asks whether to run pins that do not run by themselves. beside is the number of pins that do.
func (p *Pane) askAll(waiting []*pins.Pin, beside int) {
	path, err := filepath.Abs(p.pins.Path())
	if err != nil {
		path = p.pins.Path()
	}
	var names, lines []string
	for _, one := range waiting {
		names, lines = append(names, one.Name), append(lines, one.Line)
	}
	title := "Run this pinned call?"
	if len(names) > 1 {
		title = "Run these " + phrase.Digits(len(names)) + " pinned calls?"
	}
	left := phrase.Count(len(names), "pin") + " not run: " + waiting[0].Waits() + ". " + p.app.Key("pin.run") + " runs one."
	if beside > 0 {
		left = phrase.Count(beside, "pin") + " run, " + left
	}
	dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "because", Text: waiting[0].Waits()}, {Label: "from", Text: path}, {Label: "to", Text: p.tick.State.Handshake.Server.String()}},
			Name:  "requests of the file", Lines: lines,
		},
		Title: title, Yes: "run, once", No: "do not run", After: p.app.Key("pin.run") + " on a pin runs only this pin",
		Accept:  func() { p.pins.Run(names...) },
		Decline: func() { p.app.Say(left) },
	}.Open(p.app)
}
