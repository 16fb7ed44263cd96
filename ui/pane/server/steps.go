package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/session"
	"mcptea/ui/paint"
)

// checklistWidth bounds a checklist, so that a time stays near its step.
const checklistWidth = 96

// checklist writes the steps of connecting, one a line.
func (p *Pane) checklist(s *sheet) {
	names := 0
	for _, st := range p.st.Steps {
		names = max(names, paint.Width(st.Name))
	}
	for _, st := range p.st.Steps {
		if st.State == client.StepRunning && p.authorizing() {
			st.Detail, st.Deadline = "waits for a token", time.Time{} // the timeout is paused
		}
		s.line(func(r *paint.Row) { p.step(r, s.pal, st, names, min(s.w, checklistWidth)) })
	}
}

func (p *Pane) step(r *paint.Row, pal *paint.Palette, st client.Step, names, w int) {
	mark, markStyle, nameStyle, detailStyle := pal.Separator, pal.Muted, pal.Muted, pal.Muted
	detail, took := st.Detail, ""
	switch st.State {
	case client.StepDone:
		mark, markStyle, nameStyle = pal.OKMark, pal.OK, pal.Text
		if absent(detail) {
			mark, markStyle = pal.Absent, pal.Muted
		}
		took = paint.HumanDuration(st.Took)
	case client.StepFailed:
		mark, markStyle, nameStyle, detailStyle = pal.FailMark, pal.Error, pal.TextBold, pal.Error
		took = paint.HumanDuration(st.Took)
	case client.StepRunning:
		mark, markStyle, nameStyle = paint.Spinner(pal, p.spin), pal.Warn, pal.TextBold
		took = p.waited(st)
		if st.Name == client.StepResponse && detail == "" {
			detail = "none yet"
		}
	default:
		detail = "not reached"
		if p.st.Phase == session.Connecting {
			detail = ""
		}
	}
	r.Put(markStyle, mark)
	r.Gap(2)
	r.Put(nameStyle, st.Name)
	r.To(names + 5)
	// A detail that the time leaves no place for is cut, the time is not.
	place := w - r.Used()
	if took != "" {
		place -= paint.Width(took) + 2
	}
	if place > 0 {
		r.Cell(detailStyle, detail, place)
	}
	if took != "" {
		r.To(w - paint.Width(took))
		r.Put(pal.Muted, took)
	}
}

// waited is the clock of a running step, with the time that it has left.
func (p *Pane) waited(st client.Step) string {
	text := paint.HumanDuration(max(0, p.now.Sub(st.Start)).Round(100 * time.Millisecond))
	if st.Deadline.IsZero() {
		return text
	}
	left := max(0, st.Deadline.Sub(p.now))
	seconds := int((left + time.Second - 1) / time.Second)
	return fmt.Sprintf("%s, times out in %d s", text, seconds)
}

// steps writes the steps of connecting in one row, which unfolds to a checklist.
func (p *Pane) steps(s *sheet) {
	if s.quiet {
		return
	}
	steps, noun := p.st.Steps, " steps"
	if p.unauthorized() {
		noun = "authorization"
		steps = nil
		for _, st := range p.st.Authorization {
			steps = append(steps, client.Step{Name: st.Name, State: st.State, Detail: st.Detail})
		}
	} else if noun = strconv.Itoa(len(steps)) + noun; len(steps) == 1 {
		noun = "1 step"
	}
	p.stepsLine = s.lines
	s.line(func(r *paint.Row) {
		mark := s.pal.Folded
		if p.unfolded {
			mark = s.pal.Unfolded
		}
		r.Right(paint.Span{Style: s.pal.Muted, Text: paint.HumanDuration(p.st.Took)})
		r.Put(s.pal.Accent, mark+" ")
		r.Put(s.pal.TextBold, noun+"  ")
		pieces, all, starts := make([][]paint.Span, len(steps)), 0, 0
		for i, st := range steps {
			pieces[i] = p.stepPiece(s.pal, st)
			if st.Name == client.StepFind {
				if starts++; starts > 1 { // a process that was started again
					pieces[i] = slices.Insert(pieces[i], 0, paint.Span{Style: s.pal.Muted, Text: strconv.Itoa(starts) + ": "})
				}
			}
			all += paint.SpansWidth(pieces[i])
		}
		for n := len(pieces); all > r.Left() && n > 0 && steps[n-1].State == client.StepWaiting; n-- {
			pieces = pieces[:n-1] // the one that failed stays in sight
		}
		first, room := len(pieces), r.Left()-2
		for first > 0 && room >= paint.SpansWidth(pieces[first-1]) { // the last ones say most
			first--
			room -= paint.SpansWidth(pieces[first])
		}
		if first > 0 && first < len(pieces) {
			r.Put(s.pal.Muted, s.pal.Ellipsis+" ")
		}
		for _, piece := range pieces[first:] {
			r.Spans(piece...)
		}
	})
}

// stepPiece is the mark and the name of a step.
func (p *Pane) stepPiece(pal *paint.Palette, st client.Step) []paint.Span {
	mark, markStyle, nameStyle := pal.Absent, pal.Muted, pal.Muted
	switch {
	case st.State == client.StepFailed:
		mark, markStyle, nameStyle = pal.FailMark, pal.Error, pal.Text
	case st.State == client.StepDone && !absent(st.Detail):
		mark, markStyle = pal.OKMark, pal.OK
	}
	return []paint.Span{{Style: markStyle, Text: mark + " "}, {Style: nameStyle, Text: shortName.Replace(st.Name) + "  "}}
}

// absent reports whether a step is done because there was nothing to do: it is
// neither a success nor a failure.
func absent(detail string) bool {
	return detail == "none" || strings.HasPrefix(detail, "none;") || strings.HasPrefix(detail, "not found; ") || strings.Contains(detail, "; falling back to ")
}

// toggleSteps shows the steps, or hides them.
func (p *Pane) toggleSteps() {
	if p.unfolded = !p.unfolded; p.unfolded {
		p.top = max(p.top, p.stepsLine) // Paint keeps it in its bounds
	} else {
		p.top = 0
	}
}

// details writes the steps of a failure, and what was run. While the steps are
// folded, only where there is room.
func (p *Pane) details(s *sheet) {
	if p.unfolded || s.quiet {
		if s.quiet {
			s.heading("steps", "")
		}
		p.checklist(s)
		if p.unauthorized() {
			p.authorization(s)
		}
	}
	rest := s.column(s.w)
	rest.blank()
	p.command(rest)
	p.recordingFact(rest)
	if p.unfolded || s.quiet || s.lines+rest.lines <= s.room {
		s.add(rest)
	}
}

// condensed writes how long connecting took and its steps, in as few lines as
// they need.
func (p *Pane) condensed(s *sheet) {
	spans := [][]paint.Span{{{Style: s.pal.Text, Text: "in " + paint.HumanDuration(p.st.Took) + "   "}}}
	for _, st := range p.st.Steps {
		if st.State == client.StepDone && st.Took < time.Millisecond && !s.quiet {
			continue // it says nothing
		}
		mark := paint.Span{Style: s.pal.OK, Text: s.pal.OKMark + " "}
		if st.State != client.StepDone {
			mark = paint.Span{Style: s.pal.Warn, Text: s.pal.Separator + " "}
		}
		spans = append(spans, []paint.Span{mark, {Style: s.pal.Muted, Text: shortName.Replace(st.Name) + " " + paint.HumanDuration(st.Took) + "   "}})
	}
	s.flow("connected", spans)
}

// shortName takes off what is plain without the checklist around it.
var shortName = strings.NewReplacer("send ", "", " command", "", " process", "")

// flow writes a label and pieces beside it, as many a line as there is room
// for.
func (s *sheet) flow(label string, pieces [][]paint.Span) {
	var rows [][]paint.Span
	used := 0
	for _, piece := range pieces {
		w := 0
		for i, span := range piece {
			text := span.Text
			if i == len(piece)-1 {
				text = strings.TrimRight(text, " ") // nothing follows at the end of a line
			}
			w += paint.Width(text)
		}
		if len(rows) == 0 || labelWidth+used+w > s.w {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], piece...)
		for _, span := range piece {
			used += paint.Width(span.Text)
		}
	}
	s.many(len(rows), func(r *paint.Row, i int) {
		if i == 0 {
			r.Put(s.pal.Muted, label)
		}
		r.To(labelWidth)
		last := len(rows[i]) - 1
		for n, span := range rows[i] {
			if n == last {
				span.Text = strings.TrimRight(span.Text, " ")
			}
			r.Put(span.Style, span.Text)
		}
	})
}
