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

// SubscriptionFilter says what a subscription is to tell of (2026-07-28, basic / patterns /
// subscriptions).
type SubscriptionFilter struct {
	Tools, Prompts, Resources bool     // that the list has changed
	URIs                      []string // that one of these resources has changed
	Tasks                     []string // how these tasks stand; an extension
}

// Empty reports whether there is nothing to tell.
func (w SubscriptionFilter) Empty() bool {
	return !w.Tools && !w.Prompts && !w.Resources && len(w.URIs) == 0 && len(w.Tasks) == 0
}

func (w SubscriptionFilter) params() []byte {
	wanted := map[string]any{}
	for name, on := range map[string]bool{
		"toolsListChanged": w.Tools, "promptsListChanged": w.Prompts, "resourcesListChanged": w.Resources,
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

// Subscription is a request that stays open and on which the server tells of
// changes. Its methods may be called from any goroutine.
type Subscription struct {
	ID jsonrpc.ID

	cancel  context.CancelCauseFunc
	granted chan []byte // 1 slot
	done    chan struct{}
	err     error // set before done is closed
}

// errUnsubscribed is why a subscription ends that is no longer wanted.
var errUnsubscribed = errors.New("no longer wanted")

// ErrSubscriptionEnded says that the server ended a subscription in good order.
var ErrSubscriptionEnded = errors.New("the server has ended the subscription")

// Done is closed when nothing more will be told; Err then says why.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err is why it ended: nil when [Subscription.Close] did it, [ErrSubscriptionEnded],
// an *RPCError, or what became of the connection. It is for after Done.
func (s *Subscription) Err() error { return s.err }

// Close ends the subscription and tells the server. It returns at once.
func (s *Subscription) Close() { s.cancel(errUnsubscribed) }

// acknowledgeTimeout is how long a server may take to say what it grants.
const acknowledgeTimeout = 30 * time.Second

// Subscribe asks to be told of changes and returns what the server grants of
// that, raw: the object "notifications" of its acknowledgement, which must be
// the first thing to come. What is told comes to the tap as any notification.
// ctx bounds the asking alone. There is nothing of the kind with a handshake.
func (c *Client) Subscribe(ctx context.Context, w SubscriptionFilter) (*Subscription, []byte, error) {
	if !c.modern.Load() {
		return nil, nil, errors.New("with a handshake there is no subscriptions/listen")
	}
	life, cancel := context.WithCancelCause(context.Background())
	s := &Subscription{ID: c.NextID(), cancel: cancel, granted: make(chan []byte, 1), done: make(chan struct{})}
	c.mu.Lock()
	if c.subscriptions == nil {
		c.subscriptions = map[jsonrpc.ID]*Subscription{}
	}
	c.subscriptions[s.ID] = s
	c.mu.Unlock()
	if !c.start(func() { c.runSubscription(life, s, w) }) {
		cancel(nil)
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
		return nil, nil, &TimeoutError{"subscriptions/listen", acknowledgeTimeout}
	case <-ctx.Done():
		s.Close()
		return nil, nil, context.Cause(ctx)
	}
}

// runSubscription carries the request to its end.
func (c *Client) runSubscription(life context.Context, s *Subscription, w SubscriptionFilter) {
	defer s.cancel(nil)
	answer, err := c.sendOnce(life, c.NewRequest(s.ID, "subscriptions/listen", w.params()), options{noLimit: true})
	switch {
	case errors.Is(err, errUnsubscribed):
		err = nil
	case errors.Is(err, ErrSubscriptionEnded):
	case err == nil && answer.Err() != nil:
		err = answer.Err()
	case err == nil:
		err = ErrSubscriptionEnded
	default:
		err = fmt.Errorf("the subscription has ended: %w", err)
	}
	c.mu.Lock()
	delete(c.subscriptions, s.ID)
	c.mu.Unlock()
	s.err = err
	close(s.done)
}

// handleAcknowledgement is called from the wire.
func (c *Client) handleAcknowledgement(params []byte) {
	id, _ := jsonrpc.Member(params, "_meta", revision.MetaSubscriptionID)
	granted, _ := jsonrpc.Member(params, "notifications")
	c.mu.Lock()
	s := c.subscriptions[jsonrpc.ID(id)]
	c.mu.Unlock()
	if s == nil {
		return
	}
	select {
	case s.granted <- bytes.Clone(granted):
	default: // a second acknowledgement of the same
	}
}
