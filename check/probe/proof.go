package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// A proof supports a finding. Only [Judgment.examine] makes a proof, and [Report.take] requires
// one. So every reported finding was examined.
type proof struct {
	holds bool
	claim claim
	// control is the comparison. It is nil if the frames are the proof or no control can be sent.
	control *Control
}

// take adds a proven finding to the report.
func (r *Report) take(f Finding, p proof) {
	if !p.holds {
		return
	}
	f.proof, f.Control = p, p.control
	r.Findings = append(r.Findings, f)
}

// Claim returns the claim of the finding: shows, accepts, executes, refuses, silent, ends or counts.
func (f Finding) Claim() string { return claimNames[f.proof.claim] }

// A control is the plain form of a frame with its outcome. It isolates the odd element of a request.
type control struct {
	method, params string
	o              Outcome
}

// passes reports whether the control supports a claim.
func (x control) passes(c claim) bool {
	if c == claimSilent {
		return x.o.Kind <= Error
	}
	return x.o.Kind == Result && !x.o.ToolError()
}

// sent describes the control.
func (x control) sent() string { return x.method + " in its plain form" }

// examine checks a finding before it is reported. The plain form of the request must pass, and the
// odd form must lead to the same outcome again. Without a proof, examine returns the reason not to
// report the finding.
func (j Judgment) examine(f *Finding) (proof, *Because) {
	c := j.claim()
	shown := proof{holds: true, claim: c, control: j.control}
	if j.control != nil { // sent by the probe
		return shown, nil
	}
	switch c {
	case claimEnds:
		return j.examineEnd()
	case claimCounts:
		if why := j.examineBurst(f); why != nil {
			return proof{}, why
		}
		shown.control = f.Control
		return shown, nil
	case claimAccepts, claimExecutes:
		return j.examineAccepted(c)
	case claimRefuses, claimSilent:
		return j.examineRefused(f, c)
	}
	return shown, nil
}

// examineEnd is like examine, but for the end of a connection or process. [Run.dead] has sent the control, or
// the probe has repeated the end.
func (j Judgment) examineEnd() (proof, *Because) {
	r := j.r
	switch {
	case j.of.x == nil, j.script != "": // repeated by the probe
		return proof{holds: true, claim: claimEnds}, nil
	case j.of.x.ends:
		return proof{holds: true, claim: claimEnds, control: &Control{Sent: plainEnd}}, nil
	case r.unproven != nil:
		return proof{}, r.unproven // [Run.dead] has drawn no conclusion
	}
	return proof{}, &Because{Cause: "the connection ends for another reason", Why: "the end of the connection after " + j.name + " has another cause"}
}

// plainEnd describes the control of an end.
const plainEnd = "as many plain requests"

// examineRefused is like examine, but for a rejection or a missing response.
func (j Judgment) examineRefused(f *Finding, c claim) (proof, *Because) {
	r, p := j.r, proof{holds: true, claim: c}
	// A process that waits for a resource that other processes hold may never respond.
	if c == claimSilent && j.of.Kind != Silent && f.Severity != lint.Info && j.of.x.conn != nil && r.EndsOthers() {
		return proof{}, becauseExclusive
	}
	if why := r.becauseOf(j.name, j.of.absence); c == claimSilent && why != nil {
		return proof{}, why
	}
	if kind := r.unknownList(methodOf(j.of.Sent)); c == claimRefuses && kind != nil && j.of.IsError(jsonrpc.CodeMethodNotFound) {
		return proof{}, r.runner.because(kind.Method, kind.Method+" is declared, but the server does not know it, nor "+methodOf(j.of.Sent))
	}
	x, ok := r.controlOf(j.of, c, f.Severity == lint.Info)
	switch {
	case !ok:
	case x.o.Kind == Unsent:
		return proof{}, r.runner.because(r.firstMethod(), "no connection can be opened for "+x.sent())
	case !x.passes(c) && r.owns(x.method, j.of.Sent) && r.answersOther(x.method): // even on a plain connection
	case !x.passes(c):
		return proof{}, r.runner.because(x.method, fmt.Sprintf("%s returns %s, too", x.sent(), describe(x.o, "a tool error")))
	case c == claimSilent && j.of.late == nil && !j.of.EndsEmpty() && j.of.waited > 0 && j.of.waited < paceFactor*x.o.Took:
		return proof{}, &Because{Cause: "the server takes too long", Why: fmt.Sprintf("%s takes %s, and no longer than %s was waited for", x.sent(), x.o.Took.Round(shownTook), j.of.waited.Round(shownTook))}
	default:
		p.control = &Control{Sent: x.sent(), Outcome: x.o}
	}
	if f.Severity == lint.Info {
		return p, nil
	}
	if j.of.late != nil { // the response may still arrive
		f.confirm = func() *Because { return r.varies(j) }
		return p, nil
	}
	if why := r.varies(j); why != nil {
		return proof{}, why
	}
	return p, nil
}

// examineAccepted is like examine, but for a result that the server should not have returned.
func (j Judgment) examineAccepted(c claim) (proof, *Because) {
	r, p := j.r, proof{holds: true, claim: c}
	x, ok := r.controlOf(j.of, c, true)
	switch {
	case !ok && r.ctx.Err() != nil:
		return proof{}, &Because{Cause: unopened, Why: "the run was stopped"}
	case !ok:
		return p, nil
	case x.o.Kind == Unsent:
		return proof{}, r.runner.because(r.firstMethod(), "no connection can be opened for "+x.sent())
	case x.o.Kind != Result && r.answersOther(x.method): // the odd form does better than the plain one
	case x.o.Kind != Result:
		return proof{}, r.runner.because(x.method, fmt.Sprintf("%s returns %s", x.sent(), describe(x.o, "a tool error")))
	case c == claimExecutes && x.method == methodOf(j.of.Sent) && r.saysTheSame(j.of, x):
		return proof{}, &Because{Cause: "the result is that of the plain form", Why: "the result of " + j.name + " is that of " + x.sent() + ": whether the server looks at the difference is not known"}
	}
	if x.o.Kind == Result { // the finding does not depend on a failed control
		p.control = &Control{Sent: x.sent(), Outcome: x.o}
	}
	return p, nil
}

// IsTold reports whether the result of a request differs from the result of its plain form. If not,
// the result proves nothing about the odd element.
func (r *Run) IsTold(o Outcome) bool {
	if o.Kind != Result || o.x == nil {
		return true
	}
	x, ok := r.controlOf(o, claimExecutes, true)
	return !ok || x.method != methodOf(o.Sent) || x.o.Kind != Result || !r.saysTheSame(o, x)
}

// plainReadings is the number of plain results used to measure how much they vary.
const plainReadings = 4

// saysTheSame reports whether a result is as similar to the plain results as they are to each
// other. Counters, times and ids do not count.
func (r *Run) saysTheSame(o Outcome, x control) bool {
	odd := wordsOf(o.Result())
	all := [][]string{wordsOf(x.o.Result())}
	for !slices.ContainsFunc(all, func(plain []string) bool { return slices.Equal(odd, plain) }) {
		if len(all) == plainReadings {
			return nearest(odd, all) >= spread(all)
		}
		again, ok := r.controlOf(o, claimExecutes, false)
		if !ok || again.o.Kind != Result {
			return false
		}
		all = append(all, wordsOf(again.o.Result()))
	}
	return true
}

// nearest returns the likeness of a text and the most similar of the others.
func nearest(text []string, all [][]string) (most float64) {
	for _, other := range all {
		most = max(most, likeness(text, other))
	}
	return most
}

// spread returns the likeness of the least similar pair. If all texts are equal, it returns 2, more than any
// likeness.
func spread(all [][]string) float64 {
	least := 2.0
	for i, a := range all {
		for _, b := range all[:i] {
			if !slices.Equal(a, b) {
				least = min(least, likeness(a, b))
			}
		}
	}
	return least
}

// wordsOf returns the words of a result, sorted. Words with digits are replaced by "#".
func wordsOf(result []byte) []string {
	var value any
	if json.Unmarshal(result, &value) == nil { // normalize escapes and spacing
		if plain, err := json.Marshal(value); err == nil {
			result = plain
		}
	}
	words := strings.FieldsFunc(strings.ToLower(string(result)), func(ch rune) bool { return !isWord(ch) })
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			words[i] = "#"
		}
	}
	slices.Sort(words)
	return words
}

func isWord(ch rune) bool {
	return ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '_' || ch >= 0x80
}

// likeness returns the fraction of words that two sorted lists share, from 0 to 1.
func likeness(a, b []string) float64 {
	common := 0
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch {
		case a[i] == b[k]:
			common, i, k = common+1, i+1, k+1
		case a[i] < b[k]:
			i++
		default:
			k++
		}
	}
	return float64(2*common) / float64(max(1, len(a)+len(b)))
}
