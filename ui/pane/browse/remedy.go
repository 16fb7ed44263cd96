package browse

import (
	"context"
	"errors"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// remedies holds the possible remedies for a failed call, one row each.
type remedies struct {
	field  string        // argument that the response names, or ""
	longer time.Duration // timeout for sending again after a timeout, or 0
}

// remediesOf returns the remedies for a call. The text of the response is untrusted, so it can only select an
// argument of the form.
func remediesOf(e *Item, c *call) (r remedies) {
	switch {
	case c.outcome.level == timedOut:
		r.longer = max(2*c.ended, extension)
	case c.outcome.level == failed && c.err == nil, c.outcome.level == toolError:
		response, _ := c.Outcome()
		text := response.Envelope.Error.Of(response.Frame)
		if c.outcome.level == toolError {
			text = response.Result()
		}
		r.field = e.fieldIn(string(text[:min(len(text), maxSent)]))
	}
	return r
}

// fieldIn returns the first argument named in a text as a whole word, or "".
func (e *Item) fieldIn(text string) string {
	first, at := "", len(text)
	for name := range jsonrpc.Members(jsonrpc.Get(e.item.Raw, "inputSchema", "properties")) {
		if i := indexWord(text, string(name)); i >= 0 && i < at {
			first, at = string(name), i
		}
	}
	return first
}

// indexWord returns the index of a whole word in a text, or -1. Letters, digits, "_" and "-" on either side,
// and "." before it, make it part of a longer word.
func indexWord(text, word string) int {
	joins := func(c byte) bool {
		return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			break
		}
		begin := from + i
		end := begin + len(word)
		if (begin == 0 || !joins(text[begin-1]) && text[begin-1] != '.') && (end == len(text) || !joins(text[end])) {
			return begin
		}
		from = begin + 1
	}
	return -1
}

// named returns the argument that the selected response names, or "".
func (e *Item) named() string {
	if c := e.shown(); c != nil {
		return c.remedies.field
	}
	return ""
}

// remedyCount returns the number of rows that remedyRows adds.
func (p *Panel) remedyCount(c *call) int {
	return paint.If(p.reconnects(c) || isInvalid(c.err) || c.remedies != (remedies{}), 1, 0)
}

// reconnects reports whether the call was lost with its connection.
func (p *Panel) reconnects(c *call) bool {
	return c.err != nil && p.tick.State.Phase == session.Ended
}

// isInvalid reports whether err is about an invalid response, whose bytes show the problem.
func isInvalid(err error) bool {
	_, ok := errors.AsType[*client.InvalidResponseError](err)
	return ok
}

// remedyRows adds the remedy for a finished call, if any.
func (p *Panel) remedyRows(d *doc.Doc, c *call) {
	row := func(id, text string) {
		y := d.Next()
		d.Row(paint.Span{Style: d.Pal.OK, Text: d.Pal.ArrowOut + " "}, paint.Span{Style: d.Pal.AccentBold, Text: d.Names.Name(id) + " "}, paint.Span{Style: d.Pal.TextBold, Text: text})
		d.Click(0, y, d.W, 1, func(int, int) { d.Names.Run(id) })
	}
	switch {
	case p.reconnects(c):
		row("again", "connect again, and send the call again")
	case c.remedies.longer > 0:
		row("timeout.extend", "send it again, and wait up to "+phrase.Duration(c.remedies.longer))
	case isInvalid(c.err):
		row("frame", "show the frame of the response")
	case c.remedies.field != "":
		row("edit", "correct the argument "+c.remedies.field)
	}
}

// extend gives a pending call more time, or sends a timed-out call again with a longer timeout.
func (p *Panel) extend(e *Item, c *call) {
	if !c.over {
		p.s.Extend(c.Last(), extension)
		return
	}
	longer := c.remedies.longer
	p.request(c.Method, c.Params, func(made *session.Call) {
		e.AddCall(made)
		e.newest().more = longer
	})
}

// resend sends a call again, reconnecting first if the connection has ended.
func (p *Panel) resend(e *Item, c *call) {
	if p.tick.State.Phase == session.Ready {
		p.request(c.Method, c.Params, e.AddCall)
		return
	}
	p.app.Go(func(ctx context.Context) func() {
		err := p.Reconnect(ctx)
		return func() {
			if err != nil {
				p.app.Fail("Not sent: the connection failed. " + p.app.Key("tab.server") + " shows why.")
				return
			}
			p.request(c.Method, c.Params, e.AddCall)
		}
	})
}
