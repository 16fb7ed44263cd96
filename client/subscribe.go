package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// SubscriptionFilter selects the notifications of a subscription (2026-07-28, basic / patterns /
// subscriptions).
type SubscriptionFilter struct {
	Tools, Prompts, Resources bool     // changes of the list
	Events                    bool     // changes of the list of event types (an extension)
	URIs                      []string // changes of these resources
	Tasks                     []string // statuses of these tasks; an extension
}

// Empty reports whether the filter selects nothing.
func (w SubscriptionFilter) Empty() bool {
	return !w.Tools && !w.Prompts && !w.Resources && !w.Events && len(w.URIs) == 0 && len(w.Tasks) == 0
}

func (w SubscriptionFilter) params() []byte {
	wanted := map[string]any{}
	for name, on := range map[string]bool{
		Tools.Filter(): w.Tools, Prompts.Filter(): w.Prompts, Resources.Filter(): w.Resources, Events.Filter(): w.Events,
	} {
		if on {
			wanted[name] = true
		}
	}
	if len(w.URIs) > 0 {
		wanted["resourceSubscriptions"] = w.URIs
	}
	if len(w.Tasks) > 0 {
		wanted["taskIds"] = w.Tasks
	}
	return Params(map[string]any{"notifications": wanted})
}

// Subscription is an open subscriptions/listen request. Its methods may be called
// from any goroutine.
type Subscription struct {
	ID jsonrpc.ID

	cancel  context.CancelCauseFunc
	granted chan []byte // 1 slot
	done    chan struct{}
	err     error // set before done is closed
}

// errUnsubscribed is the cause after Subscription.Close.
var errUnsubscribed = errors.New("no longer wanted")

// ErrSubscriptionEnded reports that the server ended a subscription regularly.
var ErrSubscriptionEnded = errors.New("the server ended the subscription")

// Done returns a channel that is closed when the subscription has ended. Err then returns the reason.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err returns why it ended: nil after [Subscription.Close], [ErrSubscriptionEnded],
// an *RPCError, or the error of the connection. It is valid after Done.
func (s *Subscription) Err() error { return s.err }

// Close ends the subscription and notifies the server. It does not block.
func (s *Subscription) Close() { s.cancel(errUnsubscribed) }

// acknowledgeTimeout bounds the wait for an acknowledgement.
const acknowledgeTimeout = 30 * time.Second

// Subscribe opens a subscription and returns the part that the server grants: the raw object "notifications" of
// its acknowledgement, which must arrive first. The tap receives the notifications. ctx bounds only the
// opening. Connections with a handshake have no subscriptions/listen.
func (c *Client) Subscribe(ctx context.Context, w SubscriptionFilter) (*Subscription, []byte, error) {
	if !c.isStateless() {
		return nil, nil, fmt.Errorf("subscriptions/listen needs protocol version %s; this connection uses %s", revision.NewestStateless, c.Revision())
	}
	life, cancel := context.WithCancelCause(context.Background())
	s := &Subscription{ID: c.NextID(), cancel: cancel, granted: make(chan []byte, 1), done: make(chan struct{})}
	c.update(func(state *state) { state.subscriptions[s.ID.Key()] = s })
	if !c.start(func() { c.runSubscription(life, s, w) }) {
		cancel(nil)
		c.update(func(state *state) { delete(state.subscriptions, s.ID.Key()) })
		return nil, nil, ErrClosed
	}
	timer := time.NewTimer(acknowledgeTimeout)
	defer timer.Stop()
	select {
	case granted := <-s.granted:
		return s, granted, nil
	case <-s.done:
		return nil, nil, s.err
	case <-timer.C:
		s.Close()
		return nil, nil, &TimeoutError{Method: "subscriptions/listen", After: acknowledgeTimeout}
	case <-ctx.Done():
		s.Close()
		return nil, nil, context.Cause(ctx)
	}
}

// runSubscription sends the request and waits for its end.
func (c *Client) runSubscription(life context.Context, s *Subscription, w SubscriptionFilter) {
	defer s.cancel(nil)
	response, err := c.sendOnce(life, c.NewRequest(s.ID, "subscriptions/listen", w.params()), options{noLimit: true})
	switch {
	case errors.Is(err, errUnsubscribed):
		err = nil
	case errors.Is(err, ErrSubscriptionEnded):
	case err == nil && response.Err() != nil:
		err = response.Err()
	case err == nil:
		err = ErrSubscriptionEnded
	default:
		err = fmt.Errorf("the subscription ended: %w", err)
	}
	c.update(func(state *state) { delete(state.subscriptions, s.ID.Key()) })
	s.err = err
	close(s.done)
}

// handleAcknowledgement passes the granted notifications to the subscription. It runs on the reading goroutine.
func (c *Client) handleAcknowledgement(params []byte) {
	id, _ := jsonrpc.Member(params, "_meta", revision.MetaSubscriptionID)
	granted, _ := jsonrpc.Member(params, "notifications")
	s := read(c, func(s *state) *Subscription { return s.subscriptions[jsonrpc.TokenOf(id).Key()] })
	if s == nil {
		return
	}
	select {
	case s.granted <- bytes.Clone(granted):
	default: // a repeated acknowledgement is ignored
	}
}
