package client

import (
	"maps"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
)

// expires records when the request times out.
func (p *pending) expires(at time.Time) { p.deadline.Store(at.UnixNano()) }

func (p *pending) expiry() time.Time { return time.Unix(0, p.deadline.Load()) }

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// maxShownTimeout is the longest time that counts as a deadline.
const maxShownTimeout = 365 * 24 * time.Hour

// Deadline returns when a pending request times out. It is false for a request
// that is not pending or has no timeout, and while timeouts are paused because
// the server waits for the client.
func (c *Client) Deadline(id jsonrpc.ID) (time.Time, bool) {
	p := c.pending(id)
	if p == nil || p.deadline.Load() == 0 || read(c, (*state).timeoutsPaused) {
		return time.Time{}, false
	}
	if at := p.expiry(); time.Until(at) < maxShownTimeout {
		return at, true
	}
	return time.Time{}, false
}

// Extend extends the deadline of a pending request, even beyond Config.MaxTimeout. It returns false if no
// request with the id is pending.
func (c *Client) Extend(id jsonrpc.ID, by time.Duration) bool {
	p := c.pending(id)
	return p != nil && p.prolong(by)
}

// prolong implements Extend for a pending request.
func (p *pending) prolong(by time.Duration) bool {
	select {
	case p.extend <- by:
		return true
	default:
		return false // the previous value is about to be read
	}
}

// ExtendConnecting extends the deadlines of all pending requests and of the running step while Connect runs. It
// returns false if nothing is pending.
func (c *Client) ExtendConnecting(by time.Duration) bool {
	all := read(c, func(s *state) []*pending { return slices.Collect(maps.Values(s.pending)) })
	extended := false
	for _, p := range all {
		extended = p.prolong(by) || extended
	}
	if l := read(c, func(s *state) *checklist { return s.steps }); extended && l != nil {
		l.Extend(by)
	}
	return extended
}
