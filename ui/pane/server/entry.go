package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"mcptea/record/stderr"
	"mcptea/session/explain/remedy"
	"mcptea/session/question"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// entry is the comparison of the settings of the run with the configuration file that names the server.
type entry struct {
	edited   bool   // a setting was changed in this run
	unsaved  string // other problems of the file, in words
	reported string // unsaved, when [Pane.News] returned it
	read     time.Time
	reading  app.Work
}

// entryPause is the least time between two readings of the configuration file.
const entryPause = 2 * time.Second

// compareEntry reads the configuration file again, in the background, if a setting was changed.
func (p *Pane) compareEntry() {
	e := &p.entry
	if !e.edited || p.given.Target.Entry == nil || e.reading.Busy() || p.now.Sub(e.read) < entryPause {
		return
	}
	e.read = p.now
	run, given, home := p.run, p.given, p.home
	e.reading.Start(p.app, func(context.Context) func() {
		text := run.Unsaved(given, home)
		return func() { e.unsaved = text }
	})
}

// toOpen returns the place that a failure is opened at in the editor: in a source file that stderr names, or in the
// configuration file.
func (p *Pane) toOpen() stderr.Source {
	if e := p.target.Entry; p.source.File == "" && e != nil {
		return stderr.Source{File: e.File, Line: max(1, e.Line)}
	}
	return p.source
}

// toKeep returns the variables that were set and are in no file.
func (p *Pane) toKeep() []string {
	return slices.DeleteFunc(p.run.Variables(), func(v string) bool { return slices.Contains(p.kept, v) })
}

func (p *Pane) cannotKeep() string {
	switch {
	case len(p.run.Variables()) == 0:
		return "No variable was set in this run."
	case p.program.Keep == nil:
		return "The server comes from no configuration file."
	}
	return keys.Reason(len(p.toKeep()) == 0, "The variables are in the configuration.")
}

// keepVariables asks whether to write the set variables into the entry that the server came from, and writes
// them.
func (p *Pane) keepVariables() {
	vars := p.toKeep()
	dialog.Try(p.app, func(context.Context) (remedy.Keeping, error) { return p.program.Keep(vars) }, func(k remedy.Keeping) {
		facts := []question.Fact{{Label: "file", Text: k.File, Strong: true}, {Label: "entry", Text: k.Entry}}
		dialog.Consent{
			Text:  question.Text{Facts: facts, Name: "change", Lines: k.Diff},
			Title: "Write this change?", Yes: "write it", No: "do not write it", After: "nothing is written",
			Warnings: k.Notes,
			Accept: func() {
				dialog.Try(p.app, func(context.Context) (string, error) { return k.File, k.Write() }, func(file string) {
					p.kept = append(p.kept, vars...)
					p.app.Say("Wrote " + strings.Join(namesIn(vars), ", ") + " into " + file + ".")
				})
			},
		}.Open(p.app)
	})
}

// namesIn returns the names of variables.
func namesIn(vars []string) (names []string) {
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	return names
}
