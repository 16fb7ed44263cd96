package comparison

import (
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/session/runs/compare"
	"mcptea/ui/paint"
)

// Warning describes in one sentence what a comparison does to the server.
func Warning(t client.Target) string {
	if t.IsStdio() {
		return fmt.Sprintf("The server is started up to %d more times, one after the other, once for each version of MCP.", compare.Most(t))
	}
	return fmt.Sprintf("The server is connected to up to %d more times, one after the other, once for each version of MCP.", compare.Most(t))
}

// Sentence is the progress of a comparison, or its result.
func Sentence(r compare.Report) string {
	verb := "connected to"
	if r.Target.IsStdio() {
		verb = "started"
	}
	times := fmt.Sprintf("%d times", r.Starts)
	if r.Starts == 1 {
		times = "once"
	}
	if !r.Ended {
		return fmt.Sprintf("The server was %s %s so far.", verb, times)
	}
	return fmt.Sprintf("The server supports %d of %d protocol versions. It was %s %s.", len(r.Spoken()), len(r.Runs), verb, times)
}

// Runs returns a row for each run, with what the current one waits for.
func Runs(p *paint.Palette, r compare.Report, w int, now time.Time, spin int) []string {
	var rows []string
	row := p.Row()
	for _, run := range r.Runs {
		row.Start(w, paint.Style{})
		mark, text := paint.Span{Style: p.Muted, Text: p.Separator}, paint.Span{Style: p.Muted, Text: run.Note}
		switch run.Outcome {
		case compare.Waiting:
			text.Text = "waiting"
		case compare.Running:
			mark, text = paint.Span{Style: p.Warn, Text: paint.Spinner(p, spin)}, paint.Span{Style: p.Text, Text: run.Step}
			row.Right(paint.Span{Style: p.Muted, Text: clock(run, now)})
		case compare.Spoken:
			mark, text.Text = paint.Span{Style: p.OK, Text: p.OKMark}, "connected in "+paint.HumanDuration(run.Took)
		case compare.Failed:
			mark, text.Style = paint.Span{Style: p.Error, Text: p.FailMark}, p.Text
		}
		row.Spans(mark, paint.Span{Style: p.Text, Text: " " + string(run.Revision) + "  "}, text)
		rows = append(rows, row.String())
	}
	return rows
}

// clock is the duration of a run so far, and the time until it times out.
func clock(run compare.Run, now time.Time) string {
	text := paint.HumanDuration(max(0, now.Sub(run.Started)).Round(100 * time.Millisecond))
	if run.Deadline.IsZero() {
		return text
	}
	left := max(0, run.Deadline.Sub(now))
	return fmt.Sprintf("times out in %d s   %s", int((left+time.Second-1)/time.Second), text)
}
