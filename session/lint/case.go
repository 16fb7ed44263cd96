package lint

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/session/record"
)

// Case is what a rule looks at.
type Case struct {
	St *State
	F  *Frame    // nil when it is not about a frame
	M  *Message  // nil when it is not about a message
	X  *Exchange // nil when it is not about HTTP
	// Step is the step of authorization that has ended; nil if it is not about one.
	Step *record.Step
	End  *Ending // nil while the connection lasts

	engine *Engine
	entry  *Entry
}

// Find reports that the rule has fired. The values fill the braces of its
// texts: a name and its value by turns.
func (c *Case) Find(at Place, values ...any) { c.FindIn(c.row(), at, values...) }

// FindIn is Find about another frame than the one that is looked at.
func (c *Case) FindIn(row int32, at Place, values ...any) { c.blame(c.fault(), row, at, values) }

// Blame is Find where the catalogue leaves open whose fault it is.
func (c *Case) Blame(side Side, at Place, values ...any) { c.blame(side, c.row(), at, values) }

// Note is Find where the rule is hardly broken: it is worth knowing, and no more.
func (c *Case) Note(at Place, values ...any) {
	n := len(c.engine.batch)
	if c.Find(at, values...); len(c.engine.batch) > n {
		c.engine.batch[n].Severity = Info
	}
}

func (c *Case) blame(side Side, row int32, at Place, values []any) {
	if c.engine.noHeuristics && c.entry.Basis == Heuristic || c.isFull() {
		return
	}
	values = append(values, "side", side) // after those of the rule, which may mean the other one
	if c.M != nil {
		values = append(values, "method", clipped(c.M.Method), "id", clipped(c.M.ID))
		if c.M.Index >= 0 {
			at.path = At(c.M.Index).path + at.path
		}
	}
	if at.offset == 0 && at.path != "" {
		at.offset = -1
	}
	text := fill(c.entry.Says, values)
	if strings.HasPrefix(c.entry.Says, "{side}") {
		text = "The " + text
	}
	text = bounded(capitalized(text))
	if len(at.path) > mostKept {
		at = Whole // names of the peer make it that long
	}
	c.engine.batch = append(c.engine.batch, Finding{
		Rule: c.entry, Severity: c.entry.Severity, Fault: side, Row: row, Time: c.St.Now,
		Path: at.path, Offset: at.offset,
		Message: text, Hint: bounded(fill(c.entry.Do, values)),
	})
}

// maxSentence bounds the texts of a finding, in bytes.
const maxSentence = 2 << 10

func bounded(text string) string {
	if len(text) > maxSentence {
		return strings.ToValidUTF8(text[:maxSentence], "") + "…"
	}
	return text
}

// fault is who has to change something: the sender, when the catalogue leaves
// that to the case.
func (c *Case) fault() Side {
	switch {
	case c.entry.Who != Either:
		return c.entry.Who
	case c.F != nil:
		return senderOf(c.F.Dir)
	}
	return Server
}

func (c *Case) row() int32 {
	switch {
	case c.F != nil:
		return c.F.Row
	case c.X != nil:
		return c.X.Row
	case c.End != nil:
		return c.End.Row
	}
	return -1
}

// revision is the one by which the case is judged; empty while nothing is
// known.
func (c *Case) revision() revision.Revision {
	switch {
	case c.M != nil:
		return c.M.Revision
	case c.X != nil && c.X.Revision != "":
		return c.X.Revision
	}
	return c.St.Revision
}

// capitalized begins a sentence, unless that would misspell a name: tools/list
// and nextCursor stay as they are.
func capitalized(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ToLower(word) != word || strings.ContainsAny(word, "/_.{\"\\$") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
