package browse

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/failure"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// crashed reads the evidence that the server left when it ended during a call. It reads again when more stderr
// arrives.
func (p *Panel) crashed(e *Item, c *call) {
	var exit *stdio.ExitError
	st := &p.tick.State
	if !c.over || c.unsent || !errors.As(c.err, &exit) || st.Process.Expected {
		return
	}
	if c.crash == nil {
		c.attempt, c.logs = st.Attempt, -1
		// Give the crash its keys only if they do not take letters from a text field.
		if p.list.SelectedKey() == e.key && p.list.Inside() && !e.differs(c) {
			p.inResult = true
		}
	}
	if c.attempt != st.Attempt || c.logs == st.Logs {
		return
	}
	c.logs = st.Logs
	c.crash = failure.ReadCrash(p.s.Store(), failure.CrashedCall{
		ID: c.Last(), Started: c.Started, Origin: p.s.Origin(), Redact: p.s.Redact,
	}, exit, c.logs)
}

// crashRows shows a crash: the cause, the remedies, stderr, and the other lost requests.
func crashRows(d *doc.Doc, c *call) {
	k, pal := c.crash, d.Pal
	arrow := paint.Span{Style: pal.OK, Text: pal.ArrowOut + " "}
	key := func(id string) paint.Span { return paint.Span{Style: pal.AccentBold, Text: d.Names.Name(id) + " "} }
	d.Text(pal.ErrorBold, k.Sentence(), 3)
	d.Gap()
	d.Row(arrow, key("again"), paint.Span{Style: pal.TextBold, Text: "restart and send again   "},
		key("restart"), paint.Span{Style: pal.Text, Text: "restart"})
	if k.Source.File != "" {
		place := filepath.Base(k.Source.File) + ":" + strconv.Itoa(k.Source.Line)
		at := k.Source
		if at.Ran != "" {
			at = stderr.Source{} // opening it needs a confirmation first
		}
		d.Lines(1, func(r *paint.Row, _ int) {
			r.Spans(arrow, key("source.open"), paint.Span{Style: pal.Text, Text: "open "})
			r.LinkPlace(pal.Value, place, at.File, at.Line)
			r.Put(pal.Text, " in $EDITOR")
		})
	}
	d.Gap()
	if k.Total == 0 {
		d.Row(paint.Span{Style: pal.TextBold, Text: "stderr  "}, paint.Span{Style: pal.Muted, Text: "nothing was written to it since this call"})
	} else {
		d.Add(len(k.Lines)+1, func(n int) { crashStderr(d, k, n) }).Give(8, 2)
	}
	if len(k.Lost) > 0 {
		d.Gap()
		spans := []paint.Span{{Style: pal.TextBold, Text: "also pending  "}}
		for _, text := range k.Lost {
			spans = append(spans, paint.Span{Style: pal.Error, Text: pal.FailMark + " "}, paint.Span{Style: pal.Text, Text: text + "   "})
		}
		if k.LostMore {
			spans = append(spans, paint.Span{Style: pal.Muted, Text: pal.Ellipsis})
		}
		d.Row(spans...)
	}
}

// crashStderr shows at most n rows of stderr.
func crashStderr(d *doc.Doc, k *failure.Crash, n int) {
	pal, lines := d.Pal, k.Excerpt(max(n-1, 1))
	d.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Right(paint.Span{Style: pal.AccentBold, Text: d.Names.Name("tab.logs")}, paint.Span{Style: pal.Muted, Text: " all lines "})
		r.Put(pal.TextBold, "stderr  ")
		count := strconv.Itoa(len(lines)) + " of " + phrase.Digits(k.Total) + " lines"
		if k.Total == 1 {
			count = "one line"
		}
		r.Put(pal.Muted, count+" since this call")
	})
	decisive := k.Decisive()
	d.Write(min(len(lines), max(n-1, 0)), func(r *paint.Row, i int) {
		r.Put(pal.Border, pal.Lines.Left+" ")
		st := paint.If(decisive != "" && strings.TrimSpace(lines[i]) == decisive, pal.ErrorBold, pal.Text)
		line := strings.TrimRight(lines[i], " \t\r\n")
		if at := k.Source; at.Ran == "" {
			r.LinkPlace(st, line, at.File, at.Line)
			return
		}
		r.Put(st, line)
	})
}

// unmatched points to a late or unmatched response that may belong to a call.
func (p *Panel) unmatched(d *doc.Doc, c *call) {
	s, pal := p.s.Store(), d.Pal
	if s == nil || c.over && c.err == nil {
		return
	}
	if c.over {
		if row, after := failure.LateResponse(s, c.flight.Row(), c.Started); row >= 0 {
			d.Text(pal.Text, pal.WarnMark+" #"+strconv.Itoa(int(row)+1)+" is the response to this call; it came "+phrase.Took(after)+" after the request", 2)
			return
		}
	}
	text, head := c.unmatched.Sentence(s)
	if text == "" {
		return
	}
	last := len(pal.WrapMost(text, max(d.W-4, 1), d.H)) - 1
	d.Growing(text, d.W-4, 2, func(r *paint.Row, i int, line string) {
		if i == 0 {
			r.Put(pal.WarnBold, "?")
		}
		r.To(3)
		r.Put(pal.Text, line)
		if i == last {
			r.Gap(2)
			r.PutBytes(pal.Muted, head)
		}
	}).Give(4, 0)
}
