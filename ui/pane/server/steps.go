package server

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// checklistWidth bounds a checklist, so that a time stays near its step. A longer detail moves all
// times to the right.
const checklistWidth = 96

// checklist adds the steps of connecting, one per row, with a row before the steps of a restarted process.
func (p *Pane) checklist(d *doc.Doc) {
	steps := slices.Clone(p.st.Steps)
	for i := range steps {
		st := &steps[i]
		if st.State == client.StepRunning && p.authorizing() {
			st.Detail, st.Deadline = "waits for a token", time.Time{} // the timeout is paused
		}
		st.Detail = p.unrepeated(*st) + p.stepBefore(i, *st)
	}
	names, w := columns(steps)
	for i, st := range steps {
		if n := startAt(steps, i); n > 1 {
			d.Row(paint.Span{Style: d.Pal.Muted, Text: "start " + strconv.Itoa(n)})
		}
		p.step(d, st, names, w)
	}
}

// unrepeated returns the detail of a step without what the sentence about the failure has: the request, or all of it.
func (p *Pane) unrepeated(st client.Step) string {
	if st.State != client.StepFailed || p.st.Phase != session.Failed {
		return st.Detail
	}
	sentence := p.sentence()
	if request, status := failure.Refused(p.st.Err); status != "" && strings.HasPrefix(st.Detail, request+" returned ") && strings.HasPrefix(sentence, request+" returned ") {
		return status
	}
	if detail := strings.TrimSuffix(st.Detail, "."); detail != "" && strings.Contains(sentence, detail) {
		return ""
	}
	return st.Detail
}

// startAt returns the number of the process start that begins with a step, or 0.
func startAt(steps []client.Step, i int) (n int) {
	if steps[i].Name != client.StepFind {
		return 0
	}
	for _, st := range steps[:i+1] {
		if st.Name == client.StepFind {
			n++
		}
	}
	return n
}

// columns returns the width of the names of some steps, and the column where their times end.
func columns(steps []client.Step) (names, w int) {
	for _, st := range steps {
		names = max(names, display.Width(st.Name))
	}
	w = checklistWidth
	for _, st := range steps {
		if st.State == client.StepDone || st.State == client.StepFailed {
			w = max(w, names+8+display.Width(display.Sanitize(st.Detail))+display.Width(phrase.Took(st.Took)))
		}
	}
	return names, w
}

// step adds a step, with its time up to a column.
func (p *Pane) step(d *doc.Doc, st client.Step, names, w int) {
	pal := d.Pal
	w = min(d.W-1, w)
	mark, markStyle, nameStyle, detailStyle := pal.Separator, pal.Muted, pal.Muted, pal.Muted
	detail, took := st.Detail, ""
	switch st.State {
	case client.StepDone:
		mark, markStyle, nameStyle = pal.OKMark, pal.OK, pal.Text
		if st.Absent {
			mark, markStyle = pal.Absent, pal.Muted
		}
		took = phrase.Took(st.Took)
	case client.StepFailed:
		mark, markStyle, nameStyle, detailStyle = pal.FailMark, pal.Error, pal.TextBold, pal.Error
		took = phrase.Took(st.Took)
	case client.StepRunning:
		mark, markStyle, nameStyle = paint.Spinner(pal, p.spin), pal.Warn, pal.TextBold
		took = phrase.Waited(st.Start, st.Deadline, p.now)
		if st.Name == client.StepResponse && detail == "" {
			detail = "none yet"
			if n := p.s.Unfinished(); n > 0 {
				detail = phrase.Size(n) + " of a message without its end"
			}
		}
	default:
		detail = "not reached"
		if p.st.Phase == session.Connecting {
			detail = ""
		}
	}
	at := 1 + names + 5
	place := w - at
	if took != "" {
		place -= display.Width(took) + 2
	}
	d.Growing(detail, place, 1, func(r *paint.Row, i int, line string) {
		if i == 0 {
			r.Put(markStyle, mark)
			r.Gap(2)
			r.Put(nameStyle, st.Name)
		}
		r.To(at)
		r.Put(detailStyle, line)
		if i == 0 && took != "" {
			r.To(w - display.Width(took))
			r.Put(pal.Muted, took)
		}
	})
}

// steps returns the steps of the attempt, or of its authorization if the server requires one.
func (p *Pane) steps() []client.Step {
	if p.unauthorized() {
		return p.st.Authorization
	}
	return p.st.Steps
}

// stepsRow adds the steps of connecting in one row, which unfolds to a checklist.
func (p *Pane) stepsRow(d *doc.Doc) {
	steps := p.steps()
	noun := phrase.Count(len(steps), "step")
	if p.unauthorized() {
		noun = "authorization"
	}
	d.Lines(1, func(r *paint.Row, _ int) {
		mark := paint.If(p.unfolded, d.Pal.Unfolded, d.Pal.Folded)
		d.Click(0, d.Next(), d.W, 1, func(int, int) { p.toggleSteps() })
		r.Right(paint.Span{Style: d.Pal.Muted, Text: phrase.Took(p.st.Took) + " "})
		r.Put(d.Pal.Accent, mark+" ")
		r.Put(d.Pal.TextBold, noun)
		if !p.unfolded { // they are listed below
			p.putSteps(d, r, steps)
		}
	})
}

// putSteps writes steps side by side. If not all of them fit, it writes the last ones, which say most, and their number.
func (p *Pane) putSteps(d *doc.Doc, r *paint.Row, steps []client.Step) {
	pieces, all := make([][]paint.Span, len(steps)), 0
	for i, st := range steps {
		pieces[i] = p.stepPiece(d.Pal, st)
		if n := startAt(steps, i); n > 1 { // a process that was started again
			pieces[i] = slices.Insert(pieces[i], 0, paint.Span{Style: d.Pal.Muted, Text: "start " + strconv.Itoa(n) + ": "})
		}
		all += paint.SpansWidth(pieces[i])
	}
	const blanks, last = 2, ", the last 9"
	for n := len(pieces); all+blanks > r.Left() && n > 0 && steps[n-1].State == client.StepWaiting; n-- {
		all -= paint.SpansWidth(pieces[n-1])
		pieces = pieces[:n-1] // keep the failed one visible
	}
	first, room := len(pieces), r.Left()-blanks-paint.If(all+blanks > r.Left(), len(last), 0)
	for first > 0 && room >= paint.SpansWidth(pieces[first-1]) {
		first--
		room -= paint.SpansWidth(pieces[first])
	}
	if first > 0 && first < len(pieces) {
		r.Put(d.Pal.Muted, ", the last "+strconv.Itoa(len(pieces)-first))
	}
	r.Gap(blanks)
	for _, piece := range pieces[first:] {
		r.Spans(piece...)
	}
}

// stepPiece returns the mark and the name of a step.
func (p *Pane) stepPiece(pal *paint.Palette, st client.Step) []paint.Span {
	mark, markStyle, nameStyle := pal.Absent, pal.Muted, pal.Muted
	switch {
	case st.State == client.StepFailed:
		mark, markStyle, nameStyle = pal.FailMark, pal.Error, pal.Text
	case st.State == client.StepDone && !st.Absent:
		mark, markStyle = pal.OKMark, pal.OK
	}
	return []paint.Span{{Style: markStyle, Text: mark + " "}, {Style: nameStyle, Text: shortName.Replace(st.Name) + "  "}}
}

// toggleSteps shows the steps, or hides them.
func (p *Pane) toggleSteps() {
	p.Home()
	p.unfolded = !p.unfolded
	p.toSteps = p.unfolded
}

// details adds the steps of a failure and the command that was run. They take one row unless the
// user unfolds them.
func (p *Pane) details(d *doc.Doc) {
	steps := func(d *doc.Doc) {
		p.checklist(d)
		if p.unauthorized() {
			p.authorization(d)
		}
	}
	ran := func(d *doc.Doc) {
		d.Blank()
		p.command(d)
		p.recordingFacts(d)
	}
	var at int // row of the steps
	switch {
	case len(p.steps()) == 0: // a recording of a tap
	case !p.reporting:
		d.Gap()
		at = d.Blocks()
		p.stepsRow(d)
	default:
		heading(d, "steps", "")
	}
	whole := p.unfolded || p.reporting
	if whole {
		steps(d)
	}
	before := d.Wants()
	ran(d)
	d.Fit(d.H + d.Wants() - before) // rows without room are below the others, and are scrolled to
	if p.toSteps {
		p.Row(d.Above(at)) // its position after other parts have shrunk
		p.toSteps = false
	}
}

// condensed adds how long connecting took and its steps, in as few rows as they need.
func (p *Pane) condensed(d *doc.Doc) {
	pieces := [][]paint.Span{{{Style: d.Pal.Text, Text: "in " + phrase.Took(p.st.Took)}}}
	for _, st := range withResponses(p.st.Steps) {
		if st.State == client.StepDone && st.Took < time.Millisecond && !p.reporting {
			continue // it is not informative
		}
		mark := paint.Span{Style: d.Pal.OK, Text: d.Pal.OKMark + " "}
		if st.State != client.StepDone {
			mark = paint.Span{Style: d.Pal.Warn, Text: d.Pal.Separator + " "}
		}
		pieces = append(pieces, []paint.Span{mark, {Style: d.Pal.Muted, Text: shortName.Replace(st.Name) + " " + phrase.Took(st.Took)}})
	}
	for i, spans := range doc.Flow(pieces, d.W-2-d.Margin) {
		label := paint.If(i == 0, "connected", "")
		d.Fact(label, spans...)
	}
}

// withResponses merges each request with the wait for its response. A connection has several waits if the first
// response does not decide.
func withResponses(steps []client.Step) (all []client.Step) {
	for _, st := range steps {
		if n := len(all); st.Name == client.StepResponse && n > 0 && strings.HasPrefix(all[n-1].Name, "send ") {
			st.Name, st.Took = all[n-1].Name, st.Took+all[n-1].Took
			all = all[:n-1]
		}
		all = append(all, st)
	}
	return all
}

// shortName removes the words that are obvious outside of the checklist.
var shortName = strings.NewReplacer("send ", "", " process", "")
