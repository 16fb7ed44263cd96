package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/lint"
)

// A Judgment is the subject of findings: an exchange, a burst, frames that prove themselves, or
// facts that were read earlier. Findings can only be made through a Judgment. It tells the harness
// what to examine and the report what to show. A Judgment is a value. Its methods must be called on
// the goroutine of the run.
type Judgment struct {
	r    *Run
	name string // description of the case
	// verdict is the name of the conclusion. The finding is based on the sentence of the
	// specification with that name. If "", it is based on the sentence for the whole probe.
	verdict string
	of      Outcome // outcome of the exchange, or zero if there is none
	// frames are the proof, so nothing is examined. If nil, the exchange is the evidence.
	frames  []Frame
	burst   *Burst
	bad     func(i int, o Outcome) bool // selects the outcomes of the burst that count
	exit    *Exit
	script  string
	hint    string // advice, or "" for the advice of the entry
	generic bool
	apart   bool           // the finding is generic, but findings of the probe about the exchange do not replace it
	again   func() Outcome // repeats everything that led to the exchange, or nil if the frame alone is sufficient
	// control is a comparison made by the probe itself. declared is the claim about a result; see
	// [Judgment.Executes].
	control  *Control
	declared claim
}

// Of returns a Judgment about an exchange. Findings are examined before they are reported; see
// [Judgment.examine].
func (r *Run) Of(o Outcome) Judgment {
	j := Judgment{r: r, of: o}
	if o.x != nil {
		j.name = o.x.name
	}
	return j
}

// Case returns a Judgment about something read or measured before. No frames are sent to examine it. evidence
// holds the exchanges that show it.
func (r *Run) Case(name string, evidence ...Outcome) Judgment {
	j := Judgment{r: r, name: name, frames: []Frame{}}
	for _, o := range evidence {
		j.frames = append(j.frames, o.evidence...)
	}
	j.frames = j.frames[:min(len(j.frames), maxFrames)]
	return j
}

// Shown returns a Judgment about frames that are wrong in themselves. It belongs to the case of the
// newest exchange.
func (r *Run) Shown(frames ...Frame) Judgment {
	return Judgment{r: r, name: r.name, frames: append([]Frame{}, frames...)}
}

// Ended returns a Judgment about how a process ended after an act of mcptea.
func (r *Run) Ended(name string, e Exit) Judgment {
	return Judgment{r: r, name: name, frames: []Frame{}, exit: &e}
}

// Scripted attaches an mcptea run script that reproduces the findings.
func (j Judgment) Scripted(script string) Judgment {
	j.script, j.exit, j.frames = script, j.of.exit, j.of.evidence
	return j
}

// Again sets the function that repeats the exchange. It is for an exchange that needs more than one
// frame.
func (j Judgment) Again(again func() Outcome) Judgment {
	j.again = again
	return j
}

// Against sets a control that the probe itself has sent. The control must differ from the judged
// exchange in only one respect. sent describes it.
func (j Judgment) Against(sent string, o Outcome) Judgment {
	j.control = &Control{Sent: sent, Outcome: o}
	return j
}

// Executes declares that a finding about a result claims that the server carried out a request with invalid
// params. It is reported only if the plain form gets a different result.
func (j Judgment) Executes() Judgment {
	j.declared = claimExecutes
	return j
}

// Itself declares that the result is wrong regardless of the request.
func (j Judgment) Itself() Judgment {
	j.frames = append([]Frame{}, j.of.evidence...)
	return j
}

// Named bases the findings on the sentence with the name of this verdict in grounds.jsonl.
func (j Judgment) Named(verdict string) Judgment {
	j.verdict = verdict
	return j
}

// Advise replaces the advice of the entry.
func (j Judgment) Advise(hint string) Judgment {
	j.hint = hint
	return j
}

// Error reports a violated MUST or a successful attack, as a complete sentence.
func (j Judgment) Error(format string, args ...any) { j.About(lint.Error, "", format, args...) }

// Warn reports a violated SHOULD or a risk.
func (j Judgment) Warn(format string, args ...any) { j.About(lint.Warn, "", format, args...) }

// Info reports something that violates no requirement.
func (j Judgment) Info(format string, args ...any) { j.About(lint.Info, "", format, args...) }

// About reports a finding about a tool, resource or method. subject may be empty.
func (j Judgment) About(severity lint.Severity, subject, format string, args ...any) {
	j.add(format, Finding{Severity: severity, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

// Says reports a sentence that was built from a template. Sentences with the same template and subject count as
// one finding.
func (j Judgment) Says(severity lint.Severity, subject, template, message string) {
	j.add(template, Finding{Severity: severity, Subject: subject, Message: message})
}

// maxFindings bounds the findings of a probe before folding. maxCases bounds the additional cases of a finding.
const (
	maxFindings = 100
	maxCases    = 50
)

// ownRefusal is the start of the error messages with which mcptea refuses server requests. If a
// response contains it, the server passes the refusal on, and mcptea has caused the apparent
// mistake.
const ownRefusal = "mcptea does not offer "

// add reports a finding unless mcptea caused it or the examination disproves it.
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
	if f.Severity == lint.Info && f.Rule == nil { // infos of all subjects become one finding: a server has hundreds of tools
		f.key.subject = ""
	}
	if j.frames == nil && j.of.IsRefusal() { // the server refuses regardless of the subject
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

// drop discards a finding that proves nothing. Without another finding, the probe counts as not judged.
func (r *Run) drop(why *Because) {
	if r.unproven == nil {
		r.unproven = why
	}
}

// fold merges findings with the same key into the first one, which lists the cases of the others.
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

// sameEvidence reports whether two findings are about the same exchange.
func sameEvidence(a, b Finding) bool {
	return len(a.Frames) > 0 && len(b.Frames) > 0 && a.Frames[0].Seq == b.Frames[0].Seq
}

// ofAny is like [Run.Of], but for mistakes that any exchange can have.
func (r *Run) ofAny(o Outcome) Judgment {
	j := r.Of(o)
	j.generic = true
	return j
}

// Kind returns a text that is equal for findings of a probe with the same statement about different tools,
// resources or prompts.
func (f Finding) Kind() string { return f.key.template }

// findingKey is equal for findings of a probe with the same statement about the same subject.
type findingKey struct {
	severity          lint.Severity
	template, subject string
	outcome           string // the refusal, if that is the mistake
}
