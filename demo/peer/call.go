package peer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
)

// Call is one request being served, in the hands of a tool or a resource. It is
// valid until the tool returns.
type Call struct {
	session *Session
	reply   Reply
	message Message
	over    atomic.Bool

	// Args are the arguments of a tool, always a JSON object.
	Args json.RawMessage
}

// finish makes further notifications impossible: nothing comes after the answer.
func (c *Call) finish() { c.over.Store(true) }

// Decode reads the arguments into v, which may be preset with defaults.
func (c *Call) Decode(v any) error {
	if err := json.Unmarshal(c.Args, v); err != nil {
		return invalidParams("arguments: %v", err)
	}
	return nil
}

// Revision returns the revision in force.
func (c *Call) Revision() Revision { return c.session.Revision() }

// Sleep pretends to work for some seconds of the server's pace. It returns an
// error when the call is cancelled meanwhile.
func (c *Call) Sleep(ctx context.Context, seconds float64) error {
	return c.session.sleep(ctx, seconds)
}

func (s *Session) sleep(ctx context.Context, seconds float64) error {
	timer := time.NewTimer(time.Duration(seconds * float64(s.server.pace())))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Send sends bytes as a frame about this call, whatever they are.
func (c *Call) Send(frame []byte) {
	if !c.over.Load() {
		c.reply.Send(frame)
	}
}

// Notify sends a notification about this call.
func (c *Call) Notify(method string, params any) {
	c.Send(jsonrpc.AppendNotification(nil, method, encode(params)))
}

// ProgressToken returns the token under which the client wants to hear of
// progress, nil if it does not.
func (c *Call) ProgressToken() []byte { return progressToken(c.message.Params) }

func progressToken(params []byte) []byte {
	token, _ := jsonrpc.Member(params, "_meta", "progressToken")
	switch jsonrpc.TypeOfID(token) {
	case jsonrpc.IDString, jsonrpc.IDInteger:
		return token
	}
	return nil
}

// Progress tells how far the work is, if the client asked for it. A total of 0
// is left out, and so is an empty message.
func (c *Call) Progress(done, total float64, message string) {
	token := c.ProgressToken()
	if token == nil {
		return
	}
	params := struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total,omitempty"`
		Message  string          `json:"message,omitempty"`
	}{token, done, total, message}
	if !c.Revision().Has(ProgressMessage) {
		params.Message = ""
	}
	c.Notify("notifications/progress", params)
}

// Levels are the names of the log levels, the least urgent first (RFC 5424).
var Levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func levelOf(name string) int { return slices.Index(Levels, name) }

// WantsLog reports whether the client wants log messages of a level.
func (c *Call) WantsLog(level string) bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return levelOf(level) >= c.session.level
}

// Log sends a log message, if the client wants its level. data is any JSON
// value.
func (c *Call) Log(level, logger string, data any) {
	if !c.WantsLog(level) {
		return
	}
	c.Notify("notifications/message", struct {
		Level  string `json:"level"`
		Logger string `json:"logger,omitempty"`
		Data   any    `json:"data"`
	}{level, logger, data})
}

// Ask sends a request to the client and waits for its answer. A refusal comes
// back as *[Error].
func (c *Call) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.session.ask(ctx, c.reply, method, encodeData(params))
}

// ClientHas reports whether the client declared a capability, such as
// "elicitation" or "elicitation.url".
func (c *Call) ClientHas(path string) bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	names := strings.Split(path, ".")
	_, ok := jsonrpc.Member(c.session.clientCaps, names[0], names[1:]...)
	return ok
}

// Count returns how often it was called with this key in this session, from 1.
func (c *Call) Count(key string) int {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.counts[key]++
	return c.session.counts[key]
}

// ToggleTool shows or hides a tool that is hidden by default, tells the client
// that the list changed, and returns whether the tool is shown now.
func (c *Call) ToggleTool(name string) bool {
	c.session.mu.Lock()
	shown := !c.session.shown[name]
	c.session.shown[name] = shown
	c.session.mu.Unlock()
	c.session.Notify("notifications/tools/list_changed", nil)
	return shown
}

// TouchResource tells all subscribers of a resource that it changed, and
// returns how many sessions that were. It reports false for an unknown uri.
func (c *Call) TouchResource(uri string) (int, bool) {
	if !c.session.server.holds(uri) {
		return 0, false
	}
	return c.session.server.updated(uri), true
}

// NotifyUnasked sends a notification that does not belong to this call.
func (c *Call) NotifyUnasked(method string, params any) {
	c.session.Notify(method, encode(params))
}
