package server

import (
	"fmt"
	"slices"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// view is an attempt to connect, and the connection that it led to, as the page shows it.
type view struct {
	target   client.Target
	environ  string // how it differs from our own
	changed  string // changes for this attempt, without values, or ""
	st       session.State
	exchange transport.Exchange
	stderr   failure.Stderr
	fits     [2]fitting // lines of stderr that the page has room for: all lines, and the lines that the sentence does not repeat
	onStdout failure.Stdout
	why      failure.Explanation
	whyOf    moment
	source   stderr.Source // source named by the stderr lines
	todo     []todo        // what can be done about a failure
}

// maxAttempts is the number of attempts kept. The oldest is dropped first.
const maxAttempts = 20

// attempts holds the attempts that the page can show.
type attempts struct {
	live    view   // the newest one
	earlier []view // oldest first
	back    int    // how far back the one is that is shown; 0 is the newest
}

// newest makes the page use the newest attempt until the returned function is called.
func (p *Pane) newest() (done func()) {
	if p.back > 0 {
		p.view = p.live
	}
	return func() {
		p.live = p.view
		if p.back > 0 {
			p.view = p.earlier[len(p.earlier)-p.back]
		}
	}
}

// keep stores the previous attempt when a new one starts.
func (p *Pane) keep() {
	if p.st.Attempt > 0 {
		p.earlier = append(slices.Clip(p.earlier[max(0, len(p.earlier)-maxAttempts+2):]), p.view)
	}
	p.back = 0
}

// attempt shows an earlier attempt, or a later one.
func (p *Pane) attempt(by int) {
	back := p.back - by
	if back < 0 || back > len(p.earlier) {
		return
	}
	done := p.newest()
	p.back = back
	done()
	p.Home()
}

// before returns the attempt before the shown one, or nil.
func (p *Pane) before() *view {
	if i := len(p.earlier) - p.back - 1; i >= 0 {
		return &p.earlier[i]
	}
	return nil
}

// outcome describes in a few words how an attempt ended.
func (v *view) outcome() string {
	proc := v.st.Process
	_, status := failure.Refused(v.st.Err)
	switch {
	case v.why.Exited && proc.Signal != "":
		return fmt.Sprintf("%s after %s", proc.Signal, phrase.Duration(proc.Exited.Sub(proc.Started)))
	case v.why.Exited:
		return fmt.Sprintf("exit %d after %s", proc.ExitCode, phrase.Duration(proc.Exited.Sub(proc.Started)))
	case status != "":
		return status
	case v.why.Sentence != "":
		return v.why.Sentence
	case v.st.Phase == session.Ready:
		return "connected in " + phrase.Took(v.st.Took)
	}
	return "ended before there was an outcome"
}

// compared adds what was changed for this attempt, and how the previous one ended.
func (p *Pane) compared(d *doc.Doc) {
	before := p.before()
	unsaved := paint.If(p.back == 0, p.entry.unsaved, "")
	if before == nil || p.changed == "" && unsaved == "" && before.st.Phase == session.Ready {
		return
	}
	fact(d, "changed", d.Pal.Text, p.changed)
	fact(d, "not saved", d.Pal.Warn, unsaved)
	if p.changed != "" && p.back == 0 && p.cannotKeep() == "" {
		fact(d, "", d.Pal.Muted, "in this run only; "+d.Names.Name("write")+" writes it into the entry of the configuration")
	}
	d.FactText(fmt.Sprintf("attempt %d", before.st.Attempt), d.Pal.Muted, before.outcome(), 1)
}

// stepBefore describes how a step ended in the previous attempt, if that differs.
func (p *Pane) stepBefore(i int, st client.Step) string {
	before := p.before()
	if before == nil || i >= len(before.st.Steps) || st.State == client.StepRunning || st.State == client.StepWaiting {
		return ""
	}
	attempt := fmt.Sprintf("  attempt %d: ", before.st.Attempt)
	switch was := before.st.Steps[i]; {
	case was.Name != st.Name || was.State == st.State:
		return ""
	case was.State == client.StepFailed:
		return attempt + "failed after " + phrase.Took(was.Took)
	case was.State == client.StepWaiting:
		return attempt + "not reached"
	case was.State == client.StepDone:
		return attempt + "done"
	}
	return ""
}

// attemptNote names the attempt that is shown.
func (p *Pane) attemptNote() string {
	text := fmt.Sprintf("attempt %d", p.st.Attempt)
	if p.back == 0 {
		return text
	}
	return fmt.Sprintf("%s, %s earlier", text, paint.If(p.back == 1, "one", phrase.Digits(p.back)))
}
