package server

import (
	"context"
	"slices"
	"strings"

	"mcptea/session/explain/remedy"
	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// toKeep are the variables that were set and are in no file.
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

// keepVariables asks whether to write the variables that were set into the entry that the server came
// from, and writes them.
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

// namesIn are the names of variables.
func namesIn(vars []string) (names []string) {
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, name)
	}
	return names
}
