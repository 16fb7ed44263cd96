package events

import (
	"bytes"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/schema/check"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// Call is a request that was sent.
type Call interface {
	Done() <-chan struct{}
	Outcome() (client.Response, error)
	// Ref is the place of the request in the record; none if it was not sent.
	Ref() transport.Ref
	Cancel()
}

// Session is the part of the session that the tracker uses. The tracker holds no lock when it calls it.
type Session interface {
	// Store returns the record.
	Store() *store.Store
	// Send sends a request on the current connection.
	Send(method string, params []byte) Call
	// Connected reports whether there is a connection that is ready, and the number of the attempt.
	Connected() (attempt int, ready bool)
	// Go runs do on a goroutine of the session, unless that is closing: then it returns false.
	Go(do func()) bool
	// Closing is closed when the session is.
	Closing() <-chan struct{}
	// Loaded is closed when the record can be read from its begin.
	Loaded() <-chan struct{}
	// Hide masks a secret in everything recorded later.
	Hide(secret string)
	// Changed wakes what shows the subscriptions.
	Changed()
	// Payload returns the payloadSchema of an event type as currently listed, or nil.
	Payload(name string) []byte
}

// maxSubscriptions bounds the subscriptions of a session. The oldest that has ended goes then, or the
// oldest.
const maxSubscriptions = 500

// maxStray bounds the count of stray notifications.
const maxStray = 1_000_000_000

// A Tracker holds the event subscriptions of a session. Its methods are safe for concurrent use.
type Tracker struct {
	session Session

	mu       sync.Mutex
	started  bool
	all      []*subscription // oldest first
	byStream map[int32]*subscription
	last     int // number of the newest subscription
	stray    int
	passed   int32 // rows that were read
	ended    bool  // nothing more will be recorded
	wake     chan struct{}
	payloads check.Cache // compiled payloadSchemas
	hooks    []*Follower // running followers of webhooks
}

// New returns the tracker of a session. It reads the record from the first use on.
func New(s Session) *Tracker {
	return &Tracker{session: s, byStream: map[int32]*subscription{}, wake: make(chan struct{})}
}

// start begins to read the record.
func (t *Tracker) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.started {
		return
	}
	t.started = true
	t.ended = !t.session.Go(t.run)
}

// All returns the subscriptions, oldest first.
func (t *Tracker) All() []State {
	t.start()
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]State, len(t.all))
	for i, s := range t.all {
		all[i] = s.State
	}
	return all
}

// Of returns a subscription by its number. It returns false if the subscription is unknown or forgotten.
func (t *Tracker) Of(number int) (State, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(number); s != nil {
		return s.State, true
	}
	return State{}, false
}

// Entries returns at most most entries of a subscription, starting with number from. If most is 0, it returns
// all. Entries counted by [State.Dropped] are missing. The bytes must not be changed.
func (t *Tracker) Entries(number, from, most int) []Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.find(number); s != nil {
		return s.from(from, most)
	}
	return nil
}

// Stray returns the number of event notifications that belong to no open stream.
func (t *Tracker) Stray() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stray
}

// find returns a subscription. The caller holds the lock.
func (t *Tracker) find(number int) *subscription {
	for _, s := range t.all {
		if s.Number == number {
			return s
		}
	}
	return nil
}

// run reads the record until the session is closed.
func (t *Tracker) run() {
	defer t.over()
	select {
	case <-t.session.Loaded():
	case <-t.session.Closing():
		return
	}
	changed, stop := t.session.Store().Subscribe()
	defer stop()
	tail := t.session.Store().NewTail()
	for {
		if !t.read(tail) {
			return
		}
		select {
		case <-changed:
		case <-t.session.Closing():
			t.read(tail)
			return
		}
	}
}

// slice is the number of events read under one lock.
const slice = 512

// read reads new events. It returns false if nothing more can be read.
func (t *Tracker) read(tail *store.Tail) bool {
	for more := true; more; {
		more = false
		t.mu.Lock()
		touched, n := false, 0
		for e, m := range tail.Matches() {
			touched = t.event(tail.Row()-1, e, m) || touched
			if n++; n == slice {
				more = true
				break
			}
		}
		moved := tail.Row() != t.passed
		if t.passed = tail.Row(); touched || moved {
			t.wakeAll()
		}
		t.mu.Unlock()
		if touched {
			t.session.Changed()
		}
	}
	return tail.Err() == nil
}

// over wakes all waiters, because nothing more is read.
func (t *Tracker) over() {
	t.mu.Lock()
	t.ended = true
	t.wakeAll()
	t.mu.Unlock()
	t.session.Changed()
}

// wakeAll wakes all waiters. The caller holds t.mu.
func (t *Tracker) wakeAll() {
	close(t.wake)
	t.wake = make(chan struct{})
}

// changes returns a channel that is closed at the next change.
func (t *Tracker) changes() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wake
}

// event updates the subscriptions with an event of the record, and reports whether it is about one. row is the
// row of the event, if it has one. The caller holds t.mu.
func (t *Tracker) event(row int32, e *record.Event, m *store.Match) bool {
	switch {
	case e.Kind == record.KindDelivery:
		return t.delivery(row, e)
	case !m.IsMessage():
		return t.endedWithout(m)
	case m.Kind() == jsonrpc.Notification && m.Dir == transport.In:
		return t.notified(m)
	case m.Method == revision.EventsStream && m.Kind() == jsonrpc.Notification:
		return t.cancelled(m)
	case m.Dir == transport.Out && m.Kind() == jsonrpc.Request:
		return t.requested(e.ConnBeside(), m)
	case m.Dir == transport.In && m.Kind().IsResponse():
		return t.responded(m)
	}
	return false
}

// requested handles a request of the client.
func (t *Tracker) requested(conn uint16, m *store.Match) bool {
	params := m.Envelope.Params.Of(m.Bytes)
	var mode string
	switch m.Method {
	case revision.EventsStream:
		mode = revision.DeliveryPush
	case revision.EventsPoll:
		mode = revision.DeliveryPoll
	case revision.EventsSubscribe, revision.EventsUnsubscribe:
		mode = revision.DeliveryWebhook
	default:
		return false
	}
	s := t.of(conn, mode, params, m.Time)
	if m.Method == revision.EventsUnsubscribe {
		t.byStream[m.Request.Row()] = s
		return true
	}
	s.requested(m.Request.Row(), m.Time)
	if c, ok := cursorOf(params); ok && c.Set && !s.Cursor.Set {
		s.Cursor = c
	}
	t.byStream[m.Request.Row()] = s
	return true
}

// of returns the subscription of a request, which may be a continued one, and creates it if there is no such subscription.
func (t *Tracker) of(conn uint16, mode string, params []byte, at time.Time) *subscription {
	name := jsonrpc.Text(params, "name")
	arguments, _ := jsonrpc.Member(params, "arguments")
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	url := jsonrpc.Text(params, "delivery", "url")
	for i := len(t.all) - 1; i >= 0; i-- {
		s := t.all[i]
		if s.conn == conn && s.Mode == mode && s.Name == name && s.URL == url && s.args.Is(arguments) && !t.streams(s) {
			return s
		}
	}
	return t.add(State{Name: name, Mode: mode, URL: url, Arguments: bytes.Clone(arguments), Began: at, Row: -1}, conn)
}

// streams reports whether notifications may still arrive for the newest request of a subscription. A new
// request then opens another subscription.
func (t *Tracker) streams(s *subscription) bool {
	return s.Mode == revision.DeliveryPush && s.isOpen() && s.Row >= 0 && t.byStream[s.Row] == s
}

// add adds a subscription.
func (t *Tracker) add(st State, conn uint16) *subscription {
	if len(t.all) >= maxSubscriptions {
		t.forget()
	}
	t.last++
	st.Number = t.last
	s := &subscription{State: st, conn: conn, args: jsonrpc.MeaningOf(st.Arguments), read: -1}
	t.all = append(t.all, s)
	return s
}

// forget drops the oldest subscription that has ended, or the oldest.
func (t *Tracker) forget() {
	at := 0
	for i, s := range t.all {
		if s.Phase == Ended {
			at = i
			break
		}
	}
	gone := t.all[at]
	t.all = append(t.all[:at:at], t.all[at+1:]...)
	for row, s := range t.byStream {
		if s == gone {
			delete(t.byStream, row)
		}
	}
}

// notified handles a notification of the server.
func (t *Tracker) notified(m *store.Match) bool {
	method := string(m.Envelope.MethodText(m.Bytes))
	switch method {
	case revision.EventsActive, revision.EventsEvent, revision.EventsHeartbeat, revision.EventsError, revision.EventsTerminated:
	default:
		return false
	}
	s := t.byStream[m.Request.Row()]
	if !m.Request.Present() || s == nil {
		t.stray = min(t.stray+1, maxStray)
		return true
	}
	if s.Phase != Ended {
		s.notified(m.Row, m.Time, method, m.Envelope.Params.Of(m.Bytes))
	}
	return true
}

// responded handles a response of the server.
func (t *Tracker) responded(m *store.Match) bool {
	s := t.byStream[m.Request.Row()]
	if s == nil || !m.Request.Present() {
		return false
	}
	var failure *client.RPCError
	if m.Kind() == jsonrpc.ErrorResponse {
		failure = jsonrpc.ParseError(m.Bytes, m.Envelope)
	}
	result := m.Envelope.Result.Of(m.Bytes)
	switch m.Method {
	case revision.EventsStream:
		if s.Row == m.Request.Row() { // otherwise a newer stream has replaced it
			s.answered(m.Row, m.Time, failure)
		}
	case revision.EventsPoll:
		if failure != nil {
			s.read = m.Row
			s.refused(m.Row, m.Time, failure)
		} else {
			s.polled(m.Row, m.Time, result)
		}
	case revision.EventsSubscribe:
		s.subscribed(m.Row, m.Time, result, failure)
	case revision.EventsUnsubscribe:
		s.unsubscribed(m.Row, m.Time, failure)
	}
	delete(t.byStream, m.Request.Row())
	return true
}

// cancelled handles the notification that cancels a stream.
func (t *Tracker) cancelled(m *store.Match) bool {
	s := t.byStream[m.Request.Row()]
	if s == nil || m.Ended == flow.NotEnded {
		return false
	}
	delete(t.byStream, m.Request.Row())
	if s.Row != m.Request.Row() || s.Followed {
		return false // the follower reports the reason
	}
	s.stopped(m.Row, m.Time, jsonrpc.Text(m.Envelope.Params.Of(m.Bytes), "reason"))
	return true
}

// endedWithout handles the end of a request without a message.
func (t *Tracker) endedWithout(m *store.Match) bool {
	s := t.byStream[m.Request.Row()]
	if s == nil || !m.Request.Present() || m.Ended == flow.NotEnded {
		return false
	}
	delete(t.byStream, m.Request.Row())
	switch {
	case s.Row != m.Request.Row() || s.Followed: // the follower reports the reason
	case m.State == flow.Cancelled:
		s.stopped(-1, m.Time, "")
	case m.Ended == flow.ByClose:
		s.lost(m.Time, "the connection has ended")
	default:
		s.lost(m.Time, "the response has ended")
	}
	return true
}
