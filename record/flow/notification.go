package flow

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// notification finds the request that a notification belongs to (specification,
// basic / utilities: progress, cancellation and tasks; 2026-07-28, basic /
// patterns / subscriptions).
func (t *Table) notification(m *Match) {
	method, params := m.Envelope.MethodText(m.Bytes), m.Envelope.Params.Of(m.Bytes)
	switch string(method) { // hot path: nothing is copied
	case "notifications/progress":
		t.progress(m, params)
		return
	case "notifications/cancelled":
		t.cancelled(m, params)
		return
	case "notifications/tasks", "notifications/tasks/status":
		task := jsonrpc.Text(params, "taskId")
		if ref, ok := t.tasks.get(t.hash([]byte(task))); ok && m.Dir == transport.In {
			m.Request = ref
			return
		}
	}
	t.subscribed(m, params)
	m.Acknowledged = m.Request.Present() && string(method) == "notifications/subscriptions/acknowledged"
}

// subscribed finds the subscription that a notification belongs to.
func (t *Table) subscribed(m *Match, params []byte) {
	if t.subscriptions == 0 {
		return
	}
	id, ok := jsonrpc.Member(params, "_meta", revision.MetaSubscriptionID)
	if !ok {
		return
	}
	if f := t.held[1-m.Dir][t.key(jsonrpc.TokenOf(id))]; f != nil && f.IsSubscription() && f.Waits() {
		m.belongs(f, Pending)
	}
}

func (t *Table) progress(m *Match, params []byte) {
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
		return
	}
	key := t.TokenKey(token)
	f := t.tokens[1-m.Dir][key]
	if f == nil {
		if ref, ok := t.taskTokens[1-m.Dir].get(key); ok {
			m.Request = ref
		}
		return
	}
	f.Reports++
	f.LastReport = m.Time
	f.Progress, _ = number(progress)
	f.Total, f.HasTotal = number(total)
	text, _ := jsonrpc.Unquote(message)
	f.Message = phrase.Clip(text, maxText)
	m.belongs(f, f.State)
}

func number(value []byte) (float64, bool) {
	n, err := strconv.ParseFloat(string(value), 64)
	return n, err == nil
}

// cancelled ends the wait for the request that a cancellation names. It does nothing if the
// response arrived first.
func (t *Table) cancelled(m *Match, params []byte) {
	id, ok := jsonrpc.Member(params, "requestId")
	if !ok {
		return
	}
	t.endID(m, m.Dir, jsonrpc.TokenOf(id), Cancelled, m.Time)
	if !m.Request.Present() {
		// A server ends a subscription of the client this way (2026-07-28, basic / patterns /
		// cancellation).
		if f := t.held[1-m.Dir][t.key(jsonrpc.TokenOf(id))]; f != nil && f.IsSubscription() {
			t.endID(m, 1-m.Dir, jsonrpc.TokenOf(id), Cancelled, m.Time)
		}
	}
	if m.Ended != NotEnded && strings.HasPrefix(jsonrpc.Text(params, "reason"), transport.ReasonTimedOut) { // the client writes the reason of a timeout in this form
		m.Ended = ByTimeout
	}
}
