package peer

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Events configures the delivery of events (SEP-3415). The zero value has the usual intervals, and no webhooks.
type Events struct {
	// Heartbeat is the interval of heartbeats, 10 s if zero. NextPoll is the poll interval that clients should
	// use, 1 s if zero.
	Heartbeat, NextPoll time.Duration
	// Post sends a delivery to the callback of a webhook, and returns the status and the body of the
	// response, or nil if there are no webhooks.
	Post func(ctx context.Context, url string, header map[string]string, body []byte) (status int, response []byte, err error)
}

const (
	// maxLogged bounds the events that are kept for clients that return with a cursor. The oldest are dropped
	// first: older cursors are truncated.
	maxLogged = 1000
	// maxBatch bounds the events in a response to a poll.
	maxBatch = 50
)

// occurrence is an event that happened.
type occurrence struct {
	number int // number from 1
	id     string
	name   string
	at     time.Time
	data   json.RawMessage
}

// eventLog holds the events that occurred. It is safe for concurrent use.
type eventLog struct {
	mu          sync.Mutex
	epoch       string // identifies this server: a cursor of another server is truncated
	all         []occurrence
	head        int // the number of the newest
	lastDropped int // number of the newest event that is no longer kept
	lost        map[string]int
	wake        chan struct{} // closed at the next event
	ending      chan struct{} // closed when the streams must end
	hooks       map[string]*hook
}

func (l *eventLog) init() {
	if l.epoch == "" {
		b := make([]byte, 4)
		_, _ = rand.Read(b) // Read never returns an error
		l.epoch, l.wake, l.ending, l.hooks, l.lost = hex.EncodeToString(b), make(chan struct{}), make(chan struct{}), map[string]*hook{}, map[string]int{}
	}
}

// Emit creates and delivers an event. data is an object that conforms to the payloadSchema of the type. It
// returns the id of the event.
func (s *Server) Emit(name string, data json.RawMessage) string {
	l := &s.events
	l.mu.Lock()
	l.init()
	l.head++
	o := occurrence{l.head, fmt.Sprintf("evt_%s_%d", l.epoch, l.head), name, time.Now(), data}
	l.all = append(l.all, o)
	if len(l.all) > maxLogged {
		l.lastDropped, l.all = l.all[0].number, l.all[1:]
	}
	close(l.wake)
	l.wake = make(chan struct{})
	l.mu.Unlock()
	return o.id
}

// Emit calls [Server.Emit].
func (c *Call) Emit(name string, data json.RawMessage) string { return c.server().Emit(name, data) }

// LoseEvents forgets the events of a type so far: each stream has a gap.
func (c *Call) LoseEvents(name string) {
	l := &c.server().events
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init()
	l.head++ // an event that is not kept
	l.lost[name] = l.head
	close(l.wake)
	l.wake = make(chan struct{})
}

// endStreams ends the streams of events gracefully.
func (l *eventLog) endStreams() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init()
	close(l.ending)
	l.ending = make(chan struct{})
}

// cursor returns the position after an event.
func (l *eventLog) cursor(number int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(l.epoch + ":" + strconv.Itoa(number)))
}

// position returns the number of the event before a cursor. truncated reports whether some events after the
// cursor are no longer kept.
func (l *eventLog) position(of *Entry, cursor *string) (number int, truncated bool) {
	if cursor == nil || of.NoReplay {
		return l.head, false
	}
	text, err := base64.RawURLEncoding.DecodeString(*cursor)
	epoch, digits, _ := strings.Cut(string(text), ":")
	n, wrong := strconv.Atoi(digits)
	floor := max(l.lastDropped, l.lost[of.Key])
	if err != nil || wrong != nil || epoch != l.epoch || n > l.head || n < floor {
		return floor, true
	}
	return n, false
}

// after returns a maximum number of events of a type after a position, selected by arguments, and the
// position after them. more reports whether others follow.
func (l *eventLog) after(number int, of *Entry, arguments map[string]json.RawMessage, most int) (found []occurrence, at int, more bool) {
	for _, o := range l.all {
		if o.number <= number || o.name != of.Key || !selects(arguments, o.data) {
			continue
		}
		if len(found) == most {
			return found, found[most-1].number, true
		}
		found = append(found, o)
	}
	return found, l.head, false
}

// selects reports whether arguments select an event: each is that member of its data, or no member.
func selects(arguments map[string]json.RawMessage, data []byte) bool {
	for name, value := range arguments {
		if sent, ok := jsonrpc.Member(data, name); ok && !jsonrpc.Equal(sent, value) {
			return false
		}
	}
	return true
}

// wire returns an event in its wire form.
func (o *occurrence) wire() map[string]any {
	return map[string]any{"eventId": o.id, "name": o.name, "timestamp": o.at.UTC().Format(time.RFC3339Nano), "data": o.data}
}

// eventError returns an error of the extension.
func eventError(of revision.EventError, data map[string]any, format string, args ...any) *Error {
	return &Error{Code: int64(of.Code), Message: fmt.Sprintf(format, args...), Data: data}
}

// eventParams are the params of poll, stream and subscribe.
type eventParams struct {
	Name      *string                    `json:"name"`
	Arguments map[string]json.RawMessage `json:"arguments"`
	Cursor    *string                    `json:"cursor"`
	MaxAgeMS  *int64                     `json:"maxAgeMs"`
	MaxEvents *int                       `json:"maxEvents"`
	TTLMS     json.RawMessage            `json:"ttlMs"`
	Delivery  struct {
		Mode   string `json:"mode"`
		URL    string `json:"url"`
		Secret string `json:"secret"`
	} `json:"delivery"`

	entry *Entry
}

// eventTarget reads the params of a request, and finds the event type.
func (c *Call) eventTarget(mode string) (*eventParams, error) {
	var p eventParams
	if err := c.decodeParams(&p); err != nil {
		return nil, err
	}
	if p.Name == nil {
		return nil, invalidParams("name is missing")
	}
	e := c.entry(revision.Events, *p.Name)
	if e == nil {
		return nil, eventError(revision.EventNotFound, map[string]any{"kind": "event"}, "unknown event type: %s", *p.Name)
	}
	p.entry = e
	delivery := jsonrpc.Get(e.Wire, "delivery")
	offered := false
	for one := range jsonrpc.Elements(delivery) {
		offered = offered || jsonrpc.IsText(one, mode)
	}
	if !offered {
		return nil, eventError(revision.EventUnsupported, map[string]any{"feature": "deliveryMode", "value": mode}, "%s is not delivered by %s", e.Key, mode)
	}
	arguments := jsonrpc.Get(c.message.Params, "arguments")
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if err := e.checkArguments(arguments); err != nil {
		return nil, invalidParams("invalid arguments: %v", err)
	}
	switch {
	case p.MaxEvents != nil && *p.MaxEvents < 1:
		return nil, invalidParams("maxEvents must be 1 or more")
	case p.MaxAgeMS != nil && *p.MaxAgeMS < 0:
		return nil, invalidParams("maxAgeMs must not be negative")
	}
	return &p, nil
}

// maxAgeMS is the largest age that is told from a longer one, in milliseconds: a hundred years.
const maxAgeMS = int64(100 * 365 * 24 * time.Hour / time.Millisecond)

// aged moves a position beyond the events that are too old.
func (p *eventParams) aged(l *eventLog, at int, truncated bool) (int, bool) {
	if p.MaxAgeMS == nil || p.Cursor == nil {
		return at, truncated
	}
	oldest := time.UnixMilli(time.Now().UnixMilli() - min(*p.MaxAgeMS, maxAgeMS))
	for _, o := range l.all {
		if o.number > at && o.at.Before(oldest) {
			truncated = truncated || o.name == p.entry.Key && selects(p.Arguments, o.data)
			at = o.number
		}
	}
	return at, truncated
}

func pollEvents(_ context.Context, c *Call) (any, error) {
	p, err := c.eventTarget(revision.DeliveryPoll)
	if err != nil {
		return nil, err
	}
	l := &c.server().events
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init()
	at, truncated := l.position(p.entry, p.Cursor)
	at, truncated = p.aged(l, at, truncated)
	most := maxBatch
	if p.MaxEvents != nil {
		most = min(most, *p.MaxEvents)
	}
	found, at, more := l.after(at, p.entry, p.Arguments, most)
	list := []any{}
	for i := range found {
		list = append(list, found[i].wire())
	}
	next := c.server().Events.NextPoll
	if next <= 0 {
		next = time.Second
	}
	return map[string]any{
		"events": list, "cursor": l.shown(p.entry, at), "truncated": truncated, "hasMore": more, "nextPollMs": next.Milliseconds(),
	}, nil
}

// shown returns a cursor on the wire; null of a type without replay.
func (l *eventLog) shown(of *Entry, at int) any {
	if of.NoReplay {
		return nil
	}
	return l.cursor(at)
}

// eventStream is an open events/stream request.
type eventStream struct {
	call   *Call
	params *eventParams
	at     int // index of the next delivery
}

// defaultHeartbeat is a third of the interval that clients expect.
const defaultHeartbeat = 10 * time.Second

func streamEvents(ctx context.Context, c *Call) (any, error) {
	p, err := c.eventTarget(revision.DeliveryPush)
	if err != nil {
		return nil, err
	}
	s, l := &eventStream{call: c, params: p}, &c.server().events
	l.mu.Lock()
	l.init()
	at, truncated := l.position(p.entry, p.Cursor)
	s.at, truncated = p.aged(l, at, truncated)
	cursor, ending := l.shown(p.entry, s.at), l.ending
	l.mu.Unlock()
	s.notify(revision.EventsActive, map[string]any{"cursor": cursor, "truncated": truncated})
	every := c.server().Events.Heartbeat
	if every <= 0 {
		every = defaultHeartbeat
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		wake := s.pump()
		select {
		case <-wake:
		case <-ticker.C:
			if !c.server().Bend.Silent {
				s.heartbeat()
			}
		case <-ending:
			return map[string]any{"_meta": map[string]any{revision.MetaSubscriptionID: json.RawMessage(c.message.ID.Bytes())}}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// pump delivers the events that have happened, and returns a channel that is closed when there are more.
func (s *eventStream) pump() <-chan struct{} {
	l := &s.call.server().events
	l.mu.Lock()
	wake := l.wake
	var gap any
	hasGap := false
	if floor := max(l.lastDropped, l.lost[s.params.entry.Key]); s.at < floor && !s.params.entry.NoReplay {
		s.at, hasGap = floor, true
		gap = l.shown(s.params.entry, floor)
	}
	found, at, _ := l.after(s.at, s.params.entry, s.params.Arguments, maxLogged)
	s.at = at
	cursors := make([]any, len(found))
	for i := range found {
		cursors[i] = l.shown(s.params.entry, found[i].number)
	}
	l.mu.Unlock()
	if hasGap {
		s.notify(revision.EventsActive, map[string]any{"cursor": gap, "truncated": true})
	}
	for i := range found {
		params := found[i].wire()
		params["cursor"] = cursors[i]
		s.notify(revision.EventsEvent, params)
	}
	return wake
}

func (s *eventStream) heartbeat() {
	l := &s.call.server().events
	l.mu.Lock()
	cursor := l.shown(s.params.entry, s.at)
	l.mu.Unlock()
	s.notify(revision.EventsHeartbeat, map[string]any{"cursor": cursor})
}

// notify sends a notification of the stream.
func (s *eventStream) notify(method string, params map[string]any) {
	all := map[string]any{"_meta": map[string]any{revision.MetaSubscriptionID: json.RawMessage(s.call.message.ID.Bytes())}}
	maps.Copy(all, params)
	if bend := s.call.server().Bend.Notify; bend != nil {
		if method, all = bend(method, all); method == "" {
			return
		}
	}
	s.call.Send(jsonrpc.EncodeNotification(method, Encode(all)))
}

// eventTypes returns the event types in their wire form: without webhooks if the server has none.
func (s *Server) eventTypes(entries []*Entry) []*Entry {
	if s.Events.Post != nil {
		return entries
	}
	var kept []*Entry
	for _, e := range entries {
		modes := slices.Collect(jsonrpc.Elements(jsonrpc.Get(e.Wire, "delivery")))
		modes = slices.DeleteFunc(modes, func(m []byte) bool { return jsonrpc.IsText(m, revision.DeliveryWebhook) })
		if len(modes) == 0 {
			continue
		}
		copied := *e
		copied.Wire = jsonrpc.Only(e.Wire, func(name string, value []byte) []byte {
			if name == "delivery" {
				return jsonrpc.EncodeBatch(modes...)
			}
			return value
		})
		kept = append(kept, &copied)
	}
	return kept
}
