package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/probe/checker"
)

// entry is a rule with its findings, or a probe with its outcome in one protocol version.
type entry struct {
	id, topic string
	state     state
	rule      *session.Group  // nil for a probe
	probe     *probe.Entry    // nil for a rule
	report    *probe.Report   // nil before it has run
	cases     []probe.Finding // of the report, the worst first
	running   bool
}

// state is what an entry means to the user, in the order of the list.
type state uint8

const (
	failed state = iota
	warned
	unjudged // a probe that could not be judged
	noted    // an info
	muted
	running // without an outcome yet
	passed
	skipped
	waiting
)

// restNames are the groups of what is not listed one by one.
var restNames = map[state]string{passed: "passed", skipped: "skipped", waiting: "not run yet"}

// topics are the groups of probes that the rules of a family belong to.
var topics = map[string]string{
	"J": "envelope", "B": "envelope", "E": "envelope", "K": "stdio", "L": "lifecycle", "C": "lifecycle",
	"T": "tools", "S": "schemas", "R": "resources", "P": "prompts", "N": "utilities", "M": "utilities",
	"H": "http", "X": "stateless", "A": "auth", "Y": "security",
}

// entriesOf are the entries of all rules with findings, and those of the probes.
func entriesOf(found *session.Findings, st *checker.State, probes bool) []*entry {
	var all []*entry
	for i := range found.Groups {
		g := &found.Groups[i]
		e := &entry{id: g.Rule.ID, topic: topics[g.Rule.Family()], rule: g, state: noted}
		switch {
		case g.Muted:
			e.state = muted
		case g.Rule.Severity == lint.Error:
			e.state = failed
		case g.Rule.Severity == lint.Warn:
			e.state = warned
		}
		all = append(all, e)
	}
	if !probes {
		return all
	}
	of := map[*probe.Entry][]*probe.Report{}
	for i := range st.Reports {
		r := &st.Reports[i]
		of[r.Entry] = append(of[r.Entry], r)
	}
	for _, e := range probe.Catalogue() {
		now := slices.Contains(st.Current, e)
		for _, r := range relevant(of[e]) {
			all = append(all, probed(e, r, now))
		}
	}
	return all
}

// relevant leaves out that a probe does not apply to a protocol version, if it does to
// another. It has a nil report for a probe without any.
func relevant(reports []*probe.Report) []*probe.Report {
	kept := slices.DeleteFunc(slices.Clone(reports), func(r *probe.Report) bool { return r.Verdict == probe.Skipped })
	switch {
	case len(kept) > 0:
		return kept
	case len(reports) > 0:
		return reports[:1]
	}
	return []*probe.Report{nil}
}

func probed(of *probe.Entry, r *probe.Report, now bool) *entry {
	e := &entry{id: of.ID, topic: of.Group, probe: of, report: r, running: now}
	switch {
	case r == nil && now:
		e.state = running
	case r == nil:
		e.state = waiting
	default:
		e.state = map[probe.Verdict]state{probe.Fail: failed, probe.Warn: warned, probe.Failure: unjudged, probe.Pass: passed, probe.Skipped: skipped}[r.Verdict]
		e.cases = slices.Clone(r.Findings)
		slices.SortStableFunc(e.cases, func(a, b probe.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	}
	return e
}

// isBad reports an outcome that the user has to look at.
func (e *entry) isBad() bool { return e.state <= unjudged }

// severity is what a filter of severities goes by.
func (e *entry) severity() lint.Severity {
	switch e.state {
	case failed:
		return lint.Error
	case warned, unjudged:
		return lint.Warn
	case muted:
		return e.rule.Rule.Severity
	}
	return lint.Info
}

// revision is the protocol version of a probe's outcome; empty without one.
func (e *entry) revision() string {
	if e.report == nil {
		return ""
	}
	return e.report.Revision
}

func (e *entry) slug() string {
	if e.rule != nil {
		return e.rule.Rule.Slug
	}
	return e.probe.Slug
}

// len is the number of findings that are kept one by one.
func (e *entry) len() int {
	if e.rule != nil {
		return len(e.rule.Findings)
	}
	return len(e.cases)
}

// finding is the one of a rule at an index; the newest without one.
func (e *entry) finding(i int) *lint.Finding {
	if i < 0 {
		return &e.rule.Newest
	}
	return &e.rule.Findings[i]
}

// found is the one of a probe at an index; the worst without one, nil without any.
func (e *entry) found(i int) *probe.Finding {
	if i = max(i, 0); i < len(e.cases) {
		return &e.cases[i]
	}
	return nil
}

// message is the entry in words.
func (e *entry) message(i int) string {
	if e.rule != nil {
		return e.finding(i).Message
	}
	f := e.found(i)
	switch {
	case f == nil && e.report != nil && e.report.Skip != "":
		return e.probe.Slug + "   " + e.report.Skip
	case f == nil || e.state == passed:
		return e.probe.Slug
	case f.Subject != "" && !strings.Contains(f.Message, f.Subject):
		return f.Subject + ": " + f.Message
	}
	return f.Message
}

// text is what the words of a filter are looked for in.
func (p *Pane) text(e *entry) string {
	if e.rule != nil {
		r, f := e.rule.Rule, &e.rule.Newest
		return strings.Join([]string{r.ID, r.Slug, e.topic, severityWord(r.Severity), f.Fault.String(), p.method(f.Row), f.Message, f.Hint}, "\n")
	}
	parts := []string{e.id, e.slug(), e.topic, string(e.probe.Level), e.probe.Sends, restNames[e.state]}
	if e.report != nil {
		parts = append(parts, string(e.report.Verdict), e.report.Skip)
		for _, f := range e.cases {
			parts = append(parts, f.Message, f.Subject)
		}
	}
	return strings.Join(parts, "\n")
}

// method is the method of the frame of a row; empty without one.
func (p *Pane) method(row int32) string {
	s := p.s.Store()
	r, ok := s.Row(row)
	if !ok {
		return ""
	}
	return s.Method(r.Method)
}

// explained is the rule that a line is about; nil without one.
func (l line) explained() *lint.Entry {
	switch {
	case l.entry == nil:
		return nil
	case l.entry.rule != nil:
		return l.entry.rule.Rule
	}
	if f := l.entry.found(l.i); f != nil {
		return f.Rule
	}
	return nil
}

// count is the number of findings, those of muted rules left out, and of probes that
// failed or warned.
type count struct {
	by    [lint.Info + 1]int // by severity, about the server
	yours int                // about frames of the user: mcptea's own have none, see lint.OfSelf
	more  bool               // of yours: older findings are not kept one by one
}

func countOf(found *session.Findings, entries []*entry) count {
	var c count
	for i := range found.Groups {
		g := &found.Groups[i]
		if g.Muted {
			continue
		}
		yours, more := yoursOf(g)
		c.yours += yours
		c.more = c.more || more
		c.by[g.Rule.Severity] += g.Count - yours
	}
	for _, e := range entries {
		if e.probe != nil && e.isBad() && e.state != unjudged {
			c.by[e.severity()]++
		}
	}
	return c
}

// yoursOf counts the findings of a rule for which the client is responsible, which are
// about frames that the user wrote. It reports true when there may be more.
func yoursOf(g *session.Group) (n int, more bool) {
	switch g.Rule.Side {
	case lint.Client:
		return g.Count, false
	case lint.Server:
		return 0, false
	}
	for i := range g.Findings {
		if g.Findings[i].Fault == lint.Client {
			n++
		}
	}
	return n, n > 0 && g.Count > len(g.Findings)
}

// countStates counts entries by their state.
func countStates(entries []*entry) (n [waiting + 1]int) {
	for _, e := range entries {
		n[e.state]++
	}
	return n
}

// byTopic counts entries by their topic, in words.
func byTopic(entries []*entry) string {
	var parts []string
	for _, g := range probe.Groups() {
		n := 0
		for _, e := range entries {
			if e.topic == g.Name {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", g.Name, n))
		}
	}
	return strings.Join(parts, ", ")
}
