package tasks

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/requests"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/result"
)

// detail is the selected task in full; its outcome can have the focus.
type detail struct {
	p *Pane
	t *requests.Task
}

// outcome returns the pane of the outcome, or nil before the end.
func (d detail) outcome() *result.View {
	if !d.t.Over {
		return nil
	}
	o := d.p.results[keyOf(d.t)]
	if o == nil || !o.ended.Equal(d.t.Ended) {
		row := rowOf(d.t)
		o = &outcome{result.New(d.p.app, "tools/call", d.t.Response, d.t.Err, func() int32 { return row }), d.t.Ended}
		d.p.results[keyOf(d.t)] = o
	}
	return o.View
}

// result returns the result of the selected task, or nil.
func (p *Pane) result() *result.View {
	if t, ok := p.Selected(); ok {
		return detail{p, t}.outcome()
	}
	return nil
}

// Commands implements [app.Pane].
func (d detail) Commands() []keys.Command {
	if v := d.outcome(); v != nil {
		return v.Commands()
	}
	return nil
}

// Motion implements [app.Pane].
func (d detail) Motion(m keys.Motion) bool {
	v := d.outcome()
	return v != nil && v.Motion(m)
}

// Refresh implements [app.Pane].
func (d detail) Refresh(t app.Tick) bool {
	v := d.outcome()
	return v != nil && v.Refresh(t)
}

// Paint implements [app.Pane]: the facts, the keys, the history and the outcome.
func (d detail) Paint(c *app.Canvas, focused bool) {
	t, pal := d.t, c.Pal
	name := paint.If(focused || isRunning(t), pal.TextBold, pal.Text)
	s := doc.On(c.Box(
		[]paint.Span{{Style: name, Text: pal.Label(nameOf(t), max((c.W-2)/2, 8))}},
		[]paint.Span{{Style: stateStyle(pal, t), Text: display.Sanitize(pal.Cut(stateOf(t), (c.W-2)/3))}}, focused))
	if !d.p.Inside() {
		d.facts(s)
		s.Gap()
		s.Keys(1, d.keys()...)
		s.Gap()
		d.history(s)
	}
	if v := d.outcome(); v != nil {
		s.Rule(d.title(pal, v)...).Give(1, 0)
		s.Rest(4, func(c *app.Canvas) {
			v.Focus = d.p.Enter
			v.Paint(c, focused)
		})
	}
	s.Paint()
}

func (d detail) facts(s *doc.Doc) {
	t, pal := d.t, s.Pal
	status := paint.Span{Style: stateStyle(pal, t), Text: stateOf(t) + "   "}
	if isRunning(t) {
		status.Text = d.p.tick.Waits(pal) + " " + status.Text
	}
	s.Fact("status", status, paint.Span{Style: pal.Text, Text: t.Message})
	if t.HasTotal && t.Total > 0 && isRunning(t) {
		part := min(max(t.Progress/t.Total, 0), 1)
		s.FactRow("progress", func(r *paint.Row) {
			n := min(max(r.Left()*2/5, 8), r.Left())
			r.Painted(paint.Bar(pal, n, part), n)
		}, paint.Span{Style: pal.TextBold, Text: fmt.Sprintf("  %d%%", int(part*100))}, paint.Span{Style: pal.Muted, Text: "  " + progress(t) + "  " + t.ProgressMessage})
	}
	s.Fact("id", paint.Span{Style: pal.Text, Text: t.ID})
	if !t.Call.Present() {
		s.Fact("call", paint.Span{Style: pal.Muted, Text: "created by another client"})
	} else {
		number := ""
		if t.Row >= 0 {
			number = fmt.Sprintf("   frame #%d", t.Row+1)
		}
		s.Fact("call", paint.Span{Style: pal.Text, Text: t.Call.String() + "  " + t.Tool}, paint.Span{Style: pal.Muted, Text: number})
	}
	if isRunning(t) {
		s.Fact("time", paint.Span{Style: pal.Text, Text: d.p.took(t)}, d.ttl(pal))
		s.Fact("updates", paint.Span{Style: pal.Muted, Text: d.updates(s)})
		return
	}
	s.Fact("time", paint.Span{Style: pal.Text, Text: "took " + d.p.took(t)}, d.ttl(pal))
}

// ttl returns how long the server keeps the task.
func (d detail) ttl(pal *paint.Palette) paint.Span {
	t, now := d.t, d.p.tick.Now
	switch at := t.Expires(); {
	case t.TTL == client.Forever:
		return paint.Span{Style: pal.Muted, Text: "   no ttl: kept without limit"}
	case at.IsZero():
		return paint.Span{Style: pal.Muted, Text: "   ttl unknown"}
	case !now.Before(at):
		return paint.Span{Style: pal.Warn, Text: "   expired: ttl " + short(t.TTL)}
	default:
		st := paint.If(at.Sub(now) < time.Minute && isRunning(t), pal.Warn, pal.Muted)
		return paint.Span{Style: st, Text: "   ttl " + short(t.TTL) + ", " + phrase.Countdown(at.Sub(now)) + " left"}
	}
}

// short leaves out seconds that are zero.
func short(d time.Duration) string {
	text := phrase.Took(d)
	if before, ok := strings.CutSuffix(text, "m00s"); ok {
		return before + "m"
	}
	return text
}

// updates describes how changes of the status are noticed.
func (d detail) updates(s *doc.Doc) string {
	t, text := d.t, ""
	switch {
	case t.PollInterval == 0:
		text = "not polled; " + s.Names.Name("refresh") + " requests the status"
	case t.Notified:
		text = "notifications; polled every " + short(t.PollInterval)
	default:
		text = "polled every " + short(t.PollInterval)
	}
	if ago := d.p.tick.Now.Sub(t.LastUpdate); !t.LastUpdate.IsZero() && ago > 5*time.Second {
		text += ", last update " + phrase.Took(ago) + " ago"
	}
	return text
}

// keys returns the commands that act on the task.
func (d detail) keys() []doc.Key {
	list := make([]doc.Key, 0, 5)
	if t := d.t; t.Waiting > 0 || t.Over || t.Status.Final() {
		list = append(list, doc.Key{ID: "task.open", Label: opening(t)})
	}
	if isRunning(d.t) {
		list = append(list, doc.Key{ID: "cancel.task", Label: "cancel"})
	}
	return append(list, doc.Key{ID: "refresh", Label: "refresh"}, doc.Key{ID: "frame", Label: "frame"}, doc.Key{ID: "copy", Label: "copy id"})
}

// history adds the newest events of the task. It is shortened before the outcome.
func (d detail) history(s *doc.Doc) {
	events := d.t.History
	s.Add(len(events)+1, func(n int) {
		if n < 2 {
			return
		}
		earlier := max(len(events)-(n-1), 0)
		s.Line(func(r *paint.Row) {
			title := paint.Spans{{Style: s.Pal.TextBold, Text: "history"}}
			title.If(earlier > 0, s.Pal.Muted, fmt.Sprintf("  %d earlier", earlier))
			r.Gap(1)
			w := r.Left() - 1
			r.Painted(paint.Rule(s.Pal, w, title...), w)
		})
		for i := earlier; i < len(events); i++ {
			d.event(s, &events[i])
		}
	}).Give(2, 0)
}

func (d detail) event(s *doc.Doc, e *requests.Event) {
	s.Line(func(r *paint.Row) {
		r.Gap(1)
		if s.W >= 60 {
			r.Right(paint.Span{Style: s.Pal.Muted, Text: e.By.String() + " "})
			r.Put(s.Pal.Muted, phrase.Clock(e.At)+"  ")
		}
		r.CellRight(s.Pal.Muted, "+"+phrase.Took(max(e.At.Sub(d.t.FirstSeen), 0)), 12)
		r.Gap(2)
		switch {
		case e.Fault:
			r.Put(s.Pal.Error, s.Pal.FailMark+" ")
			r.Put(s.Pal.Error, e.Text)
		case e.Status == "":
			r.Put(s.Pal.Muted, e.Text)
		default:
			r.Cell(statusStyle(s.Pal, e.Status), string(e.Status), 14)
			r.Gap(2)
			r.Put(s.Pal.Text, e.Text)
		}
	})
}

// title names the outcome.
func (d detail) title(pal *paint.Palette, v *result.View) []paint.Span {
	title := []paint.Span{{Style: pal.TextBold, Text: "result"}, {Text: "  "}, ending(pal, d.t)}
	if n := len(d.t.Response.Frame); n > 0 {
		title = append(title, paint.Span{Style: pal.Muted, Text: "  " + phrase.Size(int64(n))})
	}
	if top := v.Top(); top != nil && top.Raw() {
		title = append(title, paint.Span{Style: pal.Muted, Text: "  raw"})
	}
	return title
}

// ending describes how the call of a task ended.
func ending(pal *paint.Palette, t *requests.Task) paint.Span {
	switch {
	case errors.Is(t.Err, client.ErrTaskCancelled):
		return paint.Span{Style: pal.Warn, Text: "cancelled"}
	case t.Err != nil:
		return paint.Span{Style: pal.Error, Text: "no response"}
	case t.Response.Envelope.Kind == jsonrpc.ErrorResponse:
		return paint.Span{Style: pal.Error, Text: t.Response.Envelope.ErrorCode().Phrase()}
	case t.ToolError:
		return paint.Span{Style: pal.Warn, Text: "tool error"}
	}
	return paint.Span{Style: pal.OK, Text: "ok"}
}
