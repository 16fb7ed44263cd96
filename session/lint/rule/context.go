package rule

import (
	"strings"

	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/phrase"
	"mcptea/session/record"
)

// FromServer reports a message of the server.
func (c *Context) FromServer() bool { return c.M.Frame.Dir == transport.In }

// FromStatelessServer reports a message of a server that is known to be
// stateless. A server of the handshake era also gets the server/discover request,
// and does not know the codes.
func (c *Context) FromStatelessServer() bool { return c.FromServer() && c.St.Revision.IsStateless() }

// Context is what a rule checks, and how it reports findings. It is valid during
// the call.
type Context struct {
	St *State
	F  *Frame    // nil if the event is not a frame
	M  *Message  // nil if the event is not a message
	X  *Exchange // nil if the event does not belong to HTTP
	// Step is the step of authorization that has ended; nil for other events.
	Step *record.Step
	// Stderr is a line of the server's stderr, shortened; empty for other events.
	Stderr string
	End    *Ending // nil while the connection lasts

	engine *Engine
	hook   *hook // the rule that runs
}

// Report reports a finding of the rule. The values fill the braces of its texts:
// names and values alternate.
func (c *Context) Report(at Place, values ...any) { c.ReportIn(c.row(), at, values...) }

// ReportIn is Report for another row than that of the event.
func (c *Context) ReportIn(row int32, at Place, values ...any) { c.report(c.side(), row, at, values) }

// ReportFor is Report with the responsible side, for entries that leave it open.
func (c *Context) ReportFor(side Side, at Place, values ...any) { c.report(side, c.row(), at, values) }

// RuleID is the id of the rule that runs.
func (c *Context) RuleID() string { return c.hook.entry.ID }

// ReportForIn is Report with the responsible side and the row.
func (c *Context) ReportForIn(side Side, row int32, at Place, values ...any) {
	c.report(side, row, at, values)
}

// ReportInfo is Report with the severity info.
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
	values = append(values, "side", side) // the values of the rule take precedence
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
		at = Whole // a peer chose the names in it
	}
	c.engine.batch = append(c.engine.batch, Finding{
		Rule: c.hook.entry, Severity: c.hook.entry.Severity, Fault: side, Row: row, Time: c.St.Now,
		Path: at.path, Offset: at.offset,
		Message: text, Hint: truncated(fill(c.hook.entry.Fix, values)),
	})
}

// maxMessage bounds each text of a finding, in bytes.
const maxMessage = 2 << 10

func truncated(text string) string { return phrase.Clip(text, maxMessage) }

// side is the responsible side: the sender, if the entry leaves it open.
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

// Revision is the one that the event belongs to; empty while unknown.
func (c *Context) Revision() revision.Revision {
	switch {
	case c.M != nil:
		return c.M.Revision
	case c.X != nil && c.X.revision != "":
		return c.X.revision
	}
	return c.St.Revision
}

// capitalized begins a sentence, unless that misspells a name such as tools/list
// or nextCursor.
func capitalized(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ToLower(word) != word || strings.ContainsAny(word, "/_.{\"\\$") {
		return text
	}
	return phrase.Capital(text)
}

// MayBeExtension reports whether the method may belong to an extension that the
// server declares.
func (c *Context) MayBeExtension() bool {
	return c.St.ServerOffers("extensions") && !strings.HasPrefix(c.M.Method, "notifications/")
}
