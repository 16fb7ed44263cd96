package report

import (
	"fmt"
	"strings"

	"mcptea/lint"
)

// A Numbering determines how the rows of findings are named.
type Numbering struct {
	Noun  string
	First int32 // the number of row 0
}

// The numberings: of a file by its lines, of a session by its frames.
var (
	Lines  = Numbering{"line", 0}
	Frames = Numbering{"frame", 1}
)

// of names a row.
func (n Numbering) of(row int32) string { return fmt.Sprintf("%s %d", n.Noun, row+n.First) }

// maxRelated bounds the related frames named for a finding.
const maxRelated = 10

// LintFacts returns the evidence for a finding of the linter, in the order of [Facts]: the frame, if the
// finding has its excerpt, the place, related frames, the responsible side, the rule and its source.
func LintFacts(f *lint.Finding, rows Numbering) []Fact {
	var facts []Fact
	add := func(label, text string, gives int, head Head) {
		if text != "" {
			facts = append(facts, Fact{Label: label, Text: text, Gives: gives, Head: head, Foreign: head == HeadPlace})
		}
	}
	if f.Excerpt != nil {
		facts = append(facts, shown(*f.Excerpt, f.Row, f.Where()))
	}
	add("place", f.Where(), 2, HeadPlace)
	var also []string
	for _, row := range f.Related[:min(len(f.Related), maxRelated)] {
		also = append(also, rows.of(row))
	}
	add("also", strings.Join(also, ", "), 5, NoHead)
	add("fix in", f.FixIn(), 0, HeadSide)
	add("rule", f.Rule.ID+" "+f.Rule.Slug, Detail+1, HeadRule)
	if f.Rule.Condition != "" {
		facts = append(facts, Fact{Label: "trigger", Text: f.Rule.Condition, Gives: Detail + 1, OfProbe: true})
	}
	return append(facts, source("source", f.Rule.Spec, string(f.Revision))...)
}

// LintText returns a finding in lines, for a bug report. frame names its frame, such as "frame 12", or is "".
func LintText(f *lint.Finding, frame string, rows Numbering) string {
	head := fmt.Sprintf("%s %s (%s, %s): %s", f.Rule.ID, f.Rule.Slug, f.Severity, f.Fault, f.Message)
	if frame != "" {
		head = frame + ": " + head
	}
	return lines(head, f.Hint, LintFacts(f, rows))
}
