package card

import (
	"strings"

	"mcptea/client/revision"
)

// Kind is what a card is about.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Code       Kind = "code"
	Status     Kind = "status"
	Method     Kind = "method"
	Rule       Kind = "rule"
	Capability Kind = "capability"
	Header     Kind = "header"
	Level      Kind = "level"
	Step       Kind = "step"
	Topic      Kind = "topic"
)

// Kinds lists them.
func Kinds() []Kind {
	return []Kind{Topic, Code, Status, Method, Capability, Header, Level, Step, Rule}
}

// Card is what there is to know about one thing.
type Card struct {
	Kind  Kind     `json:"kind"`
	Key   string   `json:"key"`   // what it is asked by
	Title string   `json:"title"` // in a few words
	What  []string `json:"what,omitempty"`
	// Private is a code whose meaning is for its sender to say, unless MCP has
	// one for it.
	Private bool   `json:"private,omitempty"`
	Facts   []Fact `json:"facts,omitempty"`
	// Meanings are those of a code or status, the most likely first.
	Meanings []Meaning `json:"meanings,omitempty"`
	Notes    []Note    `json:"notes,omitempty"` // what differs from revision to revision
	Cause    string    `json:"cause,omitempty"` // the usual one
	Check    string    `json:"check,omitempty"` // the first thing to look at
	See      []string  `json:"see,omitempty"`   // what else to ask for
}

// Fact is a short thing to know, with a name.
type Fact struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Note says what holds in some revisions.
type Note struct {
	Revisions string `json:"revisions"` // in words
	Text      string `json:"text"`
}

// Meaning is one of those that a code or a status has.
type Meaning struct {
	Name      string `json:"name"`
	By        string `json:"by"`        // who defined it
	Revisions string `json:"revisions"` // in words
	Means     string `json:"means"`
	Cause     string `json:"cause"`
	Check     string `json:"check"`
	// Local is a meaning that a program gives to what it tells itself: it
	// never crosses the wire.
	Local bool `json:"local,omitempty"`
	// Elsewhere is a meaning that the revision in force does not have.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Where is what is known of the case at hand. The zero value is nothing.
type Where struct {
	Revision revision.Revision

	Method  string   // of the request
	Message string   // of the error
	Data    []string // the members of the error's data
	Sender  revision.Sender
	Wire    bool // it was seen on the wire

	HTTP    int    // the status that came with a code, 0 for none
	Verb    string // of the exchange
	Session bool   // the exchange named a session
	Code    int64  // of the error that came with a status, 0 for none
}

// Likely is what most probably is meant.
func (c Card) Likely() Meaning {
	if len(c.Meanings) > 0 {
		return c.Meanings[0]
	}
	m := Meaning{Name: c.Title, Cause: c.Cause, Check: c.Check}
	if len(c.What) > 0 {
		m.Means = c.What[0]
	}
	return m
}

// Line is one of a card as it is read. A heading has no label, and ends what
// stands under the one before it; it may be empty.
type Line struct {
	Heading     bool
	Label, Text string
}

// Lines are the whole card, under its title.
func (c Card) Lines() []Line {
	var lines []Line
	say := func(label, text string) {
		if text != "" {
			lines = append(lines, Line{Label: label, Text: text})
		}
	}
	for _, text := range c.What {
		say("", text)
	}
	for _, f := range c.Facts {
		say(f.Label, f.Text)
	}
	for _, m := range c.Meanings {
		lines = append(lines, Line{Heading: true, Text: m.Name})
		say("by", m.By)
		say("revisions", m.Revisions)
		say("means", m.Means)
		say("usual cause", m.Cause)
		say("first check", m.Check)
	}
	if len(c.Meanings) > 0 {
		lines = append(lines, Line{Heading: true})
	}
	for _, n := range c.Notes {
		say(n.Revisions, n.Text)
	}
	say("usual cause", c.Cause)
	if c.Kind == Rule {
		say("what to do", c.Check)
	} else {
		say("first check", c.Check)
	}
	say("see also", strings.Join(c.See, ", "))
	if last := len(lines) - 1; last >= 0 && lines[last] == (Line{Heading: true}) {
		return lines[:last]
	}
	return lines
}

// Column is how wide the labels of lines are: wide enough for most, and a label
// that is wider stands on a line of its own.
func Column(lines []Line) int {
	w := 11
	for _, l := range lines {
		if len(l.Label) <= widestLabel {
			w = max(w, len(l.Label))
		}
	}
	return w
}

const widestLabel = 17

// Brief are the lines that fit beside something else: what it means, why, and
// where to look.
func (c Card) Brief() []Line {
	m := c.Likely()
	lines := []Line{{Label: "means", Text: m.Means}}
	switch {
	case len(c.Meanings) == 0:
	case c.Private && m.By != ByMCP:
		lines[0].Text = "private to the implementation; maybe " + m.Name + ": " + m.Means
	default:
		lines[0].Text = m.Name + ": " + m.Means
	}
	if m.Cause != "" {
		lines = append(lines, Line{Label: "usual cause", Text: m.Cause})
	}
	if m.Check != "" {
		lines = append(lines, Line{Label: "first check", Text: m.Check})
	}
	return lines
}
