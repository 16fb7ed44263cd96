package wiremutant

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// form is the form of the event stream of a response.
type form struct {
	crlf, split, comment bool
	noEnd                bool   // no event has a blank line after it
	name                 string // name of each event, or ""
	id                   string // id of each event, or ""
	linger               time.Duration
	alsoGET              bool // messages are sent on the stream of GET, too
}

// streams are operators of the event stream of an HTTP response.
var streams = map[string]func(r *response, arg json.RawMessage){
	"sse-crlf":    func(r *response, _ json.RawMessage) { r.form.crlf = true },
	"sse-split":   func(r *response, _ json.RawMessage) { r.form.split = true },
	"sse-comment": func(r *response, _ json.RawMessage) { r.form.comment = true },
	"sse-open":    func(r *response, _ json.RawMessage) { r.form.noEnd = true },
	"sse-name":    func(r *response, arg json.RawMessage) { r.form.name = text(arg) },
	"sse-id":      func(r *response, arg json.RawMessage) { r.form.id = text(arg) },
	"also-get":    func(r *response, _ json.RawMessage) { r.form.alsoGET = true },
	"linger": func(r *response, arg json.RawMessage) {
		ms, _ := strconv.Atoi(string(arg))
		r.form.linger = time.Duration(ms) * time.Millisecond
	},
	"status-of": func(r *response, arg json.RawMessage) { // the second of Arg instead of the first
		if pair, ok := decoded(arg).([]any); ok && len(pair) == 2 && encoded(pair[0]) == strconv.Itoa(r.status) {
			r.status, _ = strconv.Atoi(encoded(pair[1]))
		}
	},
	"body": func(r *response, arg json.RawMessage) { r.silent, r.instead = true, text(arg) },
}

// send writes an event in the form of the stream.
func (f form) send(w io.Writer, others []string, data string) {
	if f.id != "" || f.name != "" {
		others = nil
	}
	if f.id != "" {
		others = append(others, "id: "+f.id)
	}
	if f.name != "" {
		others = append(others, "event: "+f.name)
	}
	if f.comment {
		others = append([]string{": keep-alive", "", ": another"}, others...)
	}
	lines := append(others, "data: "+data)
	if at := strings.Index(data, `,"`); f.split && at > 0 {
		lines = append(others, "data: "+data[:at], "data: "+data[at:])
	}
	end := "\n"
	if f.crlf {
		end = "\r\n"
	}
	text := strings.Join(lines, end) + end
	if !f.noEnd {
		text += end
	}
	_, _ = io.WriteString(w, text)
}

// broadcast sends a message on the stream of GET, if one is open.
func (w *Wire) broadcast(data string) {
	w.mu.Lock()
	get := w.get
	w.mu.Unlock()
	if get == nil {
		return
	}
	select {
	case get.one <- struct{}{}:
		defer func() { <-get.one }()
	case <-get.done:
		return
	}
	select {
	case <-get.done:
		return
	default:
	}
	_, _ = io.WriteString(get.ResponseWriter, "data: "+data+"\n\n")
	_ = http.NewResponseController(get.ResponseWriter).Flush()
}

// fromBody sets a header to the value that the body has at a pointer, if the request has the header. It reports whether
// that changed it.
func fromBody(q *http.Request, name string, v any) bool {
	was := q.Header.Get(name)
	value, ok := v.(string)
	if was == "" || !ok || was == value {
		return false
	}
	q.Header.Set(name, value)
	return true
}

// checks holds operators on the headers of an HTTP request that the server checks: the server receives correct
// ones.
var checks = map[string]func(q *http.Request, body any, s *state, arg json.RawMessage) bool{
	"header-from-body": func(q *http.Request, body any, _ *state, arg json.RawMessage) (touched bool) {
		if pair, ok := decoded(arg).([]any); ok && len(pair) == 2 {
			_, _ = edited(body, pair[1].(string), func(v any) any {
				touched = touched || fromBody(q, pair[0].(string), v)
				return v
			})
		}
		return touched
	},
	"header-fill": func(q *http.Request, _ any, s *state, arg json.RawMessage) bool { // a missing header has the value of the request before
		name := text(arg)
		if was := q.Header.Get(name); was != "" {
			s.last = was
			return false
		}
		if s.last == nil {
			return false
		}
		q.Header.Set(name, s.last.(string))
		return true
	},
	"origin-prefix": func(q *http.Request, _ any, _ *state, arg json.RawMessage) bool { // an origin that begins with Arg is not checked
		if origin := q.Header.Get("Origin"); origin == "" || !strings.HasPrefix(origin, text(arg)) {
			return false
		}
		q.Header.Del("Origin")
		return true
	},
}
