package tasks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/tasks"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// sheet is the inside of a box while it is painted.
type sheet struct{ paint.Sheet }

// fact writes a word in the margin and what there is to say.
func (s *sheet) fact(label string, write func(r *paint.Row)) {
	s.Line(func(r *paint.Row) {
		r.Cell(s.Pal.Muted, label, 9)
		write(r)
	})
}

// rule writes a line across with a title in it.
func (s *sheet) rule(title ...paint.Span) {
	s.Line(func(r *paint.Row) { r.Painted(paint.Rule(s.Pal, r.Left()-1, title...), r.Left()-1) })
}

// itemBox paints the selected task with its corner at x and y.
func (p *Pane) itemBox(pal *paint.Palette, js paint.JSONStyles, t *tasks.Task, x, y, w, h int, focused bool) []string {
	p.area.item = rect{x + 1, y + 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused || runs(t) {
		st = pal.TextBold
	}
	title := []paint.Span{{Style: st, Text: pal.Label(nameOf(t), max(w/2, 8))}}
	note := []paint.Span{{Style: style(pal, t), Text: paint.Sanitize(pal.Cut(word(t), w/3))}}
	s := &sheet{paint.NewSheet(pal, w-2, h-2)}
	switch {
	case p.part == inResult && t.Over:
		p.result(s, js, t, focused)
	default:
		p.whole(s, js, t)
	}
	return paint.Box(pal, w, h, focused, title, note, s.Rows)
}

// whole stacks what is known of a task, the keys, its history and its outcome.
// When it gets tight, the history gives way first.
func (p *Pane) whole(s *sheet, js paint.JSONStyles, t *tasks.Task) {
	gaps := s.H >= 16
	p.facts(s, t)
	if gaps {
		s.Blank()
	}
	p.hints(s, t)
	if gaps {
		s.Blank()
	}
	room := s.Left()
	if t.Over {
		// The outcome gets what is left, at least half of it.
		room = min(len(t.History)+1, max(s.Left()/2, 3))
		if s.Left() < 7 {
			room = 0
		}
	}
	p.history(s, t, room)
	if t.Over && s.Left() > 1 {
		p.result(s, js, t, false)
	}
}

// facts say how the task stands.
func (p *Pane) facts(s *sheet, t *tasks.Task) {
	pal := s.Pal
	s.fact("status", func(r *paint.Row) {
		if runs(t) {
			r.Put(style(pal, t), paint.Spinner(pal, p.spin)+" ")
		}
		r.Foreign(style(pal, t), word(t))
		r.Gap(3)
		r.Foreign(pal.Text, t.Message)
	})
	if t.HasTotal && t.Total > 0 && runs(t) {
		s.fact("progress", func(r *paint.Row) {
			part := min(max(t.Progress/t.Total, 0), 1)
			n := min(max(r.Left()*2/5, 8), r.Left())
			r.Painted(paint.Bar(pal, n, part), n)
			r.Put(pal.TextBold, fmt.Sprintf("  %d%%", int(part*100)))
			r.Put(pal.Muted, "  "+number(t.Progress)+"/"+number(t.Total))
			r.Gap(2)
			r.Foreign(pal.Muted, t.ProgressMessage)
		})
	}
	s.fact("id", func(r *paint.Row) { r.Foreign(pal.Text, t.ID) })
	s.fact("call", func(r *paint.Row) {
		if t.Call == "" {
			r.Put(pal.Muted, "not of mcptea, as far as it knows")
			return
		}
		r.Foreign(pal.Text, string(t.Call))
		r.Gap(2)
		r.Foreign(pal.Text, t.Tool)
		if t.Row >= 0 {
			r.Put(pal.Muted, fmt.Sprintf("   frame %d", t.Row+1))
		}
	})
	s.fact("age", func(r *paint.Row) { p.ages(r, pal, t) })
	if runs(t) {
		s.fact("news", func(r *paint.Row) { p.learning(r, pal, t) })
	}
}

// ages say how old the task is, and how long it will be there.
func (p *Pane) ages(r *paint.Row, pal *paint.Palette, t *tasks.Task) {
	if runs(t) {
		r.Put(pal.Text, paint.HumanDuration(max(p.now.Sub(t.FirstSeen), 0)))
	} else {
		r.Put(pal.Text, "took "+paint.HumanDuration(max(t.Ended.Sub(t.FirstSeen), 0)))
	}
	switch at := t.Expires(); {
	case t.TTL == client.Forever:
		r.Put(pal.Muted, "   kept without a limit")
	case at.IsZero():
		r.Put(pal.Muted, "   the server does not say how long it keeps it")
	case !p.now.Before(at):
		r.Put(pal.Warn, "   expired: the server was to keep it for "+about(t.TTL))
	default:
		st := pal.Muted
		if at.Sub(p.now) < time.Minute && runs(t) {
			st = pal.Warn
		}
		r.Put(st, "   kept for "+about(t.TTL)+", "+clock(at.Sub(p.now))+" left")
	}
}

// about writes a length without the seconds that it has not.
func about(d time.Duration) string { return strings.TrimSuffix(paint.HumanDuration(d), "00s") }

// learning says how mcptea learns of changes.
func (p *Pane) learning(r *paint.Row, pal *paint.Palette, t *tasks.Task) {
	switch {
	case t.PollInterval == 0:
		r.Put(pal.Muted, "nobody asks for it; "+keyLook+" does")
	case t.Notified:
		r.Put(pal.Muted, "the server tells; asked every "+about(t.PollInterval))
	default:
		r.Put(pal.Muted, "asked every "+about(t.PollInterval))
	}
	if ago := p.now.Sub(t.LastUpdate); !t.LastUpdate.IsZero() && ago > 5*time.Second {
		r.Put(pal.Muted, ", last "+paint.HumanDuration(ago)+" ago")
	}
}

// The keys, as they are written in sentences.
var (
	keyLook = command.KeyOf(command.RefreshTask)
	keyList = command.KeyOf(command.ListTasks)
)

func hint(r *paint.Row, pal *paint.Palette, focused bool, key, label string) {
	if r.Left() < paint.Width(key)+paint.Width(label)+2 {
		return
	}
	st := pal.AccentBold
	if !focused {
		st = pal.Muted
	}
	r.Put(st, key)
	r.Put(pal.Muted, " "+label)
	r.Gap(min(3, r.Left()))
}

// hints name the keys that work on the task.
func (p *Pane) hints(s *sheet, t *tasks.Task) {
	s.Line(func(r *paint.Row) {
		open := command.KeyOf(command.OpenTask)
		switch {
		case t.Waiting > 0:
			hint(r, s.Pal, true, open, "answers it in the inbox")
		case t.Over:
			hint(r, s.Pal, true, open, "result")
		case t.Status.Final():
			hint(r, s.Pal, true, open, "fetch the result")
		}
		if runs(t) {
			hint(r, s.Pal, true, command.KeyOf(command.CancelTask), "cancel")
		}
		hint(r, s.Pal, true, keyLook, "ask again")
		hint(r, s.Pal, true, command.KeyOf(command.ShowTaskFrame), "frame")
		hint(r, s.Pal, true, command.KeyOf(command.CopyTaskID), "copy id")
	})
}

// history writes what became of the task, the newest events that fit into n
// rows.
func (p *Pane) history(s *sheet, t *tasks.Task, n int) {
	n = min(n, s.Left())
	if n < 2 {
		return
	}
	events := t.History
	earlier := max(len(events)-(n-1), 0)
	title := []paint.Span{{Style: s.Pal.TextBold, Text: "history"}}
	if earlier > 0 {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: fmt.Sprintf("  %d earlier", earlier)})
	}
	s.rule(title...)
	for i := earlier; i < len(events); i++ {
		p.event(s, t, &events[i])
	}
}

func (p *Pane) event(s *sheet, t *tasks.Task, e *tasks.Event) {
	s.Line(func(r *paint.Row) {
		if s.W >= 60 {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: e.By.String() + " "})
			r.Put(s.Pal.Muted, paint.HumanClock(e.At)+"  ")
		}
		r.CellRight(s.Pal.Muted, "+"+paint.HumanDuration(max(e.At.Sub(t.FirstSeen), 0)), 12)
		r.Gap(2)
		switch {
		case e.Fault:
			r.Put(s.Pal.Error, s.Pal.FailMark+" ")
			r.Foreign(s.Pal.Error, e.Text)
			return
		case e.Status == "":
			r.Foreign(s.Pal.Muted, e.Text)
			return
		}
		r.ForeignCell(statusStyle(s.Pal, e.Status), string(e.Status), 14)
		r.Gap(2)
		r.Foreign(s.Pal.Text, e.Text)
	})
}

// result shows the outcome, as that of any call, in what room is left.
func (p *Pane) result(s *sheet, js paint.JSONStyles, t *tasks.Task, focused bool) {
	v := p.outcome(t)
	title := []paint.Span{{Style: s.Pal.TextBold, Text: "result"}, {Style: s.Pal.Muted, Text: "  "}, p.views[keyOf(t)].word(s.Pal)}
	if n := len(t.Response.Frame); n > 0 {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  " + paint.HumanSize(int64(n))})
	}
	if v != nil && v.Raw() {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  as sent"})
	}
	s.rule(title...)
	if v == nil {
		s.Line(func(r *paint.Row) { r.Put(s.Pal.Muted, paint.Spinner(s.Pal, p.spin)+" reading") })
		return
	}
	x, w, h := 1, max(s.W-2, 1), s.Left()
	if v.Raw() {
		x, w = 0, s.W // a tree has a margin of its own
	}
	if h <= 0 {
		return
	}
	p.area.result = rect{p.area.item.x + x, p.area.item.y + len(s.Rows), w, h}
	for _, row := range v.Rows(s.Pal, js, w, h, focused) {
		s.R.Start(s.W, paint.Style{})
		s.R.Gap(x)
		s.R.Painted(row, w)
		s.Rows = append(s.Rows, s.R.String())
	}
}

// ending is how the call behind a task ended.
type ending uint8

const (
	endedOK ending = iota
	endedCancelled
	endedWithout // without a response
	endedError   // with an error response
	endedToolError
)

func endingOf(t *tasks.Task) ending {
	switch {
	case errors.Is(t.Err, client.ErrTaskCancelled):
		return endedCancelled
	case t.Err != nil:
		return endedWithout
	case t.Response.Envelope.Kind == jsonrpc.ErrorResponse:
		return endedError
	}
	if failed, _ := jsonrpc.Member(t.Response.Result(), "isError"); string(failed) == "true" {
		return endedToolError
	}
	return endedOK
}

// word is how the call behind a task ended.
func (v *view) word(pal *paint.Palette) paint.Span {
	switch v.ending {
	case endedCancelled:
		return paint.Span{Style: pal.Warn, Text: "cancelled"}
	case endedWithout:
		return paint.Span{Style: pal.Error, Text: "none"}
	case endedError:
		return paint.Span{Style: pal.Error, Text: fmt.Sprintf("error %d", v.code)}
	case endedToolError:
		return paint.Span{Style: pal.Warn, Text: "tool error"}
	}
	return paint.Span{Style: pal.OK, Text: "ok"}
}
