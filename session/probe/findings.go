package probe

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/session/lint"
)

// Error reports a violated MUST or an attack that worked. The sentence is complete.
//
//go:noinline
func (r *Run) Error(format string, args ...any) { r.found(lint.Error, format, args...) }

// Warn reports a violated SHOULD, or what is risky.
//
//go:noinline
func (r *Run) Warn(format string, args ...any) { r.found(lint.Warn, format, args...) }

// Info reports what violates nothing.
func (r *Run) Info(format string, args ...any) { r.found(lint.Info, format, args...) }

func (r *Run) found(severity lint.Severity, format string, args ...any) {
	r.add(Finding{Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// About reports a finding about a tool, a resource or a method.
func (r *Run) About(severity lint.Severity, subject, format string, args ...any) {
	r.add(Finding{Severity: severity, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

// maxFindings bounds the findings of a probe.
const maxFindings = 100

// ownRefusal begins the error messages with which mcptea refuses what the server
// requests. A response that contains it relays the refusal: what it seems to be
// wrong with is caused by mcptea.
const ownRefusal = "mcptea does not offer "

// add takes a finding, unless mcptea has caused it.
func (r *Run) add(f Finding) {
	if r.ended != "" || len(r.report.Findings) >= maxFindings || f.Frames == nil && strings.Contains(string(r.last.Frame), ownRefusal) {
		return
	}
	if why := r.stands(&f); why != "" {
		if f.Severity != lint.Info {
			r.drop(why)
		}
		return
	}
	if f.Case == "" {
		f.Case = r.name
	}
	if f.Frames == nil {
		f.Frames, f.late = r.last.evidence, r.last.late
	}
	if f.Hint == "" {
		f.Hint = r.report.Entry.Fix
	}
	f.Message = r.runner.journal.redact(f.Message)
	f.Frames = r.runner.journal.shown(f.Frames)
	r.report.Findings = append(r.report.Findings, f)
}

// With reports a finding with frames of its own as evidence.
func (r *Run) With(severity lint.Severity, frames []Frame, format string, args ...any) {
	r.add(Finding{Severity: severity, Frames: frames, Message: fmt.Sprintf(format, args...)})
}

// WithScript reports a finding with a script of mcptea run that repeats it.
func (r *Run) WithScript(severity lint.Severity, subject, script, format string, args ...any) {
	r.add(Finding{Severity: severity, Case: subject, Subject: subject, Script: script, Message: fmt.Sprintf(format, args...), Exit: r.last.exit})
}

// provoked is a rule that mcptea causes to fire: the transport resumes the stream of
// a call that was cancelled, and the server knows it no more.
const provoked = "H017"

// consequences are the rules that fire on what the end of a connection leaves behind.
var consequences = []string{"J035", "K008"}

// hasSeen reports whether [Runner.isFirst] was asked for something.
func (r *Runner) hasSeen(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[what]
}

// everyRule in the rules of an entry stands for the findings about well-formed
// connections that no other probe has reported in this run.
const everyRule = "*"

// addLint adds the findings of the lint rules that belong to the probe. Each finding is
// reported once in a run.
func (r *Run) addLint(e *Entry) {
	if len(e.Rules)+len(e.AllRules) == 0 {
		return
	}
	j := r.runner.journal
	if l := r.runner.shared.link; l != nil && e.Phase >= phaseEnd {
		l.tick() // what has not come until now
	}
	for _, f := range j.take(func(f located) bool {
		return slices.Contains(e.AllRules, f.Rule.ID) || f.shared && (slices.Contains(e.Rules, f.Rule.ID) || slices.Contains(e.Rules, everyRule))
	}) {
		finding := Finding{Severity: f.Severity, Case: f.Rule.ID + " " + f.Rule.Slug, Rule: f.Rule, Message: f.Message, Hint: f.Hint}
		if slices.Contains(consequences, f.Rule.ID) && r.runner.hasSeen(ended) {
			continue // the end has a finding of its own, or was caused by a probe
		}
		frame, ok := j.frame(int(f.Row))
		if ok && strings.Contains(string(frame.Bytes), ownRefusal) {
			continue
		}
		if ok && r.accuses(frame, f.Severity) {
			continue // the probe has said so in its own words
		}
		if finding.Frames = []Frame{}; ok {
			finding.Frames = []Frame{frame}
		}
		r.add(finding)
	}
}

// accuses reports whether the probe has a finding of its own about a frame.
func (r *Run) accuses(frame Frame, severity lint.Severity) bool {
	return slices.ContainsFunc(r.report.Findings, func(f Finding) bool {
		return f.Rule == nil && f.Severity == severity && slices.ContainsFunc(f.Frames, func(of Frame) bool { return of.Seq == frame.Seq })
	})
}

// VerdictOf is the verdict for findings; those that were accepted do not count.
func VerdictOf(findings []Finding) Verdict {
	v := Pass
	for _, f := range findings {
		switch {
		case f.Accepted:
		case f.Severity == lint.Error:
			return Fail
		case f.Severity == lint.Warn:
			v = Warn
		}
	}
	return v
}

// serverError reports an HTTP status of a failure of the server: once in a run where
// it is that of all its error responses, and once in a probe else.
func (r *Run) serverError(o Outcome, m mode) {
	severity := lint.Warn
	if m != tolerated {
		severity = lint.Error
	}
	message := fmt.Sprintf("The server replied to %s with HTTP status %d.", r.name, o.Status)
	if o.Kind == Error {
		if !r.runner.isFirst(fmt.Sprint("error response with ", o.Status)) {
			return
		}
		message = fmt.Sprintf("The server sends the error response to %s with HTTP status %d: clients and proxies take it for a failure of the server. Others in this check are not reported.", r.name, o.Status)
	}
	if r.serverErrors++; r.serverErrors == 1 {
		r.add(Finding{Severity: severity, Message: message})
	}
}

// isFirst reports whether something happens for the first time in the run.
func (r *Runner) isFirst(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[what] {
		return false
	}
	r.seen[what] = true
	return true
}
