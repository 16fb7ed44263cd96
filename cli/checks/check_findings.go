package checks

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// printFindings prints the findings, the cause of most first.
func (p *printer) printFindings(reports []probe.Report, f *checkFlags) {
	of, cause, errors, warnings, follow, library, infos := report.ByCause(reports)
	if of != nil {
		p.heading("cause of most", phrase.Count(len(of.NotJudged), "probe")+" not judged for it")
		p.printEntries(cause, f)
	}
	p.section("failed", errors, f)
	p.section("warned", warnings, f)
	if !f.verbose {
		p.printFollowing(follow)
		p.printLibraries(library)
		return
	}
	p.section("likely follows", follow, f)
	p.section("what a library does", library, f)
	p.printInfos(infos, f)
	if len(reports) > 0 {
		p.heading("probes", strconv.Itoa(len(reports)))
	}
	for i := range reports {
		p.printVerdict(&reports[i])
	}
}

// printFollowing prints in one line what likely follows from the findings above.
func (p *printer) printFollowing(follow []report.Entry) {
	if len(follow) == 0 {
		return
	}
	verb := "has"
	if len(follow) > 1 {
		verb = "have"
	}
	p.Out.Line("")
	p.Out.Beside("  ", p.Out.Faint(fmt.Sprintf("%s likely %s the same cause as one above: %s. (--verbose)", phrase.Count(len(follow), "more finding"), verb, strings.Join(namesOf(follow), ", "))), p.Readable())
}

// namesOf returns the ids of the probes with some findings.
func namesOf(found []report.Entry) (ids []string) {
	for _, e := range found {
		if id := e.Report.Entry.ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// printLibraries prints what the author of the server cannot mend, in one sentence for each library.
func (p *printer) printLibraries(found []report.Entry) {
	var names []string
	of := make(map[string][]report.Entry)
	for _, e := range found {
		name := e.Library.Name
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], e)
	}
	if len(names) > 0 {
		p.Out.Line("")
	}
	for _, name := range names {
		verb := "is"
		if len(of[name]) > 1 {
			verb = "are"
		}
		p.Out.Beside(p.Out.Warn("⚠ "), fmt.Sprintf("%s %s what %s does: %s. %s (--verbose)", phrase.Count(len(of[name]), "finding"), verb, name, strings.Join(namesOf(of[name]), ", "), of[name][0].Library.Known), p.Readable())
	}
}

func (p *printer) section(title string, entries []report.Entry, f *checkFlags) {
	if len(entries) > 0 {
		p.heading(title, countFindings(entries))
		p.printEntries(entries, f)
	}
}

// countFindings counts findings, and their probes if these are fewer: the last row of the report counts probes.
func countFindings(entries []report.Entry) string {
	of := map[*probe.Report]bool{}
	for _, e := range entries {
		of[e.Report] = true
	}
	text := phrase.Count(len(entries), "finding")
	if len(of) < len(entries) {
		text += " of " + phrase.Count(len(of), "probe")
	}
	return text
}

// heading prints a line with a title at the left and a note at the right.
func (p *printer) heading(title, note string) {
	p.Out.Line("")
	left, right := "── "+title+" ", " "+note+" ──"
	line := strings.Repeat("─", max(2, p.Readable()-display.Width(left)-display.Width(right)))
	p.Out.Line(p.Out.Faint("── ") + p.Out.Strong(title) + p.Out.Faint(" "+line+right))
}

// maxShownFindings bounds the findings of a probe in the text.
const maxShownFindings = 3

// printEntries prints findings, few of each probe.
func (p *printer) printEntries(entries []report.Entry, f *checkFlags) {
	shown := map[*probe.Report]int{}
	for i, e := range entries {
		n := shown[e.Report]
		shown[e.Report]++
		last := i == len(entries)-1 || entries[i+1].Report != e.Report
		switch {
		case n < maxShownFindings || f.verbose:
			if i > 0 {
				p.Out.Line("")
			}
			p.printFinding(e, n == 0, f.verbose)
		case last:
			p.Out.Line(p.Out.Faint(fmt.Sprintf("  … %d more of %s (--verbose)", n+1-maxShownFindings, e.Report.Entry.ID)))
		}
	}
}

// maxInfos bounds the infos of one kind that are printed whole.
const maxInfos = 3

// maxSubjects bounds the tools, resources and prompts that a line about infos names.
const maxSubjects = 10

// printInfos prints infos. Of more than maxInfos infos of one kind it prints the first, and the others in one line.
func (p *printer) printInfos(infos []report.Entry, f *checkFlags) {
	if len(infos) == 0 {
		return
	}
	p.heading("infos", countFindings(infos))
	for i, kind := range kindsOf(infos) {
		if i > 0 {
			p.Out.Line("")
		}
		if len(kind) <= maxInfos {
			p.printEntries(kind, f)
			continue
		}
		p.printEntries(kind[:1], f)
		var subjects []string
		for _, e := range kind[1:] {
			if e.Subject != "" && !slices.Contains(subjects, e.Subject) {
				subjects = append(subjects, e.Subject)
			}
		}
		text := fmt.Sprintf("and %d more of this kind", len(kind)-1)
		if len(subjects) > 0 {
			text += ": " + p.Out.Safe(phrase.JoinFirst(subjects, maxSubjects))
		}
		p.Out.Beside("  ", p.Out.Faint(text+" (--json has them all)"), p.Readable())
	}
}

// kindsOf groups findings by probe and [probe.Finding.Kind], in the order of first occurrence.
func kindsOf(found []report.Entry) (kinds [][]report.Entry) {
	at := map[[2]string]int{}
	for _, e := range found {
		key := [2]string{e.Report.Entry.ID, e.Kind()}
		i, known := at[key]
		if !known {
			i, at[key] = len(kinds), len(kinds)
			kinds = append(kinds, nil)
		}
		kinds[i] = append(kinds[i], e)
	}
	return kinds
}

// signs maps severities to signs.
var signs = map[lint.Severity]string{lint.Error: "✗ ", lint.Warn: "⚠ ", lint.Info: "· "}

// printFinding prints a finding with its evidence. The advice is printed only with the first finding of a
// probe.
func (p *printer) printFinding(e report.Entry, first, all bool) {
	width, id := p.Readable(), e.Report.Entry.ID+" "+e.Report.Entry.Slug
	color := map[lint.Severity]func(string) string{lint.Error: p.Out.Bad, lint.Warn: p.Out.Warn, lint.Info: func(text string) string { return text }}[e.Severity]
	message := p.Out.Safe(e.Message)
	if e.Accepted {
		message += " (accepted by the baseline)"
	}
	lines := display.WrapWords(message, max(40, width-2))
	for i, line := range lines {
		lead := "  "
		if i == 0 {
			lead = signs[e.Severity]
		}
		text := color(lead + line)
		if i == len(lines)-1 {
			if gap := width - display.Width(lead+line) - display.Width(id); gap >= 2 {
				text += strings.Repeat(" ", gap) + p.Out.Faint(id)
				id = ""
			}
		}
		p.Out.Line(text)
	}
	if id != "" {
		p.Out.Line(strings.Repeat(" ", max(2, width-display.Width(id))) + p.Out.Faint(id))
	}
	if first && e.Hint != "" && e.Severity != lint.Info {
		p.Out.Beside("  "+p.Out.Good("→")+" ", e.Hint, width)
	}
	p.printFacts(e, first, all)
}

// labelWidth is the width of the labels of the evidence, in cells.
const labelWidth = 10

// labeled prints a line of the evidence after its label, cut at a width.
func (p *printer) labeled(label, text string, width int) {
	p.Out.Line("  " + p.Out.Faint(fmt.Sprintf("%-*s", labelWidth, label)) + display.Cut(text, width))
}

// proofWidth returns the number of visible cells of a frame.
func (p *printer) proofWidth() int { return max(40, p.Readable()-labelWidth-2) }

// maxFact bounds a line of the evidence in a pipe or a file, in cells.
const maxFact = 1000

// factWidth returns the width of a line of the evidence: the width of the terminal, or enough for a path and a
// line elsewhere.
func (p *printer) factWidth() int {
	if !p.Out.Terminal {
		return maxFact
	}
	return p.proofWidth()
}

// maxFactLines bounds the printed lines of a fact: a frame over HTTP has several.
const maxFactLines = 3

// printFacts prints the evidence of a finding. Facts about the whole probe are printed only with its first
// finding, and details only if all is set.
func (p *printer) printFacts(e report.Entry, first, all bool) {
	before := ""
	for _, fact := range report.Facts(e.Report, &e.Finding) {
		if fact.OfProbe && !first || fact.Gives >= report.Detail && !all {
			continue
		}
		label := fact.Label
		if label == before {
			label = ""
		}
		before = fact.Label
		p.printFact(label, &fact, all)
	}
}

// printFact prints one piece of evidence. Unless all is set, a frame is cut around its place to one line of
// text, even in a pipe.
func (p *printer) printFact(label string, fact *report.Fact, all bool) {
	if fact.Short != "" { // an address is not cut, because users open it
		text := fact.Text
		if p.Out.Terminal && len(text)+labelWidth+2 > p.Out.Width {
			text = fact.Short
		}
		p.Out.Line("  " + p.Out.Strong(fmt.Sprintf("%-*s", labelWidth, label)) + p.Out.Name(text))
		return
	}
	text, lead, width := fact.Text, "", p.factWidth()
	if fact.Frame != nil {
		lead = map[transport.Direction]string{transport.Out: "→ ", transport.In: "← "}[fact.Frame.Dir]
		if width = p.proofWidth(); all {
			width = lint.MaxExcerpt
		}
		if fact.Frame.Place != "" && !all { // the place is visible even if the line is cut
			text = fact.Excerpt(width - len(lead))
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if i == maxFactLines {
			break
		}
		p.labeled(label, lead+p.Out.Safe(line), width)
		if label = ""; lead != "" {
			lead = "  "
		}
	}
}

// printVerdict prints the verdict of a probe, and its measurements.
func (p *printer) printVerdict(r *probe.Report) {
	word := map[probe.Verdict]string{
		probe.Pass: p.Out.Good("pass   "), probe.Warn: p.Out.Warn("warn   "), probe.Fail: p.Out.Bad("fail   "),
		probe.Skipped: p.Out.Faint("skipped"), probe.Failure: p.Out.Warn("not judged"),
	}[r.Verdict]
	text := "  " + word + " " + p.Out.Name(r.Entry.ID+" "+r.Entry.Slug)
	if r.Why() != "" {
		text += "  " + p.Out.Safe(r.Why())
	}
	p.Out.Line(text)
	for _, name := range slices.Sorted(maps.Keys(r.Measure)) {
		p.Out.Line("          " + p.Out.Faint(fmt.Sprintf("%g  %s", r.Measure[name], p.Out.Safe(name))))
	}
}

// printUnjudged prints why probes were not judged, a line for each reason.
func (p *printer) printUnjudged(reports []probe.Report) {
	causes := report.Causes(reports)
	if len(causes) == 0 {
		p.Out.Line("")
		return
	}
	total := 0
	for _, c := range causes {
		total += len(c.NotJudged)
	}
	p.heading("not judged", strconv.Itoa(total))
	for _, c := range causes {
		text, ids := c.Cause, c.Range()
		if c.Probe != "" {
			text += ", see " + c.Probe
		}
		left := fmt.Sprintf("%4d  ", len(c.NotJudged))
		lines := display.Wrap(p.Out.Safe(text), max(40, p.Readable()-len(left)-display.Width(ids)-2))
		for i, line := range lines {
			if i == 0 {
				line += strings.Repeat(" ", max(2, p.Readable()-len(left)-display.Width(line)-display.Width(ids))) + p.Out.Faint(ids)
			}
			p.Out.Line(left + line)
			left = strings.Repeat(" ", len(left))
		}
	}
}
