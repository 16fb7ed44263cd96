package tasks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/requests"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// detail paints the selected task into the inside of its box.
func (p *Pane) detail(pal *paint.Palette, js paint.JSONStyles, at masterdetail.Rect, focused bool) masterdetail.Box {
	t := p.selected()
	name := pal.Text
	if focused || isRunning(t) {
		name = pal.TextBold
	}
	s := paint.NewSheet(pal, at.W, at.H)
	s.Margin = 9
	if p.inResult() && t.Over {
		p.paintResult(&s, js, t, focused)
	} else {
		p.paintTask(&s, js, t)
	}
	return masterdetail.Box{
		Title: []paint.Span{{Style: name, Text: pal.Label(nameOf(t), max(at.W/2, 8))}},
		Note:  []paint.Span{{Style: stateStyle(pal, t), Text: paint.Sanitize(pal.Cut(stateOf(t), at.W/3))}},
		Rows:  s.Rows,
	}
}

// paintTask stacks the facts, the keys, the history and the outcome. In a low pane
// the history is shortened first.
func (p *Pane) paintTask(s *paint.Sheet, js paint.JSONStyles, t *requests.Task) {
	gaps := s.H >= 16
	p.facts(s, t)
	if gaps {
		s.Blank()
	}
	s.Hints(1, p.hints(t)...)
	if gaps {
		s.Blank()
	}
	room := s.Left()
	if t.Over {
		// The outcome gets the rest, at least half of it.
		room = min(len(t.History)+1, max(s.Left()/2, 3))
		if s.Left() < 7 {
			room = 0
		}
	}
	p.history(s, t, room)
	if t.Over && s.Left() > 1 {
		p.paintResult(s, js, t, false)
	}
}

func (p *Pane) facts(s *paint.Sheet, t *requests.Task) {
	pal := s.Pal
	s.Fact("status", func(r *paint.Row) {
		if isRunning(t) {
			r.Put(stateStyle(pal, t), paint.Spinner(pal, p.spin)+" ")
		}
		r.Put(stateStyle(pal, t), stateOf(t))
		r.Gap(3)
		r.Put(pal.Text, t.Message)
	})
	if t.HasTotal && t.Total > 0 && isRunning(t) {
		s.Fact("progress", func(r *paint.Row) {
			part := min(max(t.Progress/t.Total, 0), 1)
			n := min(max(r.Left()*2/5, 8), r.Left())
			r.Painted(paint.Bar(pal, n, part), n)
			r.Put(pal.TextBold, fmt.Sprintf("  %d%%", int(part*100)))
			r.Put(pal.Muted, "  "+paint.HumanNumber(t.Progress)+"/"+paint.HumanNumber(t.Total))
			r.Gap(2)
			r.Put(pal.Muted, t.ProgressMessage)
		})
	}
	s.Fact("id", func(r *paint.Row) { r.Put(pal.Text, t.ID) })
	s.Fact("call", func(r *paint.Row) {
		if t.Call == "" {
			r.Put(pal.Muted, "created by another client")
			return
		}
		r.Put(pal.Text, string(t.Call))
		r.Gap(2)
		r.Put(pal.Text, t.Tool)
		if t.Row >= 0 {
			r.Put(pal.Muted, fmt.Sprintf("   frame #%d", t.Row+1))
		}
	})
	s.Fact("time", func(r *paint.Row) { p.times(r, pal, t) })
	if isRunning(t) {
		s.Fact("updates", func(r *paint.Row) { p.updates(r, pal, t) })
	}
}

// times writes the duration of the task and for how long the server keeps it.
func (p *Pane) times(r *paint.Row, pal *paint.Palette, t *requests.Task) {
	if isRunning(t) {
		r.Put(pal.Text, paint.HumanDuration(max(p.now.Sub(t.FirstSeen), 0)))
	} else {
		r.Put(pal.Text, "took "+paint.HumanDuration(max(t.Ended.Sub(t.FirstSeen), 0)))
	}
	switch at := t.Expires(); {
	case t.TTL == client.Forever:
		r.Put(pal.Muted, "   no ttl: kept without limit")
	case at.IsZero():
		r.Put(pal.Muted, "   ttl unknown")
	case !p.now.Before(at):
		r.Put(pal.Warn, "   expired: ttl "+short(t.TTL))
	default:
		st := pal.Muted
		if at.Sub(p.now) < time.Minute && isRunning(t) {
			st = pal.Warn
		}
		r.Put(st, "   ttl "+short(t.TTL)+", "+paint.HumanCountdown(at.Sub(p.now))+" left")
	}
}

// short leaves out seconds that are zero.
func short(d time.Duration) string {
	text := paint.HumanDuration(d)
	if before, ok := strings.CutSuffix(text, "m00s"); ok {
		return before + "m"
	}
	return text
}

// updates writes how changes of the status are noticed.
func (p *Pane) updates(r *paint.Row, pal *paint.Palette, t *requests.Task) {
	switch {
	case t.PollInterval == 0:
		r.Put(pal.Muted, "not polled; "+command.KeyOf(command.RefreshTask)+" requests the status")
	case t.Notified:
		r.Put(pal.Muted, "notifications; polled every "+short(t.PollInterval))
	default:
		r.Put(pal.Muted, "polled every "+short(t.PollInterval))
	}
	if ago := p.now.Sub(t.LastUpdate); !t.LastUpdate.IsZero() && ago > 5*time.Second {
		r.Put(pal.Muted, ", last update "+paint.HumanDuration(ago)+" ago")
	}
}

// hints are the keys that work on the task.
func (p *Pane) hints(t *requests.Task) []paint.Hint {
	var hints []paint.Hint
	add := func(id command.ID, label string) {
		hints = append(hints, paint.Hint{Key: command.KeyIn(command.Tasks, id, false), Label: label})
	}
	switch {
	case t.Waiting > 0:
		add(command.OpenTask, "respond in the inbox")
	case t.Over:
		add(command.OpenTask, "result")
	case t.Status.Final():
		add(command.OpenTask, "request the result")
	}
	if isRunning(t) {
		add(command.CancelTask, "cancel")
	}
	add(command.RefreshTask, "refresh")
	add(command.ShowTaskFrame, "frame")
	add(command.CopyTaskID, "copy id")
	return hints
}

// history writes the newest events of the task that fit into n rows.
func (p *Pane) history(s *paint.Sheet, t *requests.Task, n int) {
	n = min(n, s.Left())
	if n < 2 {
		return
	}
	earlier := max(len(t.History)-(n-1), 0)
	title := []paint.Span{{Style: s.Pal.TextBold, Text: "history"}}
	if earlier > 0 {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: fmt.Sprintf("  %d earlier", earlier)})
	}
	s.Rule(title...)
	for i := earlier; i < len(t.History); i++ {
		event(s, t, &t.History[i])
	}
}

func event(s *paint.Sheet, t *requests.Task, e *requests.Event) {
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
			r.Put(s.Pal.Error, e.Text)
			return
		case e.Status == "":
			r.Put(s.Pal.Muted, e.Text)
			return
		}
		r.Cell(statusStyle(s.Pal, e.Status), string(e.Status), 14)
		r.Gap(2)
		r.Put(s.Pal.Text, e.Text)
	})
}

// paintResult writes the outcome into the rest of the sheet.
func (p *Pane) paintResult(s *paint.Sheet, js paint.JSONStyles, t *requests.Task, focused bool) {
	v := p.top(t)
	title := []paint.Span{{Style: s.Pal.TextBold, Text: "result"}, {Style: s.Pal.Muted, Text: "  "}, p.results[keyOf(t)].kind(s.Pal)}
	if n := len(t.Response.Frame); n > 0 {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  " + paint.HumanSize(int64(n))})
	}
	if v != nil && v.Raw() {
		title = append(title, paint.Span{Style: s.Pal.Muted, Text: "  raw"})
	}
	if name, wait := p.results[keyOf(t)].over.Title(p.now); name != "" {
		title = []paint.Span{{Style: s.Pal.Value, Text: paint.Cut(paint.Sanitize(name), max(s.W-20, 8))}, {Style: s.Pal.AccentBold, Text: "  " + command.KeyOf(command.Back)}, {Style: s.Pal.Muted, Text: " result"}}
		if wait > 0 {
			s.Rule(title...)
			s.Line(func(r *paint.Row) {
				r.Put(s.Pal.Warn, paint.Spinner(s.Pal, p.spin)+" ")
				r.Put(s.Pal.Muted, paint.HumanDuration(wait))
			})
			return
		}
	}
	s.Rule(title...)
	if v == nil {
		s.Line(func(r *paint.Row) { r.Put(s.Pal.Muted, paint.Spinner(s.Pal, p.spin)+" decoding") })
		return
	}
	x, w, h := 1, max(s.W-2, 1), s.Left()
	if v.Raw() {
		x, w = 0, s.W // a tree has a margin of its own
	}
	if h <= 0 {
		return
	}
	at := p.view.Detail()
	p.resultArea = masterdetail.Rect{X: at.X + x, Y: at.Y + len(s.Rows), W: w, H: h}
	for _, row := range v.Rows(s.Pal, js, w, h, focused) {
		s.R.Start(s.W, paint.Style{})
		s.R.Gap(x)
		s.R.Painted(row, w)
		s.Rows = append(s.Rows, s.R.String())
	}
}

// ending is how the call of a task ended.
type ending uint8

const (
	endedOK ending = iota
	endedCancelled
	endedNoResponse // without a response
	endedError      // with an error response
	endedToolError
)

func endingOf(t *requests.Task) ending {
	switch {
	case errors.Is(t.Err, client.ErrTaskCancelled):
		return endedCancelled
	case t.Err != nil:
		return endedNoResponse
	case t.Response.Envelope.Kind == jsonrpc.ErrorResponse:
		return endedError
	case t.ToolError:
		return endedToolError
	}
	return endedOK
}

// kind names the outcome of the call.
func (o *result) kind(pal *paint.Palette) paint.Span {
	switch o.ending {
	case endedCancelled:
		return paint.Span{Style: pal.Warn, Text: "cancelled"}
	case endedNoResponse:
		return paint.Span{Style: pal.Error, Text: "no response"}
	case endedError:
		return paint.Span{Style: pal.Error, Text: fmt.Sprintf("error %d", o.code)}
	case endedToolError:
		return paint.Span{Style: pal.Warn, Text: "tool error"}
	}
	return paint.Span{Style: pal.OK, Text: "ok"}
}
