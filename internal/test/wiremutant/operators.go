package wiremutant

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// joined returns the operators of both maps.
func joined[F any](a, b map[string]F) map[string]F {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// drop is the value of a member that an operator removes.
var drop = new(int)

// A state is an edit with the values that its operator keeps between messages. The lock of the wire guards it.
type state struct {
	Edit
	n     int
	first any
	last  any
	held  map[string]any // a message that waits for another one
	ids   []any
	has   bool // first or last is set
	seen  int  // messages that the edit applies to
	// Connection of the state, and values of the edit on all connections over stdio, by connection.
	number int
	values map[int]any
	next   map[string]any // cursor after each cursor
}

// holdTime bounds how long a held message waits for the message that releases it.
const holdTime = 20 * time.Millisecond

// release returns the message if it is still held.
func (s *state) release(m map[string]any) func() any {
	return func() any {
		if s.held == nil || encoded(s.held) != encoded(m) {
			return nil
		}
		s.held = nil
		return m
	}
}

// members are operators of a member: they return its new value, or drop.
var members = joined(units, map[string]func(v any, s *state) any{
	"drop":  func(any, *state) any { return drop },
	"null":  func(any, *state) any { return nil },
	"type":  func(v any, _ *state) any { return otherType(v) },
	"empty": func(v any, _ *state) any { return empty(v) },
	"other": func(v any, _ *state) any {
		if v == nil {
			return nil // a new value would need another type
		}
		return other(v)
	},
	"freeze": func(v any, s *state) any {
		if !s.has {
			s.first, s.has = v, true
		}
		return s.first
	},
	"alternate": func(v any, s *state) any {
		if s.n%2 == 0 {
			return other(v)
		}
		return v
	},
	"stale": func(v any, s *state) any {
		was := v
		if s.has {
			was = s.last
		}
		s.last, s.has = v, true
		return was
	},
	"set": func(_ any, s *state) any { return decoded(s.Arg) },
	"iso": func(_ any, s *state) any { // the time in Arg milliseconds
		ms, _ := strconv.Atoi(string(s.Arg))
		return time.Now().Add(time.Duration(ms) * time.Millisecond).UTC().Format(time.RFC3339Nano)
	},
	"cycle": func(_ any, s *state) any { // the values of Arg in turn
		list, _ := decoded(s.Arg).([]any)
		s.n++
		return list[min(s.n, len(list))-1]
	},
	"foreign": func(v any, s *state) any { // the value on the newest different connection
		s.values[s.number] = v
		for _, number := range slices.Backward(slices.Sorted(maps.Keys(s.values))) {
			if number != s.number {
				return s.values[number]
			}
		}
		return v
	},
	"skip": func(v any, s *state) any { // the cursor after the cursor, once a page has shown it
		if s.next == nil {
			s.next = map[string]any{}
		}
		if s.last != nil {
			s.next[encoded(s.last)] = v
		}
		s.last = v
		if after := s.next[encoded(v)]; after != nil {
			return after
		}
		return v
	},
	"less": func(v any, _ *state) any {
		if list, ok := v.([]any); ok && len(list) > 0 {
			return list[:len(list)-1]
		}
		return v
	},
	"more": func(v any, _ *state) any {
		if list, ok := v.([]any); ok && len(list) > 0 {
			return append(slices.Clone(list), list[len(list)-1])
		}
		return v
	},
	"overlap": func(v any, s *state) any { // the page starts with the end of the previous one
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return v
		}
		was := s.last
		s.last = list[len(list)-1]
		if was == nil {
			return v
		}
		return append([]any{was}, list...)
	},
})

// messages holds the operators on a message: they return the messages that are sent instead. later sends a
// message after these, if the connection is still open; its function is called then, and may return nil for
// none.
var messages = joined(framing, map[string]messageChange{
	"msg-drop":   func(map[string]any, *state, func(time.Duration, func() any)) []any { return nil },
	"msg-repeat": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any { return []any{m, m} },
	"msg-repeat-late": func(m map[string]any, _ *state, later func(time.Duration, func() any)) []any {
		later(400*time.Millisecond, func() any { return m })
		return []any{m}
	},
	"msg-delay": func(m map[string]any, s *state, later func(time.Duration, func() any)) []any {
		ms, err := strconv.Atoi(string(s.Arg))
		if err != nil {
			ms = 1500
		}
		later(time.Duration(ms)*time.Millisecond, func() any { return m })
		return nil
	},
	"swap-pairs": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any {
		if s.held == nil {
			s.held = m
			return nil
		}
		was := s.held
		s.held = nil
		return []any{m, was}
	},
	"ids-swap": func(m map[string]any, s *state, later func(time.Duration, func() any)) []any { // swaps the ids of two responses that are sent at about the same time
		if s.held == nil {
			s.held = m
			later(holdTime, s.release(m))
			return nil
		}
		was := s.held
		s.held = nil
		return []any{with(was, "id", m["id"]), with(m, "id", was["id"])}
	},
	"reorder": func(m map[string]any, s *state, later func(time.Duration, func() any)) []any { // after the next message of its kind
		if s.held == nil {
			s.held = m
			later(holdTime, s.release(m))
			return nil
		}
		was := s.held
		s.held = nil
		return []any{m, was}
	},
	"before": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any { // Arg comes first, see [filled]
		return []any{filled(decoded(s.Arg), m), m}
	},
	"then": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any { // Arg follows, see [filled]
		return []any{m, filled(decoded(s.Arg), m)}
	},
	"id-string": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		switch id := m["id"].(type) {
		case json.Number:
			return []any{with(m, "id", id.String())}
		case nil:
			return []any{m}
		}
		return []any{with(m, "id", 7)}
	},
	"id-null": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{with(m, "id", nil)}
	},
	"id-other": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{with(m, "id", other(m["id"]))}
	},
	"to-error": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{map[string]any{"jsonrpc": "2.0", "id": m["id"], "error": internalError}}
	},
	"to-result": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{map[string]any{"jsonrpc": "2.0", "id": m["id"], "result": map[string]any{}}}
	},
	"answer": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any {
		return []any{map[string]any{"jsonrpc": "2.0", "id": m["id"], "result": decoded(s.Arg)}}
	},
	"refuse": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any {
		return []any{map[string]any{"jsonrpc": "2.0", "id": m["id"], "error": decoded(s.Arg)}}
	},
	"also-error": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{with(m, "error", internalError)}
	},
	"text-before": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{raw("Server is working"), m}
	},
	"half": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		text := encoded(m)
		return []any{raw(text[:len(text)/2]), raw(text[len(text)/2:])}
	},
	"cut": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		text := encoded(m)
		return []any{raw(text[:len(text)-1])}
	},
	"after-end": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any { // sent again after the next response
		s.held = m
		return []any{m}
	},
	"cross": func(m map[string]any, s *state, _ func(time.Duration, func() any)) []any { // uses the id of another open stream
		const id = "io.modelcontextprotocol/subscriptionId"
		params, _ := m["params"].(map[string]any)
		meta, _ := params["_meta"].(map[string]any)
		own := meta[id]
		if own == nil {
			return []any{m}
		}
		if !slices.Contains(s.ids, own) {
			s.ids = append(s.ids, own)
		}
		for _, one := range slices.Backward(s.ids) {
			if one != own {
				return []any{with(m, "params", with(params, "_meta", with(meta, id, one)))}
			}
		}
		return []any{m}
	},
	"unrelated-first": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{map[string]any{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}, m}
	},
	"batch": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{raw("[" + encoded(m) + "]")}
	},
})

// responses are operators of the status and the header of an HTTP response.
var responses = joined(streams, map[string]func(r *response, arg json.RawMessage){
	"status":      func(r *response, arg json.RawMessage) { r.status, _ = strconv.Atoi(string(arg)) },
	"header-drop": func(r *response, arg json.RawMessage) { r.header[http.CanonicalHeaderKey(text(arg))] = nil },
	"header-set": func(r *response, arg json.RawMessage) {
		if pair, ok := decoded(arg).([]any); ok && len(pair) == 2 {
			r.header.Set(pair[0].(string), pair[1].(string))
		}
	},
	"header-case": func(r *response, arg json.RawMessage) {
		name := http.CanonicalHeaderKey(text(arg))
		if v := r.header[name]; v != nil {
			delete(r.header, name)
			r.header[strings.ToLower(name)] = v
			r.header[name] = nil // otherwise net/http adds one
		}
	},
	"no-body": func(r *response, _ json.RawMessage) { r.silent = true },
	"as-sse":  func(r *response, _ json.RawMessage) { r.asSSE = true },
})

// requests holds the operators of the header of an HTTP request from the client. They report whether they
// changed it, and return the status of the response if the request does not reach the server, or 0.
var requests = map[string]func(q *http.Request, arg json.RawMessage) (status int, touched bool){
	"header-drop": func(q *http.Request, arg json.RawMessage) (int, bool) {
		name := text(arg)
		if name == "host" {
			was := q.Host
			q.Host = "127.0.0.1"
			return 0, was != q.Host
		}
		was := q.Header.Get(name)
		q.Header.Del(name)
		return 0, was != ""
	},
	"header-set": func(q *http.Request, arg json.RawMessage) (int, bool) {
		pair, ok := decoded(arg).([]any)
		if !ok || len(pair) != 2 || q.Header.Get(pair[0].(string)) == pair[1] {
			return 0, false
		}
		q.Header.Set(pair[0].(string), pair[1].(string))
		return 0, true
	},
	"swallow": func(_ *http.Request, arg json.RawMessage) (int, bool) {
		status, _ := strconv.Atoi(string(arg))
		return status, true
	},
}

// A raw is text that is sent unchanged.
type raw string

var internalError = map[string]any{"code": -32603, "message": "Internal error"}

// with returns a copy of an object with another value of a member.
func with(m map[string]any, name string, v any) map[string]any {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]any{}
	}
	m[name] = v
	return m
}

// other returns another value of the same type.
func other(v any) any {
	switch v := v.(type) {
	case string:
		return v + "-other"
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n + 100_000
		}
		return 1.5
	case bool:
		return !v
	case []any:
		v = slices.Clone(v)
		slices.Reverse(v)
		return v
	case map[string]any:
		return with(v, "x-other", 1)
	}
	return "other"
}

// otherType returns a value of another type.
func otherType(v any) any {
	switch v.(type) {
	case string:
		return 42
	case json.Number:
		return "text"
	case bool:
		return "true"
	case map[string]any:
		return []any{}
	case []any:
		return map[string]any{}
	}
	return 7
}

// empty returns the empty value of the same type.
func empty(v any) any {
	switch v.(type) {
	case string:
		return ""
	case json.Number:
		return 0
	case bool:
		return false
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return v
}
