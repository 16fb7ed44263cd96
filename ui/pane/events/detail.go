package events

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/events"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// detail is the selected event type in full: its arguments, and the events of a subscription.
type detail struct {
	p *Pane
	k *kind
}

// Commands implements [app.Pane].
func (d detail) Commands() []keys.Command { return d.p.Inner.Commands }

// Motion implements [app.Pane].
func (d detail) Motion(m keys.Motion) bool {
	switch {
	case m == keys.Next && d.k.inArguments && len(d.k.subs) > 0:
		d.k.inArguments = false
		return true
	case m == keys.Previous && !d.k.inArguments && d.k.Len() > 0:
		d.p.toArguments(d.k)
		return true
	case d.k.inArguments:
		return false
	}
	return keys.Scroll(&d.k.log.list, m)
}

// Refresh implements [app.Pane].
func (d detail) Refresh(app.Tick) bool { return false }

// Paint implements [app.Pane].
func (d detail) Paint(c *app.Canvas, focused bool) {
	k, pal := d.k, c.Pal
	if len(k.subs) == 0 {
		k.inArguments = true
	}
	modes := strings.Join(k.Delivery, "  ")
	s := doc.On(c.Box([]paint.Span{{Style: paint.If(focused, pal.TextBold, pal.Text), Text: pal.Label(k.Name, max((c.W-2)/2, 8))}},
		[]paint.Span{{Style: pal.Muted, Text: pal.Label(modes, (c.W-2)/3)}}, focused))
	if k.Description != "" {
		s.Text(pal.Text, k.Description, 3).Give(5, 1)
		s.Gap()
	}
	d.arguments(s, focused && k.inArguments)
	if sub := d.p.shown(k); sub != nil {
		s.Rule(d.title(pal, sub)...)
		d.facts(s, sub)
		s.List(&k.log.list, func() { d.p.frame(k) })
	} else if why := d.p.cannotListen(k); why != "" {
		s.Gap()
		s.Text(pal.Muted, why, 3)
	} else {
		s.Gap()
		s.Keys(1, doc.Key{ID: "event.listen", Label: "listen by " + k.Mode()})
		if k.Offers(revision.DeliveryWebhook) {
			s.Keys(1, doc.Key{ID: "event.webhook", Label: "receive by webhook"})
		}
	}
	s.Paint()
}

// arguments adds the form.
func (d detail) arguments(s *doc.Doc, focused bool) {
	k := d.k
	if k.Len() == 0 {
		if len(k.subs) == 0 {
			s.Text(s.Pal.Muted, "No arguments.", 1)
		}
		return
	}
	most := max(s.H/2, 3)
	s.Add(min(k.Height(s.Pal, s.W), most), func(h int) {
		if h <= 0 {
			return
		}
		top := s.Next()
		s.Rows(k.Rows(s.Pal, s.W, h, focused)...)
		s.Click(0, top, s.W, h, func(x, y int) {
			d.p.toArguments(k)
			k.Click(x, y)
		})
		if x, y, ok := k.Cursor(); focused && ok && y < h {
			s.Field(field{k}, x, top+y)
		} else if focused {
			s.Canvas.Keys(field{k})
		}
	}).Give(3, 1)
}

// title returns the title above the events.
func (d detail) title(pal *paint.Palette, s *events.State) []paint.Span {
	spans := []paint.Span{{Style: d.p.phaseStyle(pal, s), Text: d.p.phaseMark(pal, s) + " " + s.Phase.String()}, {Style: pal.Muted, Text: " by " + s.Mode}}
	if !s.Since.IsZero() {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " since " + s.Since.Format(time.TimeOnly)})
	}
	spans = append(spans, paint.Span{Style: pal.Text, Text: "  " + phrase.Count(s.Events, "event")})
	for _, n := range []struct {
		n    int
		word string
	}{{s.Gaps, "gap"}, {s.Failures, "error"}, {s.Repeated, "repetition"}} {
		if n.n > 0 {
			spans = append(spans, paint.Span{Style: pal.Warn, Text: "  " + phrase.Count(n.n, n.word)})
		}
	}
	if len(d.k.subs) > 1 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "  one of " + phrase.Count(len(d.k.subs), "subscription")})
	}
	return spans
}

// facts adds the row with the position of a subscription.
func (d detail) facts(doc *doc.Doc, s *events.State) {
	pal := doc.Pal
	spans := []paint.Span{}
	add := func(st paint.Style, text string) {
		if len(spans) > 0 {
			text = "   " + text
		}
		spans = append(spans, paint.Span{Style: st, Text: text})
	}
	switch {
	case s.Cursor.Set:
		add(pal.Muted, "cursor "+display.Sanitize(display.Head(s.Cursor.Text, maxID)))
	case s.NoReplay:
		add(pal.Muted, "no cursor: the server cannot replay")
	}
	if n := d.p.troublesOf(s); n > 0 {
		add(pal.Warn, phrase.Digits(n)+" refused or doubtful")
	}
	if plan := d.p.planOf(s); plan != "" {
		add(pal.Warn, "answers "+display.Head(plan, maxID)+" on purpose")
	}
	switch {
	case s.Phase == events.Live && isPush(s) && !s.Heartbeat.IsZero():
		add(pal.Muted, "last heartbeat "+ago(d.p.tick.Now.Sub(s.Heartbeat)))
	case s.Phase == events.Live && isPush(s) && d.p.silence(s) >= time.Second:
		add(pal.Muted, "silent for "+phrase.Took(d.p.silence(s).Truncate(time.Second)))
	case s.Phase != events.Ended && !s.Next.IsZero():
		add(pal.Muted, paint.If(s.Mode == revision.DeliveryWebhook, "renewed in ", "next in ")+phrase.Countdown(max(0, s.Next.Sub(d.p.tick.Now))))
	}
	if ids := s.Delivered.MessageIDs(); ids != "" {
		add(pal.Muted, "webhook-id: "+ids)
	}
	if args := strings.TrimSpace(string(s.Arguments)); args != "" && args != "{}" {
		add(pal.Muted, "with "+display.Sanitize(display.Head(args, 200)))
	}
	if s.URL != "" {
		add(pal.Muted, "at "+display.Sanitize(display.Head(s.URL, 200)))
	}
	if len(spans) > 0 {
		doc.Row(spans...) // shown nowhere else
	}
}

// ago describes how long ago something happened, to the second.
func ago(d time.Duration) string {
	if d < time.Second {
		return "just now"
	}
	return phrase.Took(d.Truncate(time.Second)) + " ago"
}

// field is the form as a field of the screen.
type field struct{ *kind }

// Key implements [app.Field].
func (f field) Key(k tea.KeyPressMsg) bool { return f.Form.Key(k) }

// Paste implements [app.Field].
func (f field) Paste(text string) { f.Form.Paste(text) }

// Takes implements [app.Taker].
func (f field) Takes(key string) bool { return f.Form.Takes(key) }
