package modelview

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// Sentence describes what the model receives, and whether the host accepts it.
func (r *Report) Sentence() string {
	seen, whole, lost := 0, false, ""
	sent := map[string]bool{"": true} // sent by the names in places; "" stands for all tools
	for i := range r.Tools {
		if t := &r.Tools[i]; !t.LeftOut {
			seen++
			sent[t.Name] = true
		}
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		switch losesAll := p.Effect == noList && p.Severity() == lint.Error; {
		case losesAll && p.ID == connect:
			lost = "connection"
		case losesAll && lost == "":
			lost = "list"
		}
		whole = whole || p.Effect == refused && p.Certainty != "uncertain" && slices.ContainsFunc(p.Places, func(at Place) bool { return sent[at.Tool] })
	}
	tools := strconv.Itoa(seen) + " of " + phrase.Count(len(r.Tools), "tool")
	cost := r.Tokens() + " tokens, " + phrase.Digits(r.Characters) + " characters"
	if lost != "" {
		return "A model gets none of " + phrase.Count(len(r.Tools), "tool") + " through " + r.Host.Name + ": it refuses the " + lost + "."
	}
	if whole {
		return "The whole request would be refused by " + r.Host.Name + ": " + tools + ", " + cost + "."
	}
	return "A model gets " + tools + " through " + r.Host.Name + ": " + cost + "."
}

// Tokens returns the estimate as a range.
func (c Cost) Tokens() string { return "~" + phrase.Digits(c.Low) + "-" + phrase.Digits(c.High) }

// Share returns the percentage of the cost of all tools.
func (r *Report) Share(t *Tool) int {
	if t.LeftOut || r.Characters == 0 {
		return 0
	}
	return (200*t.Characters/r.Characters + 1) / 2
}

// Basis describes the certainty and the source of a fact.
func (f *Fact) Basis() string { return f.Certainty + ", " + f.Date + ": " + f.Source }

// bounds of a problem's text
const (
	maxShown  = 6  // lines
	maxInLine = 20 // places in a line
)

// Shown returns the places as lines of text: one line per tool, or one line if many tools have the same.
func (p *Problem) Shown() []string {
	var lines []string
	last, same, inLine := "", len(p.Places) > 1 && p.Places[0].text() != "", 0
	for i, place := range p.Places {
		name, text := place.name(), place.text()
		same = same && text == p.Places[0].text() && place.Other == ""
		if i == 0 || name != last || text == "" {
			gap := ""
			if name != "" && text != "" {
				gap = "  "
			}
			lines, last, inLine = append(lines, name+gap+text), name, 1
			continue
		}
		switch inLine++; {
		case inLine <= maxInLine:
			lines[len(lines)-1] += ", " + text
		case inLine == maxInLine+1:
			lines[len(lines)-1] += ", …"
		}
	}
	atLeast := "" // places that are not listed may be in the same tools
	if p.More > 0 {
		atLeast = "at least "
	}
	switch more := len(lines) - maxShown; {
	case same && len(lines) > 3:
		return []string{p.Places[0].text() + "  in " + atLeast + strconv.Itoa(len(lines)) + " tools"}
	case more > 1:
		return append(lines[:maxShown], "and "+atLeast+strconv.Itoa(more)+" more")
	case p.More > 0:
		return append(lines, "and more")
	}
	return lines
}

func (p Place) text() string { return strings.TrimSpace(p.Path + " " + p.Found) }

// name returns the tool or the two tools of a place.
func (p Place) name() string {
	if p.Other != "" {
		return p.Tool + " and " + p.Other
	}
	return p.Tool
}
