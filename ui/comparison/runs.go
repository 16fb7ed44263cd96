package comparison

import (
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/offer/diff"
	"mcptea/session/runs/compare"
	"mcptea/ui/paint"
)

// noteColumn is where the text of a run begins, behind its mark and its version.
const noteColumn = 14

// Runs returns the rows of each run: see [Run].
func Runs(p *paint.Palette, r compare.Report, w int, now time.Time, spin int) (rows []string) {
	for _, run := range r.Runs {
		rows = append(rows, Run(p, run, w, now, spin)...)
	}
	return rows
}

// Run returns the rows of a run: what came of it, or what it waits for.
func Run(p *paint.Palette, run compare.Run, w int, now time.Time, spin int) (rows []string) {
	row := p.Row()
	row.Start(w, paint.Style{})
	mark, text := paint.Span{Style: p.Muted, Text: p.Separator}, paint.Span{Style: p.Muted, Text: run.Note}
	switch run.Outcome {
	case compare.Waiting:
		text.Text = "waiting"
	case compare.Running:
		mark, text = paint.Span{Style: p.Warn, Text: paint.Spinner(p, spin)}, paint.Span{Style: p.Text, Text: run.Step}
		row.Right(paint.Span{Style: p.Muted, Text: phrase.Waited(run.Started, run.Deadline, now)})
	case compare.Spoken:
		mark, text.Text = paint.Span{Style: p.OK, Text: p.OKMark}, spoken(run)
	case compare.Failed:
		mark, text.Style = paint.Span{Style: p.Error, Text: p.FailMark}, p.Text
	}
	row.Spans(mark, paint.Span{Style: p.Text, Text: " " + string(run.Revision) + "  "})
	for i, part := range display.Wrap(text.Text, max(1, w-noteColumn)) {
		if i > 0 {
			rows = append(rows, row.String())
			row.Start(w, paint.Style{})
			row.Gap(noteColumn)
		}
		row.Put(text.Style, part)
	}
	return append(rows, row.String())
}

// spoken says of a run how the server was reached and what it offers.
func spoken(run compare.Run) string {
	text := run.Handshake.Revision.Era().String() + ", " + phrase.Took(run.Took)
	for _, kind := range client.ListKinds {
		switch l := run.Lists[kind.Name]; {
		case l.Err != nil:
			text += fmt.Sprintf(", %s failed after %d: %v", kind.Name, len(l.Items), l.Err)
		case l.Offered:
			text += ", " + phrase.Digits(len(l.Items)) + " " + kind.Name
		}
	}
	return text
}

// Steps returns rows with what each step from a version to the next one changes.
func Steps(p *paint.Palette, r compare.Report, w int) []string {
	var row paint.Row
	var rows []string
	line := func(indent int, spans ...paint.Span) {
		row.Start(w, paint.Style{})
		row.Gap(indent)
		row.Spans(spans...)
		rows = append(rows, row.String())
	}
	for i, step := range r.Steps {
		if i > 0 {
			line(0)
		}
		line(0, paint.Span{Style: p.TextBold, Text: string(step.From) + " " + p.ArrowOut + " " + string(step.To)})
		if len(step.Changes) == 0 {
			line(2, paint.Span{Style: p.Muted, Text: "nothing differs"})
		}
		for _, c := range step.Changes {
			sign := signOf(p, c.Kind)
			for _, text := range display.Wrap(c.Text(), max(1, w-4)) {
				line(2, sign, paint.Span{Style: p.Text, Text: " " + text})
				sign.Text = " "
			}
		}
	}
	if len(r.Steps) == 0 && r.Ended && len(r.Spoken()) == 1 {
		line(0, paint.Span{Style: p.Text, Text: "No other version to compare with."})
	}
	return rows
}

func signOf(p *paint.Palette, k diff.Kind) paint.Span {
	switch k {
	case diff.Added:
		return paint.Span{Style: p.OKBold, Text: "+"}
	case diff.Removed:
		return paint.Span{Style: p.WarnBold, Text: p.Minus}
	}
	return paint.Span{Style: p.WarnBold, Text: "~"}
}
