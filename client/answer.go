package client

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Asked is a request that the server made. The receiver may keep its bytes.
type Asked struct {
	ID     jsonrpc.ID
	Method string
	Params []byte // raw JSON, nil when absent
	// Of and Key say where it stood when it was no message of its own: in the
	// result of our request Of, under Key of its inputRequests. The ID is then
	// one of ours (2026-07-28, basic / patterns / MRTR).
	Of  jsonrpc.ID
	Key string
	// Task is the id of the task that asks, empty when none does.
	Task string
}

// The requests of a server that a client may offer to take (specification,
// client features).
const (
	AskSampling    = "sampling/createMessage"
	AskElicitation = "elicitation/create"
)

// capabilities is what the client offers: only what it can do, in the words of
// the revision that it offers.
func (c *Client) capabilities(offer revision.Revision) json.RawMessage {
	roots, sampling := map[string]any{}, map[string]any{}
	if offer.IsLegacy() {
		roots["listChanged"] = true
	}
	offered := map[string]any{"roots": roots}
	if c.cfg.Ask != nil && c.cfg.Sampling {
		if !offer.Before(revision.R20251125) {
			sampling["tools"] = struct{}{} // who answers sees them, and may use them
		}
		offered["sampling"] = sampling
	}
	if m, ok := revision.Lookup(AskElicitation); ok && (m.In(offer) || m.Embedded(offer)) && c.cfg.Ask != nil && c.cfg.Elicitation {
		modes := map[string]any{}
		if !offer.Before(revision.R20251125) {
			modes["form"], modes["url"] = struct{}{}, struct{}{}
		}
		offered["elicitation"] = modes
	}
	if offer.IsModern() && c.cfg.Tasks {
		offered["extensions"] = map[string]any{revision.TasksExtension: struct{}{}}
	}
	return Params(offered)
}

// offers are the capabilities that each request without handshake declares.
func (c *Client) offers() json.RawMessage { return c.capabilities(revision.NewestModern) }

// takes reports whether a request is one for somebody to answer.
func (c *Client) takes(method string) bool {
	switch method {
	case AskSampling:
		return c.cfg.Ask != nil && c.cfg.Sampling
	case AskElicitation:
		return c.cfg.Ask != nil && c.cfg.Elicitation
	}
	return false
}

// asked passes a server's request on, or queues its answer. The bytes are only
// borrowed. The answer is never
// sent from here: a server that does not read while it writes would stop us
// from reading.
func (c *Client) asked(a Asked) {
	if c.modern.Load() {
		return // neither side may: it stands in the record (2026-07-28, basic, "Requests")
	}
	if c.takes(a.Method) {
		a.Params = bytes.Clone(a.Params)
		a.Task = text(a.Params, "_meta", revision.MetaRelatedTask, "taskId")
		c.mu.Lock()
		c.asks[a.ID] = a.Task
		c.mu.Unlock()
		c.cfg.Ask(a)
		return
	}
	a.Params = nil
	c.owe(a)
}

// mostOwed bounds the answers that wait for a server to read them. One that
// asks on and never reads gets no more of them; the record has its requests.
const mostOwed = 10000

// owe queues an answer that the client gives by itself.
func (c *Client) owe(a Asked) {
	c.mu.Lock()
	if len(c.answers) < mostOwed {
		c.answers = append(c.answers, a)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Answer sends the result of a request that [Config.Ask] was given. What a task
// asked for is answered with a mark that says so, unless the result has one
// (2025-11-25, basic / utilities / tasks, "Associating Task-Related Messages").
func (c *Client) Answer(ctx context.Context, id jsonrpc.ID, result []byte) error {
	if c.giveInput(id, result) {
		return nil // it goes out with the request that asked
	}
	c.mu.Lock()
	task := c.asks[id]
	c.mu.Unlock()
	if task != "" {
		result = withMeta(result, []member{{revision.MetaRelatedTask, taskParams(task)}})
	}
	return c.reply(ctx, id, jsonrpc.AppendResult(nil, id, result))
}

// Refuse answers a request that [Config.Ask] was given with an error. What
// stood in a result gets no answer at all then.
func (c *Client) Refuse(ctx context.Context, id jsonrpc.ID, code int64, message string) error {
	if c.giveInput(id, nil) {
		return nil
	}
	return c.reply(ctx, id, jsonrpc.AppendError(nil, id, code, message, nil))
}

func (c *Client) reply(ctx context.Context, id jsonrpc.ID, frame []byte) error {
	c.mu.Lock()
	delete(c.asks, id)
	for _, p := range c.pending {
		select {
		case p.progress <- struct{}{}: // the server goes on from here
		default:
		}
	}
	c.mu.Unlock()
	return c.transport().Send(ctx, frame)
}

// waitsForSomebody reports whether the server waits for an answer of ours. Its
// own answers then take as long as we do.
func (c *Client) waitsForSomebody() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asks) > 0
}

// answerAll sends what is owed until the connection ends.
func (c *Client) answerAll() {
	for {
		select {
		case <-c.wake:
		case <-c.quit:
			return
		case <-c.transport().Done():
			return
		}
		c.mu.Lock()
		owed := c.answers
		c.answers = nil
		c.mu.Unlock()
		for _, a := range owed {
			c.answer(a)
		}
	}
}

func (c *Client) answer(a Asked) {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	var frame []byte
	switch a.Method {
	case "ping":
		frame = jsonrpc.AppendResult(nil, a.ID, nil)
	case "roots/list":
		frame = jsonrpc.AppendResult(nil, a.ID, c.roots())
	default:
		frame = jsonrpc.AppendError(nil, a.ID, jsonrpc.CodeMethodNotFound, "mcptea does not offer "+a.Method, nil)
	}
	// A failure to write ends the connection, which the transport reports.
	_ = c.transport().Send(ctx, frame)
}
