package server

import (
	"context"

	"mcptea/session/explain/experiment"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// labelFind is the label of the key for an experiment that may show why connecting failed.
const labelFind = "find out why"

// whyNotFind returns why an experiment would show nothing, or "" if it may show the cause.
func (p *Pane) whyNotFind() string {
	if !p.repairs() {
		return "It works while the newest attempt has failed."
	}
	if p.finding.Busy() {
		return "The trials are running."
	}
	if why := p.cannotFind; why != "" {
		return "No experiment: " + why + "."
	}
	return ""
}

// proposeFinding offers the experiment as a key.
func (p *Pane) proposeFinding() {
	if p.whyNotFind() == "" && len(p.todo) == 0 && !p.target.IsStdio() { // otherwise it is among the keys below
		p.todo = append(p.todo, todo{label: labelFind, note: "repeats the request with one thing changed, at most 8 times", id: "experiment", do: p.findOut})
	}
}

// findOut runs the trials and explains the failure with their outcomes.
func (p *Pane) findOut() {
	s, err, why, of := p.s, p.st.Err, p.why, p.whyOf
	p.finding.Start(p.app, func(ctx context.Context) func() {
		report := experiment.Run(ctx, s, err, why)
		return func() {
			if p.whyOf != of || p.back > 0 {
				return // another attempt has begun
			}
			p.why, p.cannotFind = report.Explain(p.why), "the trials were made"
			p.plan()
			p.Home()
		}
	})
}

// findCommand returns the command for the experiment.
func (p *Pane) findCommand() keys.Command {
	return keys.Command{
		ID: "experiment", Keys: keys.On("f7"), Label: labelFind, Help: "Repeat the request that failed, or start the command again, with one thing changed at a time, at most 8 requests in 5 s or 4 starts in 8 s, and report what the difference shows", Words: "experiment trial diagnose cause curl start",
		Run: p.findOut, Off: p.whyNotFind,
	}
}

// findingText describes the running trials.
func (p *Pane) findingText() string {
	return "finding out why: " + paint.If(p.target.IsStdio(), "the command is started again", "the request is repeated") + " with one thing changed at a time, for at most " + paint.If(p.target.IsStdio(), "8 s", "5 s")
}
