package flow

import (
	"bytes"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// notification finds the request that a notification belongs to (specification,
// basic / utilities: progress, cancellation and tasks; 2026-07-28, basic /
// patterns / subscriptions).
func (t *Table) notification(m *Message) Match {
	method, params := m.Envelope.Method.Of(m.Bytes), m.Envelope.Params.Of(m.Bytes)
	if bytes.IndexByte(method, '\\') >= 0 {
		method = []byte(m.Envelope.MethodName(m.Bytes))
	}
	switch string(method) { // hot path: nothing is copied
	case "notifications/progress":
		return t.progress(m, params)
	case "notifications/cancelled":
		return t.cancelled(m, params)
	case "notifications/tasks", "notifications/tasks/status":
		task := jsonrpc.Text(params, "taskId")
		if ref, ok := t.tasks.get(t.key([]byte(task))); ok && m.Dir == transport.In {
			return Match{Ref: ref}
		}
	}
	match := t.subscribed(m, params)
	match.Acknowledged = match.Row != None && string(method) == "notifications/subscriptions/acknowledged"
	return match
}

// subscribed finds the subscription that a notification belongs to.
func (t *Table) subscribed(m *Message, params []byte) Match {
	if t.subscriptions == 0 {
		return Match{Ref: NoRef}
	}
	id, ok := jsonrpc.Member(params, "_meta", revision.MetaSubscriptionID)
	if !ok {
		return Match{Ref: NoRef}
	}
	f := t.held[1-m.Dir][t.key(id)]
	if f == nil || !f.IsSubscription() || !f.Waits() {
		return Match{Ref: NoRef}
	}
	return Match{Ref: f.Ref, Method: f.Method, Flow: f, Before: Pending, State: Pending}
}

func (t *Table) progress(m *Message, params []byte) Match {
	var token, progress, total, message []byte
	for member, value := range jsonrpc.Members(params) {
		switch string(member) {
		case "progressToken":
			token = value
		case "progress":
			progress = value
		case "total":
			total = value
		case "message":
			message = value
		}
	}
	if token == nil {
		return Match{Ref: NoRef}
	}
	key := t.TokenKey(token)
	f := t.tokens[1-m.Dir][key]
	if f == nil {
		if ref, ok := t.taskTokens[1-m.Dir].get(key); ok {
			return Match{Ref: ref}
		}
		return Match{Ref: NoRef}
	}
	f.Reports++
	f.LastReport = m.Time
	f.Progress, _ = number(progress)
	f.Total, f.HasTotal = number(total)
	text, _ := jsonrpc.Unquote(message)
	f.Message = cut(text)
	return Match{Ref: f.Ref, Method: f.Method, Flow: f, Before: f.State, State: f.State}
}

func number(value []byte) (float64, bool) {
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}

// cancelled ends the wait for the request that a cancellation names, unless it
// crossed the response.
func (t *Table) cancelled(m *Message, params []byte) Match {
	id, ok := jsonrpc.Member(params, "requestId")
	if !ok {
		return Match{Ref: NoRef}
	}
	match := t.End(m.Dir, id, Cancelled, m.Time)
	reason, _ := jsonrpc.Start(params, "reason")
	match.TimedOut = bytes.HasPrefix(reason, []byte(`"timed out`)) // as this client writes it
	if match.Row == None {
		// A server ends a subscription of the client so (2026-07-28, basic /
		// patterns / cancellation).
		if f := t.held[1-m.Dir][t.key(id)]; f != nil && f.IsSubscription() {
			return t.End(1-m.Dir, id, Cancelled, m.Time)
		}
	}
	return match
}
