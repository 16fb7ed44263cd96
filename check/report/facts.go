package report

import (
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// A Fact is a piece of evidence for a finding, in the same words on every face, for probes and rules.
type Fact struct {
	Label   string // label, such as "received"; several facts may have the same one
	Text    string // may have several lines
	Short   string // replacement for Text if that does not fit on a line; usually ""
	Foreign bool   // the text is untrusted
	Gives   int    // facts with the highest number are left out first if space is short
	// Frame is the frame that was sent or received, or nil.
	Frame   *Shown
	OfProbe bool // the fact applies to all findings of the probe or rule
	Head    Head // kind of information that a face may already show above the facts
}

// A Head is a set of facts that the head of a finding may show. Facts in the head are left out
// below it.
type Head uint8

// The heads.
const (
	NoHead Head = iota
	HeadPlace
	HeadSide // side that made the mistake
	HeadRule
)

// Shown is a frame that a finding shows.
type Shown struct {
	lint.Excerpt
	Row   int32  // row in the record, or [store.None]
	Place string // place in the frame, or "" for the whole frame
}

// Excerpt returns at most most bytes of the text, with marks where it is cut. For a frame, it keeps the part
// around the place.
func (f *Fact) Excerpt(most int) string {
	if f.Frame == nil {
		return phrase.Clip(f.Text, most)
	}
	return f.Frame.Text(most)
}

// shown returns the fact that a frame was sent or received.
func shown(e lint.Excerpt, row int32, place string) Fact {
	label := "sent"
	if e.Dir == transport.In {
		label = "received"
	}
	return Fact{Label: label, Text: e.Text(lint.MaxExcerpt), Foreign: true, Gives: 1, Frame: &Shown{e, row, place}}
}

// Detail is the lowest value of Gives for facts that are shown only on request.
const Detail = 6

// maxActs bounds the shown actions of mcptea, newest first. If there are more than fewAlso other cases, they
// are only counted.
const maxActs, fewAlso = 3, 4

// Facts returns the evidence for a finding, in reading order.
func Facts(r *probe.Report, f *probe.Finding) []Fact {
	var facts []Fact
	add := func(label, text string, gives int, foreign bool) {
		if text != "" {
			facts = append(facts, Fact{Label: label, Text: text, Gives: gives, Foreign: foreign})
		}
	}
	for i := range f.Frames {
		frame := &f.Frames[i]
		facts = append(facts, shown(frame.Excerpt(), frame.Row, frame.Place))
	}
	add("place", placeOf(f.Frames), 2, true)
	for _, act := range f.Acts[max(0, len(f.Acts)-maxActs):] {
		add("mcptea", act.What, 3, false)
	}
	if f.Exit != nil {
		for _, line := range reasonOf(f.Exit.Stderr) {
			add("stderr", line, 3, true)
		}
	}
	if f.Control != nil {
		add("control", f.Control.String(), 4, false)
	}
	switch {
	case len(f.LeadsTo) == 1:
		add("first", "mend this: what "+f.LeadsTo[0]+" has found likely has the same cause", 4, false)
	case len(f.LeadsTo) > 1:
		add("first", "mend this: what "+strings.Join(f.LeadsTo, ", ")+" have found likely has the same cause", 4, false)
	case f.Follows != "":
		add("first", "mend what "+f.Follows+" has found: this likely has the same cause", 4, false)
	}
	also := strings.Join(f.Also, "; ")
	if len(f.Also) > fewAlso {
		also = phrase.Count(len(f.Also), "case") + ": " + also // the list may be shortened, so the count comes first
	}
	add("also", also, 5, false)
	label := "versions"
	switch {
	case len(f.Versions) < len(r.Versions):
		label = "only in"
	case len(f.Versions) == 1:
		label = "version"
	}
	add(label, strings.Join(f.Versions, ", "), 4, false)
	if f.Rule != nil {
		add("rule", f.Rule.ID+" "+f.Rule.Slug, Detail+1, false)
	}
	return append(facts, sources(r, f)...)
}

// placeOf returns the place in the newest frame that has one.
func placeOf(frames []probe.Frame) string {
	for _, f := range slices.Backward(frames) {
		if f.Place != "" {
			return f.Place
		}
	}
	return ""
}

// sources returns the quoted sentence of the specification and its section.
func sources(r *probe.Report, f *probe.Finding) []Fact {
	level, section, says := "source", r.Entry.Spec, ""
	if g := f.Ground; g != nil {
		level, says = string(g.Level()), g.Says
		if g.Section != "" {
			section = g.Section
		}
	}
	var facts []Fact
	if says != "" {
		facts = append(facts, Fact{Label: "says", Text: says, Gives: Detail, OfProbe: true})
	}
	return append(facts, source(level, section, versionOf(r, *f))...)
}

// source returns the fact with the section that a probe or a rule is based on, or nil if there is
// none.
func source(label, section, version string) []Fact {
	if section == "" {
		return nil
	}
	fact := Fact{Label: label, Text: section, Gives: Detail - 1, OfProbe: true}
	if address := SpecURL(section, version); address != "" {
		fact.Text, fact.Short = address, section
	}
	return []Fact{fact}
}
