package events

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record"
	"mcptea/record/webhook"
)

// Subscribe returns the params of events/subscribe. ttl is the requested lifetime; 0 leaves it to the server.
func (p Params) Subscribe(url, secret string, ttl time.Duration) []byte {
	d := jsonrpc.AppendMember([]byte("{"), "mode", []byte(`"`+revision.DeliveryWebhook+`"`))
	d = jsonrpc.AppendMember(d, "url", []byte(jsonrpc.Quote(url)))
	d = append(jsonrpc.AppendMember(d, "secret", []byte(jsonrpc.Quote(secret))), '}')
	out := jsonrpc.AppendMember(p.encode(), "delivery", d)
	if ttl > 0 {
		out = jsonrpc.AppendMember(out, "ttlMs", strconv.AppendInt(nil, ttl.Milliseconds(), 10))
	}
	return append(out, '}')
}

// Unsubscribe returns the params of events/unsubscribe.
func (p Params) Unsubscribe(url string) []byte {
	d := jsonrpc.AppendMember([]byte("{"), "mode", []byte(`"`+revision.DeliveryWebhook+`"`)) // some servers require the mode
	d = append(jsonrpc.AppendMember(d, "url", []byte(jsonrpc.Quote(url))), '}')
	out := jsonrpc.AppendMember([]byte("{"), "name", []byte(jsonrpc.Quote(p.Name)))
	out = jsonrpc.AppendMember(out, "arguments", p.arguments())
	return append(jsonrpc.AppendMember(out, "delivery", d), '}')
}

// FollowWebhook subscribes to deliveries at a callback, records them, renews the subscription before it
// expires, and finally unsubscribes. ttl is the requested lifetime; 0 leaves it to the server. When the
// follower ends, it stops the receiver unless the receiver lingers.
func (t *Tracker) FollowWebhook(p Params, h *webhook.Server, ttl time.Duration) *Follower {
	t.start()
	t.mu.Lock()
	s := t.add(State{
		Name: p.Name, Arguments: p.arguments(), Mode: revision.DeliveryWebhook, URL: h.Callback, Began: time.Now(), Row: -1, Followed: true, Cursor: p.Cursor,
	}, 0)
	t.mu.Unlock()
	f := &Follower{
		t: t, o: Options{Params: p, Mode: revision.DeliveryWebhook}, hook: h, ttl: ttl, number: s.Number,
		stop: make(chan struct{}, 1), rotate: make(chan struct{}, 1), done: make(chan struct{}),
	}
	record := t.session.Store()
	h.Tell(func(d webhook.Delivery) {
		d.Callback = h.Callback
		record.Delivery(d.At, &d.Delivery, d.Body)
	}, t.session.Changed)
	t.mu.Lock()
	t.hooks = append(slices.DeleteFunc(t.hooks, func(f *Follower) bool { return isClosed(f.done) }), f)
	t.mu.Unlock()
	if !t.session.Go(f.run) {
		f.ended("the session is closed")
		close(f.done)
	}
	t.session.Changed()
	return f
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Webhooks returns the webhook subscriptions that mcptea keeps running.
func (t *Tracker) Webhooks() (live []State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.hooks {
		if s := t.find(f.number); s != nil && !isClosed(f.done) {
			live = append(live, s.State)
		}
	}
	return live
}

// End unsubscribes all webhooks, because the server would otherwise continue to deliver. It waits until the
// context is done, at most [EndTimeout], and returns the subscriptions whose end the server has not confirmed.
func (t *Tracker) End(ctx context.Context) (left []State) {
	t.mu.Lock()
	hooks := t.hooks
	t.hooks = nil
	t.mu.Unlock()
	for _, f := range hooks {
		f.Stop()
	}
	ctx, stop := context.WithTimeout(ctx, EndTimeout)
	defer stop()
	for _, f := range hooks {
		select {
		case <-f.done:
		case <-ctx.Done():
		}
		if !isClosed(f.done) || f.left.Load() {
			left = append(left, f.State())
		}
	}
	return left
}

// EndTimeout bounds the wait for the server to end its subscriptions when a session ends.
const EndTimeout = 2 * time.Second

// The margins of a renewal: a tenth of the lifetime before its end, within these bounds.
const (
	minMargin = time.Second
	maxMargin = time.Minute
)

// renewal returns when a subscription is renewed. ok is false if it does not expire.
func renewal(since, until time.Time) (at time.Time, ok bool) {
	if until.IsZero() {
		return time.Time{}, false
	}
	margin := min(max(until.Sub(since)/10, minMargin), maxMargin)
	return until.Add(-margin), true
}

// subscribe subscribes, or renews the subscription, and waits until it is time to renew it.
func (f *Follower) subscribe() outcome {
	sent := time.Now()
	call := f.t.session.Send(revision.EventsSubscribe, f.params().Subscribe(f.hook.Callback, f.hook.Secret(), f.ttl))
	select {
	case <-call.Done():
	case <-f.stop:
		call.Cancel()
		f.unsubscribe()
		return stopped
	case <-f.t.session.Closing():
		return stopped
	}
	if next := f.answered(call); next != again {
		return next
	}
	s, _, _ := f.look()
	if s.Phase != Live {
		return again
	}
	f.hook.Subscribed(s.ID)
	var due <-chan time.Time
	if at, expires := renewal(sent, s.RefreshBefore); expires {
		f.update(func(s *subscription) { s.Next = at })
		timer := time.NewTimer(max(time.Until(at), minMargin))
		defer timer.Stop()
		due = timer.C
	}
	for {
		changed := f.t.changes()
		if s, _, ended := f.look(); s.Phase == Ended {
			f.hook.Over()
			return over
		} else if _, ready := f.t.session.Connected(); !ready && !ended {
			return atOnce // the next connection renews it
		}
		select {
		case <-changed:
		case <-due:
			return atOnce
		case <-f.rotate:
			secret := webhook.NewSecret()
			f.t.session.Hide(secret)
			f.hook.Rotate(secret)
			return atOnce
		case <-f.stop:
			f.unsubscribe()
			return stopped
		case <-f.t.session.Closing():
			return stopped
		}
	}
}

// Rotate renews a webhook with a new secret as soon as it is live. Deliveries signed with the previous secret
// count until the next rotation: a server signs with both for a while.
func (f *Follower) Rotate() {
	select {
	case f.rotate <- struct{}{}:
	default:
	}
}

// unsubscribeTimeout bounds the time that the server may take to end a subscription.
const unsubscribeTimeout = 5 * time.Second

// unsubscribe ends the subscription at the server.
func (f *Follower) unsubscribe() {
	f.hook.Over()
	f.left.Store(true)
	call := f.t.session.Send(revision.EventsUnsubscribe, f.o.Unsubscribe(f.hook.Callback))
	timer := time.NewTimer(unsubscribeTimeout)
	defer timer.Stop()
	select {
	case <-call.Done():
		f.left.Store(!isGone(call))
	case <-timer.C:
		call.Cancel()
	case <-f.t.session.Closing():
	}
}

// isGone reports whether a response to events/unsubscribe shows that the server has no such subscription.
func isGone(call Call) bool {
	_, err := call.Outcome()
	failure, ok := errors.AsType[*client.RPCError](err)
	if !ok {
		return err == nil
	}
	code, _ := failure.Code.Number()
	return revision.EventNotFound.Is(code)
}

// stopped ends what the server may have granted, between two attempts.
func (f *Follower) stopped() {
	if s, _, _ := f.look(); f.hook == nil || s.Since.IsZero() || s.Phase == Ended {
		return
	}
	f.left.Store(true)
	if _, ready := f.t.session.Connected(); ready {
		f.unsubscribe()
	}
}

// delivery handles a POST to a callback. The caller holds t.mu.
func (t *Tracker) delivery(row int32, e *record.Event) bool {
	for i := len(t.all) - 1; i >= 0; i-- {
		if s := t.all[i]; s.Mode == revision.DeliveryWebhook && s.URL == e.Delivery.Callback && s.Phase != Ended {
			s.delivered(row, e.Delivery, e.Time, []byte(e.Text))
			return true
		}
	}
	return false
}

// maxTroubles bounds the troubles of a subscription that are remembered so that each is reported once. Later
// ones are not reported.
const maxTroubles = 64

// isFirst reports a trouble that no delivery had before.
func (s *subscription) isFirst(trouble string) bool {
	if s.troubles[trouble] || len(s.troubles) >= maxTroubles {
		return false
	}
	if s.troubles == nil {
		s.troubles = map[string]bool{}
	}
	s.troubles[trouble] = true
	return true
}

// delivered handles a delivery to the callback.
func (s *subscription) delivered(row int32, r *record.Delivery, at time.Time, body []byte) {
	if r.Trouble != "" && s.isFirst(r.Trouble) {
		s.add(Entry{Time: at, Kind: Trouble, Row: row, Text: r.Trouble})
	}
	d := &Delivery{
		MessageID: r.Message, Subscription: r.Subscription, Repeated: r.Again, Signed: r.Signed, Status: r.Status, Retry: r.Retry, After: r.After,
	}
	if r.Redirected || r.WrongEcho || r.Asked && r.IsRefused() {
		e := Entry{Time: at, Kind: Refused, Row: row, Text: r.AskedWords(), Delivery: d}
		if r.What == "event" {
			e.Event = ReadOccurrence(bytes.Clone(body))
		}
		s.add(e)
		return
	}
	if r.IsRefused() {
		return
	}
	c, _ := cursorOf(body)
	if r.What == "verification" {
		s.add(Entry{Time: at, Kind: Challenged, Row: row, Delivery: d})
		return
	}
	s.Delivered.Accepted++
	switch r.What {
	case "event":
		s.deliveredEvent(row, at, body, d)
	case "gap":
		s.moved(c)
		s.Gaps++
		s.add(Entry{Time: at, Kind: Gap, Row: row, Delivery: d})
	case "terminated":
		s.ended(Entry{Time: at, Kind: Terminated, Row: row, Err: shortened(errorOf(body)), Delivery: d})
	} // a trouble tells another type
}

// deliveredEvent handles an event delivered to the callback.
func (s *subscription) deliveredEvent(row int32, at time.Time, body []byte, d *Delivery) {
	o := ReadOccurrence(body)
	if d.MessageID == o.ID {
		s.Delivered.ByEvent++
	} else {
		s.Delivered.ByMessage++
	}
	if happened, err := time.Parse(time.RFC3339Nano, o.Timestamp); err == nil {
		if d.Disordered = happened.Before(s.newest); d.Disordered {
			s.Delivered.Disordered++
		} else {
			s.newest = happened
		}
	}
	s.occurred(row, at, body, d)
}
