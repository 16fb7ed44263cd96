package peer

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Call is one request being served, in the hands of a tool or a resource. It is
// valid until the tool returns.
type Call struct {
	session *Session
	reply   Reply
	message Message
	over    atomic.Bool
	terms   terms
	// principal owns the tasks and webhooks that the call creates; "" without credentials.
	principal string
	rounds    rounds
	task      *task  // task of the call, or nil
	used      *Entry // used by tools/call, prompts/get and resources/read; nil for others
	after     func() // runs after the response; may be nil

	// Args contains the arguments of a tool or a prompt, or the values of the variables of a template: a JSON
	// object, or nil if there are none.
	Args json.RawMessage
}

// Decode decodes the arguments into v. Absent arguments get the defaults of the schema.
func (c *Call) Decode(v any) error {
	err := json.Unmarshal(c.used.defaults(), v)
	if err == nil {
		err = json.Unmarshal(c.Args, v)
	}
	if err != nil {
		return invalidParams("arguments: %v", err)
	}
	return nil
}

// Afterwards makes a function run after the response was sent: for notifications about what the response announces.
func (c *Call) Afterwards(run func()) { c.after = run }

// Revision returns the current revision.
func (c *Call) Revision() revision.Revision { return c.terms.revision }

// server returns the server of the call.
func (c *Call) server() *Server { return c.session.server }

// Sleep simulates work for some seconds at the server's pace. It returns an error if the call is cancelled in
// the meantime.
func (c *Call) Sleep(ctx context.Context, seconds float64) error {
	return c.session.sleep(ctx, seconds)
}

func (s *Session) sleep(ctx context.Context, seconds float64) error {
	over, stop := context.WithTimeout(ctx, time.Duration(seconds*float64(s.server.pace())))
	defer stop()
	<-over.Done()
	return context.Cause(ctx)
}

// Send sends bytes as a frame about this call, whatever they are. The call of a
// task has nowhere to send them.
func (c *Call) Send(frame []byte) {
	if c.task == nil && !c.over.Load() {
		c.reply.Send(frame)
	}
}

// Notify sends a notification about this call. For a task it names the task, or sends nothing if tasks only
// report their state.
func (c *Call) Notify(method string, params any) {
	switch {
	case c.task == nil:
		c.Send(jsonrpc.EncodeNotification(method, Encode(params)))
	case !c.terms.modern:
		c.session.Notify(method, c.task.related(Encode(params)))
	}
}

// ProgressToken returns the token with which the client requests
// progress, nil if it does not.
func (c *Call) ProgressToken() []byte {
	token, _ := jsonrpc.Member(c.message.Params, "_meta", "progressToken")
	switch jsonrpc.TypeOfID(token) {
	case jsonrpc.IDString, jsonrpc.IDInteger:
		return token
	}
	return nil
}

// Progress reports the progress of the work, if the client requested it. A total of 0 and an empty message are
// left out.
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
	if !progressMessage.In(c.Revision()) {
		params.Message = ""
	}
	c.Notify("notifications/progress", params)
}

// WantsLog reports whether the client requested log messages of a level: from the level of logging/setLevel, or
// from the level that the request names.
func (c *Call) WantsLog(level string) bool {
	at, _ := levelNamed(level)
	return at >= c.terms.level
}

// Log sends a log message, if the client requested its level. data is any JSON
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

// memory returns the memory that is visible to the call.
func (c *Call) memory() *memory {
	if c.terms.modern {
		return &c.server().memory
	}
	return &c.session.memory
}

// Count returns the number of calls of Count with this key so far: in this session, or by any client if there
// are no sessions.
func (c *Call) Count(key string) int { return c.memory().add(key, 1) }
