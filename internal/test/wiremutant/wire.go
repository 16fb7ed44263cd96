package wiremutant

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Wire applies a mutant to all connections of a server. It is safe for concurrent use.
type Wire struct {
	mu        sync.Mutex // never held while a goroutine waits
	edits     []Edit
	states    []*state // states of the edits, for connections that share them
	touched   int
	processes int
	changed   []byte    // first message that was changed, as sent
	get       *response // newest GET event stream, or nil
	hooks     hooks
	values    []map[int]any  // values of each edit, by connection
	live      []*session     // open connections over stdio
	history   history        // of all connections over HTTP
	seen      map[Place]bool // places in messages of the server, or nil if they are not collected
}

// A Place is a member of a kind of message that a server has sent.
type Place struct {
	Kind string // kind of message, as in [Edit.On]
	At   string // as in [Edit.At]; "" for the whole message
	Type string // JSON type of its value: string, number, boolean, array, object or null
}

// New returns the wire of a mutant.
func New(m Mutant) *Wire {
	w := &Wire{edits: m.Edits, values: make([]map[int]any, len(m.Edits))}
	for i := range w.values {
		w.values[i] = map[int]any{}
	}
	w.states = w.fresh(0)
	return w
}

// fresh returns the state of each edit before the first message of a connection.
func (w *Wire) fresh(number int) (all []*state) {
	for i, e := range w.edits {
		all = append(all, &state{Edit: e, number: number, values: w.values[i]})
	}
	return all
}

// NewSurvey returns a wire that changes nothing and collects the places of the server's messages, see
// [Wire.Places].
func NewSurvey() *Wire { return &Wire{seen: map[Place]bool{}} }

// Touched returns the number of changed messages. A mutant that changed none proves nothing.
func (w *Wire) Touched() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.touched
}

// Changed returns the first message that an operator of a member has changed, as sent, or nil.
func (w *Wire) Changed() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// Places returns the places in the server's messages, sorted.
func (w *Wire) Places() []Place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Keys(w.seen), func(a, b Place) int {
		return strings.Compare(a.Kind+" "+a.At+" "+a.Type, b.Kind+" "+b.At+" "+b.Type)
	})
}

// A session pairs the requests of a connection with their responses.
type session struct {
	wire    *Wire
	mu      sync.Mutex         // never held while a goroutine waits
	methods map[request]string // methods of requests
	states  []*state           // in the order of the edits
	number  int                // number of the process, from 1
	history *history
	emit    func(line string) // sends a line to the client, or nil
	send    func(line string) // sends a line to the server, or nil
}

// A request is identified by its sender and its id.
type request struct {
	side string
	id   string // JSON
}

// session returns a connection that shares the states of the edits with the other connections of the server.
func (w *Wire) session() *session {
	return &session{wire: w, methods: map[request]string{}, states: w.states, history: &w.history}
}

// process returns the connection of a process with edit states of its own.
func (w *Wire) process() *session {
	s := w.session()
	s.history = &history{}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes++
	s.number = w.processes
	s.states = w.fresh(s.number)
	return s
}

// kindOf returns the kind of a message that a side has sent.
func (s *session) kindOf(side string, line []byte) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) != nil {
		return ""
	}
	id := encoded(decoded(m["id"]))
	s.mu.Lock()
	defer s.mu.Unlock()
	if method, ok := decoded(m["method"]).(string); ok {
		if m["id"] != nil {
			s.methods[request{side, id}] = method
		}
		return method
	}
	from := FromClient
	if side == FromClient {
		from = FromServer
	}
	method := s.methods[request{from, id}]
	if decoded(m["error"]) != nil {
		return "error:" + method
	}
	return "result:" + method
}

// isTransparent reports whether no edit and no survey reads the messages of a kind.
func (s *session) isTransparent(side, kind string) bool {
	return s.wire.seen == nil && kind != "events/subscribe" && !slices.ContainsFunc(s.wire.edits, func(e Edit) bool {
		return e.Op == "after-end" || e.Op == "borrow" || e.Op == "answer-first" || e.Op == "do-twice" || e.Op == "meanwhile" || e.Side == side && e.appliesTo(kind)
	})
}

// through returns the lines to send instead of a line, without line ends. later schedules another line; its
// function returns "" to send none.
func (s *session) through(side string, line []byte, later func(d time.Duration, line func() string)) []string {
	unchanged := []string{string(bytes.TrimRight(line, "\r\n"))}
	kind := s.kindOf(side, line)
	remembers := s.wire.remembers()
	if s.isTransparent(side, kind) && !remembers {
		return unchanged
	}
	m, ok := decoded(line).(map[string]any)
	if !ok {
		return unchanged
	}
	now := moment{kind: kind}
	if remembers {
		now = s.history.add(side, kind, m)
	}
	if isOwn(m["id"]) && side == FromServer && m["method"] == nil {
		return nil
	}
	if side == FromClient && m["method"] == "events/subscribe" {
		s.wire.hooks.note(m)
	}
	all := s.sends(side, now, m, func(d time.Duration, m func() any) {
		later(d, func() string {
			if m := m(); m != nil {
				return encoded(m)
			}
			return ""
		})
	})
	if len(all) == 1 && encoded(all[0]) == encoded(m) {
		return unchanged
	}
	lines := make([]string, len(all))
	for i, one := range all {
		lines[i] = encoded(one)
	}
	return lines
}

// sends returns the messages to send instead of a message: objects, or raw text. later schedules
// another one; its function returns nil to send none.
func (s *session) sends(side string, now moment, m map[string]any, later func(d time.Duration, m func() any)) []any {
	kind := now.kind
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.survey(side, kind, m)
	all := []any{m}
	for _, e := range s.states {
		e.lend(kind, m)
		if e.Side != side || !e.appliesTo(kind) || s.number < e.Conn || !now.is(e.When) {
			continue
		}
		if e.seen++; e.seen < e.From || e.To > 0 && e.seen > e.To {
			continue
		}
		var next []any
		for _, one := range all {
			if m, ok := one.(map[string]any); ok {
				next = append(next, s.apply(e, m, later)...)
			} else {
				next = append(next, one)
			}
		}
		all = next
	}
	if side == FromServer && m["method"] == nil { // after a response, the messages that wait for it
		for _, e := range s.states {
			if e.Op == "after-end" && e.held != nil && !e.appliesTo(kind) {
				all, e.held = append(all, e.held), nil
			}
		}
	}
	return all
}

// apply applies an edit to a message, and records whether it changed the message. The caller holds the lock of
// the wire.
func (s *session) apply(e *state, m map[string]any, later func(d time.Duration, m func() any)) []any {
	out := []any{m}
	if op := members[e.Op]; op != nil {
		if e.Op == "alternate" {
			e.n++ // every second message, not every second element
		}
		changed, _ := edited(m, e.At, func(v any) any { return op(v, e) })
		out = []any{changed}
	} else if op := histories[e.Op]; op != nil {
		out = op(s, e, m, later)
	} else if op := messages[e.Op]; op != nil {
		out = op(m, e, func(d time.Duration, m func() any) {
			later(d, func() any {
				s.wire.mu.Lock()
				defer s.wire.mu.Unlock()
				sent := m()
				if sent != nil {
					s.wire.touched++
				}
				return sent
			})
		})
	}
	if len(out) == 1 && encoded(out[0]) == encoded(m) && e.Op != "after-end" {
		return out
	}
	if s.wire.touched++; s.wire.changed == nil && members[e.Op] != nil {
		s.wire.changed = []byte(encoded(out[0]))
	}
	return out
}

// survey collects the places of a message.
func (w *Wire) survey(side, kind string, m map[string]any) {
	if w.seen == nil || side != FromServer || strings.HasSuffix(kind, ":") {
		return
	}
	w.seen[Place{Kind: kind}] = true
	places(m, "", func(at string, v any) { w.seen[Place{kind, at, typeOf(v)}] = true })
}

// typeOf returns the JSON type of a value.
func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}
