package client

import (
	"bytes"
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

// corrected returns the request to send in place of one that was refused because
// it came without handshake, once there has been one; nil when there is none.
func (c *Client) corrected(ctx context.Context, frame []byte, answer Response, err error) (id jsonrpc.ID, again []byte) {
	e := jsonrpc.Scan(frame)
	method, params := e.MethodName(frame), e.Params.Of(frame)
	if !revision.Revision(text(params, "_meta", revision.MetaProtocolVersion)).IsModern() {
		return "", nil
	}
	if err == nil && answer.Err() == nil {
		c.mu.Lock()
		c.proven = true
		c.mu.Unlock()
		return "", nil
	}
	offer, refused := c.wantsHandshake(answer, err)
	if refused == nil || c.cfg.Revision != "" {
		return "", nil
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
	if c.settled(ctx) != nil || !k.ok {
		return "", nil
	}
	id = c.NextID()
	return id, c.Request(id, method, c.withoutClientMeta(params, e.ID.Of(frame)))
}

// withoutClientMeta takes away what a request says of itself where there is no handshake.
func (c *Client) withoutClientMeta(params, id []byte) []byte {
	meta, _ := jsonrpc.Member(params, "_meta")
	var ours []string
	for _, m := range c.clientMeta() {
		ours = append(ours, m.name)
	}
	if token, _ := jsonrpc.Member(meta, "progressToken"); bytes.Equal(token, id) {
		ours = append(ours, "progressToken") // there will be another
	}
	rest := without(meta, ours...)
	params = without(params, "_meta")
	if string(rest) != `{}` {
		return insert(params, []member{{"_meta", rest}})
	}
	if string(params) == `{}` {
		return nil
	}
	return params
}

// correct does the handshake. Whoever was refused may give up meanwhile; others
// wait for the same.
func (c *Client) correct(k *correction, list *checklist, offer revision.Revision, method string, refused error) {
	defer close(k.done)
	before := c.EraDetection()
	c.rule(revision.EraLegacy, EraCorrected, "but %s of %s was refused: %v", method, revision.NewestModern, refused)
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
		c.rule(before.Era, before.DetectedBy, "and so was initialize: %v", err)
		return
	}
	c.rule(revision.EraLegacy, EraCorrected, "initialize was answered, with revision %s", c.Revision())
	c.listen(context.Background())
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
func (c *Client) wantsHandshake(answer Response, err error) (offer revision.Revision, refused error) {
	var status *transport.StatusError
	var rpc *RPCError
	if errors.As(err, &status) {
		answer = Response{Frame: status.Body, Envelope: jsonrpc.Scan(status.Body)}
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
