package problems

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/lint"
	"mcptea/session/runs/checker"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// entry is a rule with its findings, or a probe with its outcome in all protocol versions.
type entry struct {
	id, slug, topic string
	state           state
	rule            *session.Group  // nil for a probe
	probe           *probe.Entry    // nil for a rule
	report          *probe.Report   // nil before it has run
	cases           []probe.Finding // findings of the report, worst first
	running         bool
	outdated        int // number of the restart that replaced the server that the probe has judged, or 0
	texts           int // number of different texts among the stored findings of a rule

	requirement *directory.Requirement // requirement of a directory from which probe and report are made, or nil
}

// A state is the meaning of an entry for the user, in the order of the list.
type state uint8

const (
	failed state = iota
	warned
	unjudged // a probe that could not be judged
	noted    // an info
	byHand   // a requirement that mcptea cannot see
	muted
	mended    // a probe that passes now, in its place until the cursor moves
	running   // without an outcome yet
	byLibrary // behavior of a library of the server
	earlier   // found on a connection that has been replaced
	passed
	skipped
	waiting
)

// restNames names the groups that are not listed one by one.
var restNames = map[state]string{byLibrary: "what a library does", earlier: "of earlier connections", passed: "passed", skipped: "skipped", waiting: "not run yet"}

// topics maps the families of rules to groups of probes.
var topics = map[string]string{
	"J": "envelope", "B": "envelope", "E": "envelope", "K": "stdio", "L": "lifecycle", "C": "lifecycle",
	"T": "tools", "S": "schemas", "R": "resources", "P": "prompts", "N": "utilities", "M": "utilities",
	"H": "http", "X": "stateless", "A": "auth", "Y": "security", "D": "envelope", "U": "apps", "G": "skills", "V": "events", "I": "events", "c": "lists",
}

// bySeverity maps severities to the states of rules.
var bySeverity = [...]state{lint.Error: failed, lint.Warn: warned, lint.Info: noted}

// byVerdict maps verdicts to the states of probes.
var byVerdict = map[probe.Verdict]state{probe.Fail: failed, probe.Warn: warned, probe.Failure: unjudged, probe.Pass: passed, probe.Skipped: skipped}

// ruleEntries returns the entries of all rules with findings, then of the rules with findings on earlier
// connections.
func ruleEntries(now, before *session.Findings) []*entry {
	var all []*entry
	for _, found := range []*session.Findings{now, before} {
		for i := range found.Groups {
			g := &found.Groups[i]
			e := &entry{id: g.Rule.ID, slug: g.Rule.Slug, topic: topics[g.Rule.Family()], rule: g, state: bySeverity[g.Severity], texts: textsOf(g.Findings)}
			switch {
			case found == before:
				e.state = earlier
			case g.Muted:
				e.state = muted
			}
			all = append(all, e)
		}
	}
	return all
}

// probeEntries returns the entries of the probes. The outcome of a probe is outdated if a restart has replaced
// the server since the probe began.
func probeEntries(now *session.State, st *checker.State, probes []*probe.Entry) []*entry {
	all := make([]*entry, 0, len(probes))
	of, merged := map[*probe.Entry]*probe.Report{}, report.Merge(st.Summary())
	for i := range merged.Reports {
		of[merged.Reports[i].Entry] = &merged.Reports[i]
	}
	for _, e := range probes {
		one := probed(e, of[e], slices.Contains(st.Current, e))
		if conn, began := st.Began[e]; began && one.report != nil && !one.running {
			one.outdated = now.ReplacedBy(conn)
		}
		all = append(all, one)
	}
	return all
}

// textsOf counts the different texts of findings.
func textsOf(findings []lint.Finding) int {
	texts := map[string]bool{}
	for i := range findings {
		texts[findings[i].Message] = true
	}
	return len(texts)
}

// mostShown is the number of different messages of a rule that are unfolded initially. If there are more, they
// are folded.
const mostShown = 3

// isVaried reports whether the findings of a rule differ so much that the newest one does not
// represent the others.
func (e *entry) isVaried() bool { return e.texts > 1 }

func probed(of *probe.Entry, r *probe.Report, now bool) *entry {
	e := &entry{id: of.ID, slug: of.Slug, topic: of.Group, probe: of, report: r, running: now, state: waiting}
	switch {
	case r != nil:
		e.state, e.cases = byVerdict[r.Verdict], slices.Clone(r.Findings)
		if e.isBad() && e.state != unjudged && !slices.ContainsFunc(e.cases, isOwn) {
			e.state = byLibrary
		}
		slices.SortStableFunc(e.cases, func(a, b probe.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	case now:
		e.state = running
	}
	return e
}

// isOwn reports whether a finding is not due to a library.
func isOwn(f probe.Finding) bool { return f.Severity != lint.Info && f.Library == nil }

// isProbe reports whether the entry can be run.
func (e *entry) isProbe() bool { return e.probe != nil && e.requirement == nil }

// isBad reports whether the outcome needs the user's attention.
func (e *entry) isBad() bool { return e.state <= unjudged }

// hasPassed reports whether a probe has passed.
func (e *entry) hasPassed() bool { return e.state == passed || e.state == mended }

// severity returns the severity for filters.
func (e *entry) severity() lint.Severity {
	switch e.state {
	case failed:
		return lint.Error
	case warned, unjudged:
		return lint.Warn
	case muted:
		return e.rule.Severity
	}
	return lint.Info
}

// versions returns the protocol versions of a probe's worst finding, if the probe also ran with others, or "".
func (e *entry) versions() string {
	if len(e.cases) == 0 || len(e.cases[0].Versions) == len(e.report.Versions) {
		return ""
	}
	return strings.Join(e.cases[0].Versions, ", ")
}

// len returns the number of findings that are kept one by one.
func (e *entry) len() int {
	if e.rule != nil {
		return len(e.rule.Findings)
	}
	return len(e.cases)
}

// found is a finding of a rule or of a probe.
type found struct {
	severity      lint.Severity
	name          string // name of the probe's case
	message, hint string
	rule          *lint.Entry    // or nil
	lint          *lint.Finding  // nil for one of a probe
	probe         *probe.Finding // nil for one of a rule
}

// at returns the finding at an index. If i is negative, it returns the newest of a rule or the worst of a
// probe, which may have none.
func (e *entry) at(i int) (f found, ok bool) {
	if e.rule != nil {
		at := &e.rule.Newest
		if i >= 0 {
			at = &e.rule.Findings[i]
		}
		return found{severity: at.Severity, message: at.Message, hint: at.Hint, rule: at.Rule, lint: at}, true
	}
	if i = max(i, 0); i >= len(e.cases) {
		return f, false
	}
	c := &e.cases[i]
	f = found{severity: c.Severity, name: c.Case, message: c.Message, hint: c.Hint, rule: c.Rule, probe: c}
	if c.Subject != "" && !strings.Contains(c.Message, c.Subject) {
		f.message = c.Subject + ": " + c.Message
	}
	return f, true
}

// message describes the entry.
func (e *entry) message() string {
	switch f, ok := e.at(-1); {
	case e.requirement != nil && !ok:
		return requirementText(e)
	case !e.hasPassed() && ok && e.isVaried():
		return fmt.Sprintf("newest of %d: %s", e.texts, f.message)
	case !e.hasPassed() && ok:
		return f.message
	case e.report != nil && e.report.Why() != "":
		return e.slug + "   " + e.report.Why()
	}
	return e.slug
}

// Things implements [app.Finder]. It returns the findings.
func (p *Pane) Things() []app.Things {
	list := slices.DeleteFunc(slices.Clone(p.entries), func(e *entry) bool { return e.len() == 0 })
	return []app.Things{{
		Kind: "finding", Len: len(list),
		Name: func(i int) (name, about string) { return list[i].id + "  " + list[i].message(), list[i].topic },
		Show: func(i int) {
			p.ClearFilter()
			p.selectEntry(list[i])
		},
	}}
}

// text returns the text that a filter searches for its words: an entry with one of its findings.
func (p *Pane) text(e *entry, f found) string {
	parts := []string{e.id, e.slug, e.topic, restNames[e.state], e.severity().String(), f.message, f.hint, f.name}
	if f.lint != nil {
		parts = append(parts, f.lint.Fault.String(), p.method(f.lint.Row), f.lint.Where())
	}
	if e.probe != nil {
		parts = append(parts, string(e.probe.Level), e.probe.Sends)
	}
	if e.report != nil {
		parts = append(parts, string(e.report.Verdict), e.report.Why())
	}
	return strings.Join(parts, "\n")
}

// method returns the method of the frame in a row, or "".
func (p *Pane) method(row int32) string {
	s := p.s.Store()
	r, ok := s.Row(row)
	if !ok {
		return ""
	}
	return s.Method(r.Method)
}

// countOf counts findings, and probes that failed or warned, without outdated outcomes.
func countOf(found *session.Findings, entries []*entry) session.FindingCounts {
	n := found.Counts()
	for _, e := range entries {
		if e.isProbe() && e.outdated == 0 && (e.state == failed || e.state == warned) {
			n.Server[e.severity()]++
		}
	}
	return n
}

// countFindings counts what [countOf] counts, by state: the findings of rules about the server,
// and probes.
func countFindings(entries []*entry) (n [waiting + 1]int) {
	for _, e := range entries {
		switch {
		case e.rule != nil:
			n[e.state] += e.rule.OfServer()
		case e.outdated == 0:
			n[e.state]++
		}
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
