package wiremutant

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A history holds the messages that have passed on a connection. It is safe for concurrent use.
type history struct {
	mu      sync.Mutex
	kinds   map[string]bool // kinds of messages
	asked   map[string]int  // requests of the client, by method and params
	pending map[string]bool // pending requests of the client by id; true if the same request was sent before
}

// A moment is the state of a history when a message passes.
type moment struct {
	kind  string
	again bool // the client has sent the same request before
	busy  bool // a different request of the client is pending
	after map[string]bool
}

// is reports whether the moment is one of [Edit.When].
func (now moment) is(when string) bool {
	word, kind, _ := strings.Cut(when, " ")
	switch word {
	case "again":
		return now.again
	case "busy":
		return now.busy
	case "after":
		return now.after[kind]
	}
	return true
}

// remembers reports whether edits depend on the history of a connection.
func (w *Wire) remembers() bool {
	return slices.ContainsFunc(w.edits, func(e Edit) bool { return e.When != "" })
}

// add adds a message to the history.
func (h *history) add(side, kind string, m map[string]any) moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kinds == nil {
		h.kinds, h.asked, h.pending = map[string]bool{}, map[string]int{}, map[string]bool{}
	}
	now := moment{kind: kind, after: maps.Clone(h.kinds)}
	id := encoded(m["id"])
	switch {
	case side == FromClient && m["method"] != nil && m["id"] != nil:
		params, _ := m["params"].(map[string]any)
		key := kind + encoded(without(params, "_meta"))
		h.asked[key]++
		now.again, now.busy = h.asked[key] > 1, len(h.pending) > 0
		h.pending[id] = now.again
	case side == FromServer && m["method"] == nil:
		now.again = h.pending[id]
		delete(h.pending, id)
		now.busy = len(h.pending) > 0
	default:
		now.busy = len(h.pending) > 1
	}
	h.kinds[kind] = true
	return now
}

// without returns a copy of an object without a member.
func without(m map[string]any, name string) map[string]any {
	m = with(m, name, nil)
	delete(m, name)
	return m
}

// open registers a connection over stdio whose client gets lines by emit, and whose server gets them by send.
func (s *session) open(emit, send func(line string)) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.emit, s.send = emit, send
	s.wire.live = append(s.wire.live, s)
}

// close unregisters a connection.
func (s *session) close() {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.live = slices.DeleteFunc(s.wire.live, func(other *session) bool { return other == s })
	s.emit, s.send = nil, nil
}

// ownID is the start of the ids of requests that operators add.
const ownID = "wiremutant-"

// isOwn reports whether an operator has added the request with an id.
func isOwn(id any) bool {
	text, _ := id.(string)
	return strings.HasPrefix(text, ownID)
}

// histories holds the operators on transitions of a server over stdio: what it does at a request, and on which
// connection.
var histories = map[string]func(s *session, e *state, m map[string]any, later func(time.Duration, func() any)) []any{
	// forget responds to a request with the result Arg; the server does not receive it.
	"forget": func(s *session, e *state, m map[string]any, _ func(time.Duration, func() any)) []any {
		s.respond(m, decoded(e.Arg))
		return nil
	},
	// answer-first responds with the result Arg.result, and the server receives the request Arg.ms later.
	"answer-first": func(s *session, e *state, m map[string]any, later func(time.Duration, func() any)) []any {
		var arg struct {
			MS     int             `json:"ms"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(e.Arg, &arg) != nil {
			return []any{m}
		}
		s.respond(m, decoded(arg.Result))
		later(time.Duration(arg.MS)*time.Millisecond, func() any { return e.own(m) })
		return nil
	},
	// do-twice makes the server do what the request asks for twice.
	"do-twice": func(_ *session, e *state, m map[string]any, _ func(time.Duration, func() any)) []any {
		return []any{m, e.own(m)}
	},
	// meanwhile has the server do the request Arg, whose response is dropped.
	"meanwhile": func(s *session, e *state, m map[string]any, _ func(time.Duration, func() any)) []any {
		if request, ok := decoded(e.Arg).(map[string]any); ok && s.send != nil {
			s.send(encoded(e.own(request)))
			s.wire.touched++
		}
		return []any{m}
	},
	// to-others sends a message on all connections.
	"to-others": func(s *session, _ *state, m map[string]any, _ func(time.Duration, func() any)) []any {
		for _, other := range s.wire.live {
			if other != s {
				other.emit(encoded(m))
			}
		}
		return []any{m}
	},
	// to-other sends a message on a different connection instead.
	"to-other": func(s *session, _ *state, m map[string]any, _ func(time.Duration, func() any)) []any {
		for _, other := range s.wire.live {
			if other != s {
				other.emit(encoded(m))
				return nil
			}
		}
		return []any{m}
	},
}

// respond sends the client a result as the response to a request.
func (s *session) respond(m map[string]any, result any) {
	if s.emit != nil {
		s.emit(encoded(map[string]any{"jsonrpc": "2.0", "id": m["id"], "result": result}))
	}
}

// own returns a copy of a request whose response is dropped.
func (s *state) own(m map[string]any) any {
	s.n++
	return with(m, "id", ownID+strconv.Itoa(s.number)+"-"+strconv.Itoa(s.n))
}
