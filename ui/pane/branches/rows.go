package branches

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
	"mcptea/ui/app"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// sign returns the sign for the state of a request.
func (p *Pane) sign(r *row, pal *paint.Palette) paint.Span {
	switch {
	case r.current || r.next:
		return paint.Span{Style: pal.OK, Text: pal.Dot}
	case r.isBranch(), r.rest:
		return paint.Span{Text: " "}
	}
	return outcome(r.State, pal)
}

// outcome returns the sign of a state.
func outcome(s replay.State, pal *paint.Palette) paint.Span {
	switch s {
	case replay.Equal:
		return paint.Span{Style: pal.OK, Text: "="}
	case replay.Different:
		return paint.Span{Style: pal.Warn, Text: "~"}
	case replay.Failed:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	}
	return paint.Span{Style: pal.Muted, Text: pal.Absent}
}

// Remark returns the text that the list of frames shows for a request that was sent again, its number in the
// recording, and for its response, whether it equals the recorded one. For other frames it returns nothing.
func (p *Pane) Remark(pal *paint.Palette, at int32) []paint.Span {
	r, ok := p.sent[at]
	if !ok {
		return nil
	}
	as := paint.Span{Style: pal.Muted, Text: fmt.Sprintf("was #%d", r.Frame)}
	if at == r.Request {
		return []paint.Span{as}
	}
	return []paint.Span{outcome(r.State, pal)}
}

func frame(r *row, pal *paint.Palette) []paint.Span {
	if r.Frame == 0 {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: fmt.Sprintf("#%d", r.Frame)}}
}

func (p *Pane) what(r *row, pal *paint.Palette) []paint.Span {
	if r.isBranch() {
		return p.whatBranch(r, pal)
	}
	if r.more > 0 {
		return []paint.Span{{Style: pal.Muted, Text: phrase.Digits(r.more) + " more requests"}}
	}
	name := paint.If(r.rest, pal.Muted, pal.Text)
	if r.Method == "tools/call" && r.Subject != "" { // most requests are calls, so the name distinguishes them
		return []paint.Span{{Style: name, Text: r.Subject}}
	}
	return []paint.Span{{Style: name, Text: r.Method + " "}, {Style: pal.Value, Text: r.Subject}}
}

// arguments returns the arguments of a call, preceded by the mark of the live position or the reason why the
// call was not compared.
func (p *Pane) arguments(r *row, pal *paint.Palette) (spans []paint.Span) {
	switch {
	case r.next && p.state.Phase == branch.Live:
		spans = append(spans, paint.Span{Style: pal.OK, Text: "live from here  "})
	case r.Note != "":
		spans = append(spans, paint.Span{Style: pal.Warn, Text: r.Note + "  "})
	}
	if r.Arguments == "" {
		return spans
	}
	return append(spans, paint.Span{Style: pal.Muted, Text: r.Arguments})
}

// whatBranch returns the line of a branch.
func (p *Pane) whatBranch(r *row, pal *paint.Palette) []paint.Span {
	line, counts := pal.Child, paint.Span{Style: pal.Muted, Text: r.made.Counts}
	if r.last {
		line = pal.Last
	}
	switch {
	case r.current:
		counts.Text = p.state.Counts.Counts()
	case r.made.Counts == "":
		counts.Text = "earlier"
	}
	spans := []paint.Span{
		{Style: pal.Muted, Text: line + " "},
		{Style: pal.AccentBold, Text: r.made.Name + " "},
		{Style: pal.Muted, Text: phrase.Date(r.made.Begun, p.now) + "  "},
	}
	if r.current && len(p.allowed) > 0 {
		spans = append(spans, paint.Span{Style: pal.Warn, Text: "allowed " + strings.Join(p.allowed, ", ") + "  "})
	}
	return append(spans, counts)
}

func took(r *row, pal *paint.Palette) []paint.Span {
	if r.isBranch() || r.Took == 0 {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: phrase.Milliseconds(time.Duration(r.Took))}}
}

// detail shows what differs in the selected request.
func (p *Pane) detail(c *app.Canvas, r *row) {
	pal := c.Pal
	title := r.Method + " " + r.Subject
	if r.isBranch() {
		title = "Branch " + r.made.Name
	}
	s := doc.On(c.Box([]paint.Span{{Style: pal.TextBold, Text: pal.Label(title, max(10, c.W-8))}}, nil, false))
	if p.shown != r {
		p.shown, p.lines = r, uidiff.Lines(r.Rows)
		p.scroll.Row(uidiff.Start(p.lines))
	}
	p.addText(s, r)
	if p.state.Phase == branch.Failed {
		s.Text(pal.Error, p.state.Sentence(), 3)
	}
	uidiff.Rest(s, &p.scroll, p.lines)
	s.Paint()
}

// addText adds the text of a row above its differences.
func (p *Pane) addText(s *doc.Doc, r *row) {
	pal := s.Pal
	switch {
	case r.current:
		s.Text(pal.Text, "The branch of this session. "+s.Names.Name("again")+" starts another one at the same frame.", 2)
		if len(p.allowed) > 0 {
			s.Text(pal.Warn, "Sent without asking: all calls of "+strings.Join(p.allowed, ", ")+".", 3)
		}
	case r.isBranch():
		text := "A branch before this one"
		if r.made.Counts != "" {
			text += ": " + r.made.Counts
		}
		if r.made.Path != "" {
			text += ". It is recorded in " + filepath.Base(r.made.Path)
		}
		s.Text(pal.Text, text+".", 3)
		s.Text(pal.Muted, s.Names.Name("diff")+" compares it with this branch.", 2)
	case r.more > 0:
		s.Text(pal.Muted, "The recording has more requests than are listed. --until FRAME continues before one of them.", 2)
	case r.rest:
		text := "This request was not sent again."
		if r.next && p.state.Phase == branch.Live {
			text = "This request was not sent again: the session is live from here."
		}
		s.Text(pal.Text, text, 2)
		s.Text(pal.Muted, s.Names.Name("edit")+" opens it in the composer, to send it with other arguments. "+s.Names.Name("branch.here")+" starts a new branch that continues before it.", 3)
	case r.State == replay.Equal:
		s.Text(pal.OK, "The response equals the recorded response.", 1)
	case r.Note != "":
		s.Text(pal.Text, pal.Label(r.Note, 400), 3)
	}
}
