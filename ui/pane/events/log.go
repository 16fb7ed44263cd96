package events

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint/occurrence"
	"mcptea/session/events"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A log lists the entries of a subscription, oldest first, as many as the tracker keeps.
type log struct {
	of      int // number of the subscription
	entries []events.Entry
	list    widget.Rows[*events.Entry, int] // entries by number
	judged  map[int]verdict
}

// A verdict is the result of checking an event.
type verdict struct {
	faults  []occurrence.Fault
	checked bool
}

// maxJudged is the number of verdicts kept. Those of visible entries are computed again.
const maxJudged = 500

// newKind makes the row of an event type.
func (p *Pane) newKind(t events.Type) *kind {
	k := &kind{Type: t}
	l := &k.log
	l.list.Init(func() int { return len(l.entries) }, func(i int) *events.Entry { return &l.entries[i] }, func(e *events.Entry) int { return e.Number },
		widget.Column[*events.Entry]{Width: maxID, Cell: func(e *events.Entry, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: phrase.Clock(e.Time)}}
		}},
		widget.Column[*events.Entry]{Width: maxID, Cell: happening},
		widget.Column[*events.Entry]{Cell: dataOf},
		widget.Column[*events.Entry]{Right: true, Cell: func(e *events.Entry, pal *paint.Palette) []paint.Span { return p.verdictOf(k, e, pal) }},
	)
	return k
}

// read reads the new entries of the visible subscription.
func (p *Pane) read(k *kind) {
	s := p.shown(k)
	l := &k.log
	if s == nil {
		l.entries = nil
		return
	}
	if l.of != s.Number {
		l.of, l.entries, l.judged = s.Number, nil, map[int]verdict{}
		l.list.Pin(false)
	}
	from := 1
	if n := len(l.entries); n > 0 {
		from = l.entries[n-1].Number + 1
	}
	follows := l.follows()
	if s.Entries >= from {
		l.entries = append(l.entries, p.s.Events().Entries(s.Number, from, 0)...)
	}
	gone := 0
	for gone < len(l.entries) && l.entries[gone].Number <= s.Dropped {
		gone++
	}
	l.entries = l.entries[gone:]
	if l.list.Refresh(); follows {
		l.list.End()
		l.list.Pin(false)
	}
}

// follows reports whether the newest entry is selected.
func (l *log) follows() bool { return len(l.entries) == 0 || l.list.Index() == len(l.entries)-1 }

// selected returns the selected entry.
func (l *log) selected() (events.Entry, bool) {
	if i := l.list.Index(); i >= 0 && i < len(l.entries) {
		return l.entries[i], true
	}
	return events.Entry{}, false
}

// judge checks an event against the payloadSchema of its type.
func (p *Pane) judge(k *kind, e *events.Entry) verdict {
	if v, ok := k.log.judged[e.Number]; ok {
		return v
	}
	if len(k.log.judged) >= maxJudged {
		clear(k.log.judged)
	}
	var v verdict
	v.faults, v.checked = p.s.Events().Check(k.Name, e)
	k.log.judged[e.Number] = v
	return v
}

// happening returns the id of an event, or a description of another entry.
func happening(e *events.Entry, pal *paint.Palette) []paint.Span {
	if e.Kind != events.Occurred {
		style, text := happened(pal, e)
		return []paint.Span{{Style: style, Text: text}}
	}
	row := []paint.Span{{Style: pal.Text, Text: display.Head(e.Event.ID, maxID)}} // the id comes first, because the rest may be cut
	if e.Repeated {
		row = append(row, paint.Span{Style: pal.Warn, Text: " again"})
	}
	if text := delivered(e.Delivery); text != "" {
		row = append(row, paint.Span{Style: pal.Muted, Text: " " + text})
	}
	return row
}

// delivered describes in a few cells the special properties of an accepted delivery. The data of the event is
// next to it.
func delivered(d *events.Delivery) string {
	switch {
	case d == nil:
		return ""
	case d.Retry == 0:
		return d.Signed.Rotation()
	case d.Signed.IsRotation():
		return "retry " + phrase.Digits(d.Retry) + ", " + d.Signed.Rotation()
	}
	return d.RetryWords()
}

// dataOf returns as much of an event's data as may fit in a row.
func dataOf(e *events.Entry, pal *paint.Palette) []paint.Span {
	if e.Kind != events.Occurred {
		return nil
	}
	return []paint.Span{{Style: pal.Value, Text: display.Head(string(e.Event.Data), maxData)}}
}

// verdictOf describes whether the data of an event conforms to its type.
func (p *Pane) verdictOf(k *kind, e *events.Entry, pal *paint.Palette) []paint.Span {
	if e.Kind != events.Occurred {
		return nil
	}
	switch v := p.judge(k, e); {
	case len(v.faults) > 0:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " " + v.faults[0].Rule + " " + v.faults[0].Place}}
	case v.checked:
		return []paint.Span{{Style: pal.OK, Text: pal.OKMark}}
	}
	return nil
}

// maxData is the number of bytes shown of an event's data.
const maxData = 2 << 10

// maxID is the number of bytes shown of an id.
const maxID = 40

// happened describes an entry that is not an event, in one row.
func happened(pal *paint.Palette, e *events.Entry) (paint.Style, string) {
	style, text := pal.Muted, e.Text
	if e.Err != nil {
		text = e.Err.Error()
	}
	if text != "" {
		text = ": " + display.Head(text, maxText)
	}
	at := ""
	if e.Cursor.Set {
		at = ", cursor " + display.Head(e.Cursor.Text, maxID)
	}
	switch e.Kind {
	case events.Opened:
		text = "delivery begins" + at + text
	case events.Gap:
		style, text = pal.Warn, "gap: events are missing"+at+text
	case events.Failed:
		style, text = pal.Warn, "error"+text
	case events.Challenged:
		text = "the server has verified the callback"
	case events.Trouble:
		style, text = pal.Warn, "refused or doubtful"+text
	case events.Refused:
		style, text = pal.Warn, e.Delivery.Words()+text
	case events.Closed:
		text = "the server has closed the stream" + text
	case events.Lost:
		style, text = pal.Warn, "lost"+text
	case events.Terminated:
		style, text = pal.Error, "ended by the server"+text
	default:
		text = "ended" + text
	}
	return style, text
}

// maxText is the number of bytes shown of a message.
const maxText = 400
