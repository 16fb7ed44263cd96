package client

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// A server can answer server/discover and then turn away all else that comes
// without a handshake: behind the same URL stand two programs, or one that
// answers more than it can do. It is then spoken to as the older one.

// correction is the handshake that is done after all.
type correction struct {
	done chan struct{}
	ok   bool // set before done is closed
}

// settled waits until no handshake is under way that was begun after Connect:
// nothing may be asked before its end.
func (c *Client) settled(ctx context.Context) error {
	c.mu.Lock()
	k := c.correction
	c.mu.Unlock()
	if k == nil {
		return nil
	}
	select {
	case <-k.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// corrects reports whether a request that was sent without handshake is to be
// sent again, because its refusal or that of another one has led to a handshake.
func (c *Client) corrects(ctx context.Context, method string, answer Answer, err error) bool {
	if err == nil && answer.Err() == nil {
		c.mu.Lock()
		c.proven = true
		c.mu.Unlock()
		return false
	}
	offer, refused := c.wantsHandshake(answer, err)
	if refused == nil || c.cfg.Revision != "" {
		return false
	}
	c.mu.Lock()
	k, list := c.correction, c.list
	first := k == nil
	if first {
		k = &correction{done: make(chan struct{})}
		c.correction = k
	}
	c.mu.Unlock()
	if first && !c.start(func() { c.correct(k, list, offer, method, refused) }) {
		close(k.done)
	}
	return c.settled(ctx) == nil && k.ok
}

// correct does the handshake. Whoever was refused may give up meanwhile; others
// wait for the same.
func (c *Client) correct(k *correction, list *checklist, offer revision.Revision, method string, refused error) {
	defer close(k.done)
	before := c.Verdict()
	c.rule(revision.EraLegacy, HowCorrected, "but %s of %s was refused: %v", method, revision.NewestModern, refused)
	if list == nil {
		list = newChecklist(c.tap)
	}
	list.reopen(StepReady)
	list.stop(refused)
	list.replan(stepsOfHandshake...)
	c.connecting(true)
	c.goLegacy()
	if err := c.shakeHands(context.Background(), list, offer); err != nil {
		list.stop(err)
		c.goModern()
		c.connecting(false)
		c.rule(before.Era, before.How, "and so was initialize: %v", err)
		return
	}
	c.rule(revision.EraLegacy, HowCorrected, "initialize was answered, with revision %s", c.Revision())
	c.transport().Listen()
	k.ok = true
}

func (c *Client) connecting(now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connected = !now
}

// wantsHandshake returns what to begin a handshake with, and the refusal of a
// request without, when that is one of a server that has one. A list of
// revisions says it outright. The codes of servers with sessions have other meanings too,
// so they count only as long as nothing else has succeeded, and when the status
// or the words say the same.
func (c *Client) wantsHandshake(answer Answer, err error) (offer revision.Revision, refused error) {
	var status *transport.StatusError
	var rpc *RPCError
	if errors.As(err, &status) {
		answer = Answer{Frame: status.Body, Envelope: jsonrpc.Scan(status.Body)}
	}
	if !errors.As(answer.Err(), &rpc) {
		return "", nil
	}
	if listed := supportedRevisions(answer); len(listed) > 0 {
		r, ok := revision.NewestCommonLegacy(listed)
		if !ok || namesModern(listed) {
			return "", nil
		}
		return r, rpc
	}
	c.mu.Lock()
	proven := c.proven
	c.mu.Unlock()
	if !proven && isOfSessions(rpc, status) {
		return c.offer(), rpc
	}
	return "", nil
}

// isOfSessions reports whether an error is one that servers with sessions give
// to what comes without. The number alone is anybody's.
func isOfSessions(e *RPCError, status *transport.StatusError) bool {
	switch e.Code {
	case -32000, -32001, jsonrpc.CodeInvalidRequest:
	default:
		return false
	}
	if status != nil {
		return status.Status == http.StatusBadRequest || status.Status == http.StatusNotFound
	}
	words := strings.ToLower(e.Message)
	return strings.Contains(words, "session") || strings.Contains(words, "initializ")
}
