package timeline

import (
	"cmp"
	"math"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// update updates the timeline with a match of an event. The caller holds t.mu.
func (t *Timeline) update(e *record.Event, m *store.Match) {
	at := e.Time.UnixNano()
	t.newest = max(t.newest, at)
	if rows := t.tail.Row(); rows > t.rows {
		t.rows = rows
		t.overview.add(at)
	}
	t.outcomes.Match(e, m, t.series.changed)
	switch i := t.indexOf(m.Request); {
	case e.Kind == record.KindStderr:
		t.lineCount++
		if len(t.lines) == 2*maxLines {
			t.lines = append(t.lines[:0], t.lines[maxLines:]...)
		}
		t.lines = append(t.lines, at)
	case e.Kind == record.KindFrame && e.Frame.NonMessageEvent():
	case m.Kind() == jsonrpc.Request && m.IsMessage():
		t.request(e, m)
	case i == None || m.Acknowledged: // the subscription lasts
	case e.Kind == record.KindHTTP:
		t.exchange(i, e.Exchange)
	case !m.IsMessage():
		if m.Flow != nil && m.Flow.IsError {
			t.fail(i)
		}
		t.end(i, m.State, at)
	case m.Kind() != jsonrpc.Notification:
		t.responded(i, m, at)
	default:
		t.notified(i, m.Row, at)
		if of := &t.entries[i]; of.firstMessage == 0 && m.Dir != of.dir {
			of.firstMessage = microseconds(at - of.start)
		}
		if m.Ended != flow.NotEnded {
			t.entries[i].timedOut = m.Ended == flow.ByTimeout
			t.end(i, m.State, at)
		}
	}
}

// request adds a request.
func (t *Timeline) request(event *record.Event, m *store.Match) {
	i := int32(len(t.entries))
	e := entry{
		start: event.Time.UnixNano(), row: m.Row, element: m.Element, response: store.None, parent: t.indexOf(m.Parent), previous: None, next: None,
		firstNested: None, nested: None, related: None,
		series: t.series.index(keyOf(m)), state: flow.Pending, dir: m.Dir, isSubscription: m.IsSubscription(),
	}
	if p := e.parent; p != None && t.entries[p].parent != None {
		e.parent = t.entries[p].parent // the rounds of a call and the requests within them form one level
	}
	t.entries = append(t.entries, e)
	if e.parent != None {
		t.entries[e.parent].requests++
	}
	switch p := e.parent; {
	case p == None:
		t.joinRun(i)
		t.top = append(t.top, i)
	case t.entries[p].nested == None:
		t.entries[p].firstNested, t.entries[p].nested = i, i
	default:
		t.entries[i].previous = t.entries[p].nested
		t.entries[t.entries[p].nested].next = i
		t.entries[p].nested = i
	}
}

// near is the number of newest requests that are searched first.
const near = 64

// indexOf returns the entry of a request, or None.
func (t *Timeline) indexOf(r flow.Ref) int32 {
	if !r.Present() {
		return None
	}
	from := max(0, len(t.entries)-near)
	entries := t.entries[from:]
	if from > 0 && entries[0].row > r.Row() {
		entries, from = t.entries[:from], 0
	}
	i, found := slices.BinarySearchFunc(entries, r, func(e entry, r flow.Ref) int {
		return cmp.Or(cmp.Compare(e.row, r.Row()), cmp.Compare(e.element, r.Element()))
	})
	if !found {
		return None
	}
	return int32(from + i)
}

// maxNotifications is the number of notifications remembered with their requests.
const maxNotifications = 2_000_000

func (t *Timeline) notified(i, row int32, at int64) {
	t.entries[i].notifications++
	if len(t.notifications) >= maxNotifications {
		return
	}
	t.notifications = append(t.notifications, notification{at: at, row: row, prev: t.entries[i].related})
	t.entries[i].related = int32(len(t.notifications) - 1)
}

// responded ends a request with its first response.
func (t *Timeline) responded(i int32, m *store.Match, at int64) {
	e := &t.entries[i]
	if m.State != flow.Answered && m.State != flow.Late && m.State != flow.WithoutID || e.response != store.None {
		return
	}
	e.response = m.Row
	switch isFailure := flow.IsFailure(m.Kind(), m.Method); {
	case isFailure, m.ToolError:
		t.fail(i)
	case m.Kind() == jsonrpc.ErrorResponse:
		e.detects = true
	}
	if m.Ended != flow.NotEnded {
		t.end(i, flow.Answered, at)
	} else {
		e.state = m.State
	}
}

// end ends the wait for a response.
func (t *Timeline) end(i int32, state flow.State, at int64) {
	e := &t.entries[i]
	if e.end != 0 {
		return
	}
	e.end, e.state = max(at, e.start), state
	t.endInRun(e)
	if e.timedOut || state == flow.Abandoned {
		t.fail(i)
	}
}

// exchange records the phases of the HTTP exchange that carries a request.
func (t *Timeline) exchange(i int32, x *transport.Exchange) {
	e := &t.entries[i]
	e.sent = microseconds(x.Start.UnixNano() - e.start)
	if x.Status != 0 {
		e.firstByte = microseconds(x.Start.Add(x.FirstByte).UnixNano() - e.start)
	}
	if x.Phase == transport.ExchangeDone && x.Failed && !e.detects {
		e.status = uint16(x.Status)
		t.fail(i)
	}
}

func microseconds(ns int64) uint32 {
	return uint32(min(max(ns/1000, 1), math.MaxUint32))
}
