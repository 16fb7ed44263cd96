package probe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// provoked is a rule that mcptea itself causes to fire: the transport resumes the stream of a
// cancelled call, and the server no longer has that stream.
const provoked = "H017"

// consequences holds the rules that fire because a connection ended.
var consequences = []string{"J035", "K008"}

// unanswered is the rule about requests without a response. damaged is a key for [Runner.hasSeen]:
// a line arrived instead of a response.
const (
	unanswered = "J034"
	damaged    = "a line instead of a response"
)

// hasSeen reports whether happens was called with the key.
func (r *Runner) hasSeen(what string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[what]
}

// everyRule, in the rules of an entry, selects all findings on well-formed connections that no
// other probe has reported.
const everyRule = "*"

// otherIDType is the rule about responses with an id of another type.
const otherIDType = "J031"

// IsJudged reports whether one of the lint rules has a finding so far.
func (r *Run) IsJudged(rules []string) bool { return r.runner.journal.hasFinding(rules) }

// Covers drops the findings of a lint rule whose cause the probe has reported in its own words.
func (r *Run) Covers(rule string) { r.covered = append(r.covered, rule) }

// addLint adds the findings of the lint rules that belong to the probe. A run reports each finding once.
func (r *Run) addLint(e *Entry) {
	if len(e.Rules)+len(e.AllRules) == 0 {
		return
	}
	j := r.runner.journal
	if l := r.runner.shared.link(); l != nil && e.Phase >= phaseEnd {
		l.tick() // flush findings that depend on time
	}
	for _, f := range j.take(func(f located) bool {
		if r.own != nil && f.on != r.own {
			return false // the findings of other connections so far depend on timing
		}
		return slices.Contains(e.AllRules, f.Rule.ID) || f.correct && (slices.Contains(e.Rules, f.Rule.ID) || slices.Contains(e.Rules, everyRule))
	}) {
		finding := Finding{Severity: f.Severity, Case: f.Rule.ID + " " + f.Rule.Slug, Rule: f.Rule, Message: f.Message, Hint: f.Hint}
		if slices.Contains(consequences, f.Rule.ID) && r.runner.hasSeen(ended) {
			continue // the end has its own finding, or a probe caused it
		}
		if f.Rule.ID == unanswered && r.runner.hasSeen(damaged) {
			continue // the response has arrived, as a line that is not a message
		}
		frame, ok := j.frame(int(f.Row))
		if ok && strings.Contains(string(frame.Bytes), ownRefusal) {
			continue
		}
		if ok && slices.Contains(e.Rules, everyRule) && f.Severity == lint.Info && f.Rule.Basis == "heuristic" && r.runner.hasTold(frame.Seq) {
			continue // another probe has judged the response
		}
		if ok && f.Rule.ID == otherIDType && r.runner.hasTold(frame.Seq) {
			continue // the probe about ids has judged the response
		}
		if slices.Contains(r.covered, f.Rule.ID) || ok && r.accuses(frame, f.Severity) {
			continue // the probe has reported it in its own words
		}
		if why := r.runner.general(frame.Bytes); ok && why != nil && f.Severity != lint.Info {
			r.drop(why)
			continue
		}
		about := r.Case(finding.Case)
		if ok {
			if frame.Place = f.Where(); frame.Place != "" && f.Excerpt != nil {
				frame.show(*f.Excerpt)
			}
			about.frames = []Frame{frame}
		}
		about.add(f.Rule.ID, finding) // findings of one rule count as one mistake
	}
}

// general returns a reason not to report an error response: the plain forms of several methods get
// the same error. Otherwise it returns nil.
func (r *Runner) general(frame []byte) *Because {
	e := jsonrpc.Scan(frame)
	if e.Kind != jsonrpc.ErrorResponse {
		return nil
	}
	err := jsonrpc.ParseError(frame, e)
	r.mu.Lock()
	methods := map[string]bool{}
	for key, o := range r.premises {
		if o.Kind == Error && o.Code == err.Code && o.Message == err.Message {
			methods[key.method] = true
		}
	}
	r.mu.Unlock()
	if len(methods) < 2 {
		return nil
	}
	return r.because(slices.Min(slices.Collect(maps.Keys(methods))), fmt.Sprintf("several methods in their plain form return %s: %s, too", err.Code.Phrase(), short(err.Message)))
}

// tells records the frames that the findings of probes are about.
func (r *Runner) tells(f Finding) {
	if f.Rule != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, frame := range f.Frames {
		if r.told == nil {
			r.told = map[int]bool{}
		}
		r.told[frame.Seq] = true
	}
}

// hasTold reports whether a finding of a probe is about the frame.
func (r *Runner) hasTold(seq int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[seq]
}

// accuses reports whether the probe already has an equally severe finding about the frame, or about
// another response with the same error code.
func (r *Run) accuses(frame Frame, severity lint.Severity) bool {
	code, isError := codeOf(frame)
	return slices.ContainsFunc(r.report.Findings, func(f Finding) bool {
		return f.Rule == nil && f.Severity <= severity && slices.ContainsFunc(f.Frames, func(of Frame) bool {
			other, also := codeOf(of)
			return of.Seq == frame.Seq || isError && also && code == other
		})
	})
}

// codeOf returns the code of an error response of the server.
func codeOf(f Frame) (code jsonrpc.Code, ok bool) {
	e := jsonrpc.Scan(f.Bytes)
	return e.ErrorCode(), f.Dir == transport.In && e.Kind == jsonrpc.ErrorResponse
}

// VerdictOf returns the verdict for findings, ignoring accepted ones.
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

// serverError reports an HTTP 5xx status. If the response contains a JSON-RPC error, it is reported once per
// run, as a warning. Otherwise it is reported once per probe.
func (r *Run) serverError(o Outcome, m mode) {
	severity := lint.Warn
	if m != tolerated {
		severity = lint.Error
	}
	message := fmt.Sprintf("The server replied to %s with HTTP status %d.", r.name, o.Status)
	if o.Kind == Error {
		if !r.runner.isCause(fmt.Sprint("error response with ", o.Status), r.report.Entry.ID) {
			return
		}
		severity = lint.Warn // clients that read the body still get the response
		message = fmt.Sprintf("The server sends the error response to %s with HTTP status %d: clients and proxies take it for a failure of the server. Others in this check are not reported.", r.name, o.Status)
	}
	about := r.ofAny(o)
	if o.Kind == Error { // the status is wrong regardless of the request
		about.frames, about.apart = o.evidence, true
	}
	if r.serverErrors++; r.serverErrors == 1 {
		about.Says(severity, "", "", message)
	}
}

// happens records an event of the run.
func (r *Runner) happens(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[what] = true
}

// isCause records the probe that reports a cause of other findings. It reports whether the cause is new.
func (r *Runner) isCause(key, probe string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.causes[key] != "" {
		return false
	}
	r.causes[key] = cmp.Or(probe, ownsLists) // found before the first probe
	return true
}

// causeOf returns the probe that reports a cause, or "".
func (r *Runner) causeOf(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.causes[key]
}
