package card

import (
	"strings"

	"mcptea/client/revision"
)

// A Kind is the subject of a card.
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
	Member     Kind = "member"
)

// Kinds lists them.
func Kinds() []Kind {
	return []Kind{Topic, Code, Status, Method, Member, Capability, Header, Level, Step, Rule}
}

// Card describes one term: a code, a status, a method, a rule.
type Card struct {
	Kind  Kind     `json:"kind"`           // "topic", "code", "status", "method", "capability", "header", "level", "step", "rule", "member" or "probe"
	Key   string   `json:"key"`            // the term to look it up
	Title string   `json:"title"`          // short title
	What  []string `json:"what,omitempty"` // description, in sentences
	// Private reports a code whose meaning is private to the sender, unless MCP
	// defines one.
	Private  bool      `json:"private,omitempty"`
	Facts    []Fact    `json:"facts,omitempty"`    // labels with short texts
	Meanings []Meaning `json:"meanings,omitempty"` // meanings of a code or status, most likely first
	Notes    []Note    `json:"notes,omitempty"`    // differences between protocol versions
	Cause    string    `json:"cause,omitempty"`    // the usual cause
	Check    string    `json:"check,omitempty"`    // first thing to check
	Or       []string  `json:"or,omitempty"`       // alternative fixes, for the other faults that the rule finds
	See      []string  `json:"see,omitempty"`      // related terms
}

// Fact is a label with a short text.
type Fact struct {
	Label string `json:"label"` // one or two words
	Text  string `json:"text"`  // explanation
}

// Note is a remark on some revisions.
type Note struct {
	Revisions string `json:"protocol_versions"` // protocol versions, in words
	Text      string `json:"text"`              // difference in these protocol versions
}

// Meaning is one meaning of a code or a status.
type Meaning struct {
	Name      string `json:"name"`              // name of the code or status
	By        string `json:"by"`                // who defined it
	Revisions string `json:"protocol_versions"` // protocol versions, in words
	Means     string `json:"means"`             // meaning of the code or status
	Cause     string `json:"cause"`             // the usual cause
	Check     string `json:"check"`             // first thing to check
	// Local reports a meaning that is used only inside a program and never sent.
	Local bool `json:"local,omitempty"`
	// Elsewhere reports a meaning that the negotiated protocol version does not define.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Where describes the context of a code or status. The zero value describes no context.
type Where struct {
	Revision revision.Revision

	Method  string   // method of the request
	Message string   // message of the error
	Data    []string // names of the members of the error's data
	Sender  revision.Sender
	Wire    bool // it was on the wire

	HTTP    int    // HTTP status that came with a code, or 0
	Verb    string // HTTP method of the exchange
	URL     string // URL of the exchange
	Session bool   // the exchange had a session id
	Login   bool   // the exchange was with the authorization server, or about its metadata
	Code    int64  // code of the error that came with a status, or 0
}

// Likely returns the most likely meaning.
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

// Line is one line of a card. A heading has no label and begins a section; its text
// may be empty.
type Line struct {
	Heading     bool
	Label, Text string
}

// Lines returns the whole card without its title.
func (c Card) Lines() []Line {
	var lines []Line
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, Line{Label: label, Text: text})
		}
	}
	for _, text := range c.What {
		add("", text)
	}
	for _, f := range c.Facts {
		add(f.Label, f.Text)
	}
	for _, m := range c.Meanings {
		lines = append(lines, Line{Heading: true, Text: m.Name})
		add("by", m.By)
		add("versions", m.Revisions)
		add("means", m.Means)
		add("usual cause", m.Cause)
		add("first check", m.Check)
	}
	if len(c.Meanings) > 0 {
		lines = append(lines, Line{Heading: true})
	}
	for _, n := range c.Notes {
		add(n.Revisions, n.Text)
	}
	add("usual cause", c.Cause)
	if c.Kind == Rule {
		add("what to do", c.Check)
		for _, fix := range c.Or {
			add("in other cases", fix)
		}
	} else {
		add("first check", c.Check)
	}
	add("see also", strings.Join(c.See, ", "))
	if last := len(lines) - 1; last >= 0 && lines[last] == (Line{Heading: true}) {
		return lines[:last]
	}
	return lines
}

// Column returns the width of the column of labels. A label that is longer than
// widestLabel has its own line.
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

// Brief returns the lines for a small place: meaning, cause and first check.
func (c Card) Brief() []Line {
	m := c.Likely()
	lines := []Line{{Label: "means", Text: m.Means}}
	switch {
	case len(c.Meanings) == 0:
	case c.Private && m.By != ByMCP:
		lines[0].Text = "private to the implementation; possibly " + m.Name + ": " + m.Means
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
