package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/session/checks/lint"
)

// Judgment is what findings are about: an exchange, several that were made at once, frames
// that are the proof, or what was read before the probe. A finding can only be made of one,
// so that the harness knows which exchange it has to examine, and the report which frames
// it has to show. It is a value; its methods belong to the goroutine of the run.
type Judgment struct {
	r    *Run
	name string // the case, in a few words
	// verdict names what is said, for the sentence that it rests on; "" for what rests on the one for all of the probe.
	verdict string
	of      Outcome // the zero value without an exchange
	// frames are the proof, and nothing is examined; nil where the exchange is the evidence.
	frames  []Frame
	burst   *Burst
	bad     func(i int, o Outcome) bool // the outcomes of the burst that are counted
	exit    *Exit
	script  string
	hint    string // what to do; empty for what the probe says
	generic bool
	apart   bool           // generic, and about something else than what the probe may say of the same exchange
	again   func() Outcome // what led to the exchange, once more; nil for the frame alone
	// control is what the probe has compared with by itself, declared what a result claims; see [Judgment.Executes].
	control  *Control
	declared claim
}

// Of is the judgment of an exchange. Its findings are examined before they are reported;
// see [Judgment.examine].
func (r *Run) Of(o Outcome) Judgment {
	j := Judgment{r: r, of: o}
	if o.x != nil {
		j.name = o.x.name
	}
	return j
}

// Case is the judgment of what was read or measured before: nothing is sent for it. The
// outcomes are those that show it.
func (r *Run) Case(name string, evidence ...Outcome) Judgment {
	j := Judgment{r: r, name: name, frames: []Frame{}}
	for _, o := range evidence {
		j.frames = append(j.frames, o.evidence...)
	}
	j.frames = j.frames[:min(len(j.frames), maxFrames)]
	return j
}

// Shown is the judgment of frames that are wrong by themselves. The case is that of the
// newest exchange.
func (r *Run) Shown(frames ...Frame) Judgment {
	return Judgment{r: r, name: r.name, frames: append([]Frame{}, frames...)}
}

// Ended is the judgment of how a process has ended after what mcptea did to it.
func (r *Run) Ended(name string, e Exit) Judgment {
	return Judgment{r: r, name: name, frames: []Frame{}, exit: &e}
}

// Scripted has the findings carry a script of mcptea run that repeats them.
func (j Judgment) Scripted(script string) Judgment {
	j.script, j.exit, j.frames = script, j.of.exit, j.of.evidence
	return j
}

// Again has the examination repeat what has led to the exchange, where it is more than its
// frame.
func (j Judgment) Again(again func() Outcome) Judgment {
	j.again = again
	return j
}

// Against has the findings rest on a control that the probe has sent: what it was, in a few words, and
// what it led to. It differs from what is judged in one thing.
func (j Judgment) Against(sent string, o Outcome) Judgment {
	j.control = &Control{Sent: sent, Outcome: o}
	return j
}

// Executes has a finding about a result say that the server does what it was asked for, although the params
// are wrong. It is reported if the plain form of the request gets another result.
func (j Judgment) Executes() Judgment {
	j.declared = claimExecutes
	return j
}

// Itself has a finding about a result say that the result is wrong, whatever was sent.
func (j Judgment) Itself() Judgment {
	j.frames = append([]Frame{}, j.of.evidence...)
	return j
}

// Named has the findings rest on the sentence that names the verdict in grounds.jsonl.
func (j Judgment) Named(verdict string) Judgment {
	j.verdict = verdict
	return j
}

// Advise has the findings say what to do in other words than those of the probe.
func (j Judgment) Advise(hint string) Judgment {
	j.hint = hint
	return j
}

// Error reports a violated MUST or an attack that worked. The sentence is complete.
func (j Judgment) Error(format string, args ...any) { j.About(lint.Error, "", format, args...) }

// Warn reports a violated SHOULD, or what is risky.
func (j Judgment) Warn(format string, args ...any) { j.About(lint.Warn, "", format, args...) }

// Info reports what violates nothing.
func (j Judgment) Info(format string, args ...any) { j.About(lint.Info, "", format, args...) }

// About reports a finding about a tool, a resource or a method; the subject is empty for
// none.
func (j Judgment) About(severity lint.Severity, subject, format string, args ...any) {
	j.add(format, Finding{Severity: severity, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

// Says reports a sentence that was made from a template. Sentences from one template about
// one subject are one finding.
func (j Judgment) Says(severity lint.Severity, subject, template, message string) {
	j.add(template, Finding{Severity: severity, Subject: subject, Message: message})
}

// maxFindings bounds the findings of a probe before they are folded, maxCases the further
// cases of one.
const (
	maxFindings = 100
	maxCases    = 50
)

// ownRefusal begins the error messages with which mcptea refuses what the server
// requests. A response that contains it relays the refusal: what it seems to be
// wrong with is caused by mcptea.
const ownRefusal = "mcptea does not offer "

// add takes a finding, unless mcptea has caused it, or what it says does not hold for the
// server.
func (j Judgment) add(template string, f Finding) {
	r := j.r
	if r.ended != "" || len(r.report.Findings) >= maxFindings || j.frames == nil && strings.Contains(string(j.of.Frame), ownRefusal) {
		return
	}
	switch {
	case f.Rule != nil: // a rule has its own severity
	case j.generic:
		f.Ground = anyExchange
	default:
		f.Ground, f.Severity = r.report.Entry.GroundFor(r.Server.Revision, f.Severity, j.verdict)
	}
	f.key = findingKey{f.Severity, template, f.Subject, ""}
	if f.Severity == lint.Info && f.Rule == nil { // those of all subjects are one: a server has hundreds of tools
		f.key.subject = ""
	}
	if j.frames == nil && j.of.IsRefusal() { // whatever it is about, the server says the same
		f.key.subject, f.key.outcome = "", fmt.Sprint(j.of.Kind, j.of.Status, j.of.ShownCode())
	}
	p, why := j.examine(&f)
	if x := j.exit; x != nil && x.Signal != "" && x.Signal != x.Signalled && r.EndsOthers() {
		why = becauseExclusive
	}
	if why != nil && why.lost && j.generic {
		const key = "loses responses"
		if first := r.runner.isCause(key, r.report.Entry.ID); first {
			f.Message += " When it was sent again, there was one: the server loses responses. Further ones are not reported."
			p, why = proof{holds: true, claim: claimSilent, control: &Control{Sent: "the same again", Outcome: why.again}}, nil
		} else {
			why.Probe, why.Cause = r.runner.causeOf(key), "the server loses responses"
		}
	}
	if why != nil {
		if f.Severity != lint.Info {
			r.drop(why)
		}
		return
	}
	if f.Case == "" {
		f.Case = j.name
	}
	f.Script = j.script
	if f.Exit == nil {
		f.Exit = j.exit
	}
	if f.Frames = j.frames; f.Frames == nil {
		f.Frames, f.late = j.of.evidence, j.of.late
	}
	if f.Acts = j.of.acts; f.Exit != nil && len(f.Acts) == 0 {
		f.Acts = f.Exit.Acts
	}
	f.generic, f.apart = j.generic, j.apart
	f.root = j.rootOf(&f, p.claim)
	if f.Hint = cmp.Or(f.Hint, j.hint); f.Hint == "" {
		f.Hint = r.report.Entry.Fix
	}
	if f.Rule == nil {
		r.runner.blame(r.report.Entry, p.claim, &f)
	}
	redact := r.runner.journal.redact
	f.Message, f.Case, f.Subject, f.Hint = redact(f.Message), redact(f.Case), redact(f.Subject), redact(f.Hint)
	f.Frames = r.runner.journal.shown(f.Frames)
	r.runner.tells(f)
	r.report.take(f, p)
}

// drop leaves out a finding from which nothing can be concluded. The probe is not judged
// if it has no other.
func (r *Run) drop(why *Because) {
	if r.unproven == nil {
		r.unproven = why
	}
}

// fold makes one finding of those that say the same about the same: the first, with the
// cases of the others.
func fold(findings []Finding) []Finding {
	at := map[findingKey]int{}
	var folded []Finding
	for _, f := range findings {
		if f.generic && !f.apart && slices.ContainsFunc(findings, func(of Finding) bool {
			return !of.generic && of.Rule == nil && of.Severity <= f.Severity && sameEvidence(f, of)
		}) {
			continue
		}
		i, known := at[f.key]
		if !known || f.key.template == "" {
			at[f.key] = len(folded)
			folded = append(folded, f)
			continue
		}
		further := f.Case
		if f.Rule != nil || f.Severity == lint.Info && f.Case == folded[i].Case {
			further = f.Message
		}
		if first := &folded[i]; len(first.Also) < maxCases && further != first.Case && !slices.Contains(first.Also, further) {
			first.Also = append(first.Also, further)
		}
	}
	return folded
}

// sameEvidence reports findings about the same exchange.
func sameEvidence(a, b Finding) bool {
	return len(a.Frames) > 0 && len(b.Frames) > 0 && a.Frames[0].Seq == b.Frames[0].Seq
}

// ofAny is [Run.Of] for what is wrong with any exchange.
func (r *Run) ofAny(o Outcome) Judgment {
	j := r.Of(o)
	j.generic = true
	return j
}

// Kind returns a text that is equal for findings of a probe that say the same about different tools, resources or prompts.
func (f Finding) Kind() string { return f.key.template }

// findingKey is equal for findings of a probe that say the same about the same.
type findingKey struct {
	severity          lint.Severity
	template, subject string
	outcome           string // what the server has returned, where that is the mistake
}
