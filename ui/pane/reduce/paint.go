package reduce

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/runs/reduce"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Size implements [app.Dialog].
func (d *Dialog) Size(_ *app.Screen, w, h int) (int, int) { return min(w-2, 130), min(h-2, 40) }

// maxLineRows is the maximum number of rows of a line of the preview.
const maxLineRows = 6

// Paint implements [app.Pane].
func (d *Dialog) Paint(c *app.Canvas, focused bool) {
	pal := c.Pal
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: "Reduce to a finding"}}, nil, focused)
	s := doc.On(in)
	defer s.Paint()
	if !d.done {
		d.running(s)
		return
	}
	c.Note(dialog.Note(pal, c.Names.Name("dialog.close"), &d.window))
	if d.out.err != nil {
		s.Text(pal.Warn, "Nothing was reduced: "+d.out.err.Error()+".", doc.All)
		return
	}
	d.facts(s)
	s.Rest(1, func(c *app.Canvas) {
		lines := doc.On(c)
		for line := range strings.Lines(d.text()) {
			lines.Text(pal.Text, cmp.Or(strings.TrimSuffix(line, "\n"), " "), maxLineRows)
		}
		d.window.Paint(lines)
	})
	if d.file.Problem != "" {
		s.Text(pal.Warn, d.file.Problem, 1)
	}
}

// running paints the progress and the deadline.
func (d *Dialog) running(s *doc.Doc) {
	pal := s.Pal
	text := "Reading the session."
	if p := d.progress.Load(); p != nil {
		text = phrase.Count(p.Frames, "frame") + " left after " + phrase.Count(p.Checks, "check") + "."
	}
	s.Text(pal.Text, paint.Spinner(pal, d.tick.Spin)+" "+text, 1)
	s.Blank()
	if d.end == nil {
		s.Text(pal.Muted, "Ending with the smallest frames so far.", 1)
		return
	}
	left := max(d.deadline.Sub(d.tick.Now), 0).Round(time.Second)
	s.Text(pal.Muted, fmt.Sprintf("It ends in %s at the latest. Nothing is sent, and nothing is written without asking.", phrase.Duration(left)), 2)
	s.Keys(1, doc.Key{ID: "dialog.close", Label: "end now, with the smallest frames so far"})
}

// facts paints the finding that was reduced, and the remaining frames.
func (d *Dialog) facts(s *doc.Doc) {
	pal, out := s.Pal, &d.out
	s.Input(&d.file.Input, d.file.Edited)
	s.Fact("finding", paint.Span{Style: pal.Text, Text: out.found.Rule.ID + " " + out.found.Rule.Slug})
	frames := fmt.Sprintf("%s of %s left, after %s", phrase.Digits(out.found.Frames), phrase.Digits(out.before), phrase.Count(out.found.Checks, "check"))
	s.Fact("frames", paint.Span{Style: pal.TextBold, Text: frames}, paint.Span{Style: pal.Muted, Text: paint.If(out.found.Limited, "  it ended early: more might go", "")})
	s.Fact("values", paint.Span{Style: pal.Text, Text: fmt.Sprintf("%d invented", out.found.Invented)})
	switch quoted := reduce.Quoted(out.left); {
	case len(out.left) == 0:
		s.Fact("words", paint.Span{Style: pal.OK, Text: "none of the session is left"})
	case d.allowed:
		s.FactText("words", pal.Warn, "allowed, because the finding needs them: "+quoted, 4)
	default:
		s.FactText("words", pal.WarnBold, pal.WarnMark+" of the session, needed by the finding: "+quoted, 4)
		s.Keys(1, doc.Key{ID: "reduce.needed", Label: "allow them in the file"})
	}
	s.Rule(paint.Span{Style: pal.Muted, Text: paint.If(d.frames, "frames", "text of an issue")})
}
