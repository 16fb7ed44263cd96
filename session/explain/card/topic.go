package card

import (
	"slices"
	"strings"

	"mcptea/client/revision"
)

// A term is a line of terms.jsonl: the texts of a card, in addition to the tables of client/revision.
type term struct {
	Card
	Aliases    []string
	In         []revision.Revision // protocol versions of a header without a table
	Deprecated revision.Revision
	Replaced   string     // the replacement of a method, part of a sentence
	Notes      []noteText `json:"notes"`
}

// card returns the card of a term. The card of a method lacks its facts; see [ofMethod].
func (t *term) card(w Where) Card {
	c := t.Card
	c.Facts, c.Notes = nil, notes(t.Notes, w.Revision)
	switch t.Kind {
	case Capability:
		c.describeCapability(w.Revision)
	case Header:
		c.describeHeader(t.In)
	case Level:
		c.describeLevel()
	case Step:
		c.Title = "a step of connecting"
	}
	if t.Deprecated != "" && t.Kind != Method {
		c.fact("deprecated", "since "+string(t.Deprecated))
	}
	c.Facts = append(c.Facts, t.Facts...)
	return c
}

// describeCapability adds the sides, revisions and members of a capability.
func (c *Card) describeCapability(r revision.Revision) {
	c.Title = "capability"
	for _, side := range []revision.Sender{revision.Server, revision.Client} {
		for _, known := range revision.Capabilities(side) {
			if known.Name != c.Key {
				continue
			}
			in := slices.DeleteFunc(revision.All(), func(r revision.Revision) bool { return !known.In(r) })
			c.fact(senders[side], known.Summary+" ("+revision.Words(in)+")")
			if r.Known() {
				in = []revision.Revision{r}
			}
			c.fact("members", byRevision(in, func(r revision.Revision) string { return strings.Join(known.Flags(r), ", ") }))
		}
	}
}

// describeHeader adds when a client sends a header.
func (c *Card) describeHeader(in []revision.Revision) {
	c.Title = "HTTP header"
	var verbs []string
	for _, r := range revision.All() {
		for _, verb := range []string{"POST", "GET", "DELETE"} {
			if !slices.Contains(revision.Headers(r, verb, "tools/call"), c.Key) {
				continue
			}
			if !slices.Contains(in, r) {
				in = append(in, r)
			}
			if !slices.Contains(verbs, verb) {
				verbs = append(verbs, verb)
			}
		}
	}
	c.fact("goes with", strings.Join(verbs, ", "))
	if len(in) > 0 {
		c.fact("versions", revision.Words(in))
	}
}

// describeLevel adds the order of the log levels.
func (c *Card) describeLevel() {
	c.Title = "log level"
	levels := revision.Levels()
	at := slices.Index(levels, c.Key)
	c.fact("order", strings.Join(levels, " < "))
	if at > 0 {
		c.fact("hides", strings.Join(levels[:at], ", ")+", which are not sent with this minimum level")
	}
	c.See = append([]string{"logging/setLevel", "notifications/message"}, c.See...)
	c.fact("by", "RFC 5424")
}
