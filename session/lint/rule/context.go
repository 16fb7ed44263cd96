package rule

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/record"
)

func (c *Context) FromServer() bool { return c.M.Frame.Dir == transport.In }

// FromStatelessServer reports a message of a server that is known to do without
// handshake: one that was only asked whether it does knows nothing of the codes.
func (c *Context) FromStatelessServer() bool { return c.FromServer() && c.St.Revision.IsModern() }

// Context is what a rule checks, and how it reports what it finds.
type Context struct {
	St *State
	F  *Frame    // nil when it is not about a frame
	M  *Message  // nil when it is not about a message
	X  *Exchange // nil when it is not about HTTP
	// Step is the step of authorization that has ended; nil if it is not about one.
	Step *record.Step
	End  *Ending // nil while the connection lasts

	engine *Engine
	hook   *hook // the rule that runs
}

// Report reports a finding of the rule. The values fill the braces of its
// texts: a name and its value by turns.
func (c *Context) Report(at Place, values ...any) { c.ReportIn(c.row(), at, values...) }

// ReportIn is Report about another frame than the one that is checked.
func (c *Context) ReportIn(row int32, at Place, values ...any) { c.report(c.side(), row, at, values) }

// ReportFor is Report where the catalogue leaves open which side is responsible.
func (c *Context) ReportFor(side Side, at Place, values ...any) { c.report(side, c.row(), at, values) }

// RuleID is the id of the rule that runs.
func (c *Context) RuleID() string { return c.hook.entry.ID }

// ReportForIn is Report with the responsible side and the row of the frame.
func (c *Context) ReportForIn(side Side, row int32, at Place, values ...any) {
	c.report(side, row, at, values)
}

// ReportInfo is Report with the severity info, whatever that of the rule is.
func (c *Context) ReportInfo(at Place, values ...any) {
	n := len(c.engine.batch)
	if c.Report(at, values...); len(c.engine.batch) > n {
		c.engine.batch[n].Severity = Info
	}
}

func (c *Context) report(side Side, row int32, at Place, values []any) {
	if c.engine.noHeuristics && c.hook.entry.Basis == Heuristic || c.limitReached() {
		return
	}
	values = append(values, "side", side) // after those of the rule, which may mean the other one
	if c.M != nil {
		values = append(values, "method", truncatedText(c.M.Method), "id", truncatedText(c.M.ID))
		if c.M.Index >= 0 {
			at.path = At(c.M.Index).path + at.path
		}
	}
	if at.offset == 0 && at.path != "" {
		at.offset = -1
	}
	text := fill(c.hook.entry.Message, values)
	if strings.HasPrefix(c.hook.entry.Message, "{side}") {
		text = "The " + text
	}
	text = truncated(capitalized(text))
	if len(at.path) > MaxKeptBytes {
		at = Whole // names of the peer make it that long
	}
	c.engine.batch = append(c.engine.batch, Finding{
		Rule: c.hook.entry, Severity: c.hook.entry.Severity, Fault: side, Row: row, Time: c.St.Now,
		Path: at.path, Offset: at.offset,
		Message: text, Hint: truncated(fill(c.hook.entry.Fix, values)),
	})
}

// maxMessage bounds the texts of a finding, in bytes.
const maxMessage = 2 << 10

func truncated(text string) string {
	if len(text) > maxMessage {
		return strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// side is who has to change something: the sender, when the catalogue leaves
// that to the case.
func (c *Context) side() Side {
	switch {
	case c.hook.entry.Side != Either:
		return c.hook.entry.Side
	case c.F != nil:
		return senderOf(c.F.Dir)
	}
	return Server
}

func (c *Context) row() int32 {
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

// Revision is the one by which the case is judged; empty while nothing is
// known.
func (c *Context) Revision() revision.Revision {
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

// MayBeExtension reports whether one of the sides has declared extensions, any of
// which may bring the method.
func (c *Context) MayBeExtension() bool {
	return c.St.ServerOffers("extensions") && !strings.HasPrefix(c.M.Method, "notifications/")
}
