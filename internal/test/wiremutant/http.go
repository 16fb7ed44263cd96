package wiremutant

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// Handler returns a server over Streamable HTTP whose messages and responses go through the wire. A body of JSON
// carries one message in a response; later messages come only in streams.
func (w *Wire) Handler(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		s := w.session()
		method := q.Method
		var message map[string]any
		if q.Method == http.MethodPost {
			message, _ = decoded(body).(map[string]any)
			method, _ = message["method"].(string)
			body = []byte(strings.Join(s.through(FromClient, body, func(time.Duration, func() string) {}), "\n"))
			q.ContentLength = int64(len(body))
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		if status := w.request("http:"+method, q, message); status != 0 {
			out.WriteHeader(status)
			return
		}
		r := &response{ResponseWriter: out, session: s, kind: "http:" + method, header: http.Header{}, done: make(chan struct{}), one: make(chan struct{}, 1)}
		inner.ServeHTTP(r, q)
		r.end(q.Context())
	})
}

// request changes the header of a request before the server receives it. It returns the status of the response
// if the server receives nothing, or 0.
func (w *Wire) request(kind string, q *http.Request, body any) (status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.states {
		if check := checks[e.Op]; check != nil && e.appliesTo(kind) && check(q, body, e, e.Arg) {
			w.touched++
		}
		op := requests[e.Op]
		if op == nil || e.Side != FromClient || !e.appliesTo(kind) {
			continue
		}
		var touched bool
		if status, touched = op(q, e.Arg); touched {
			w.touched++
		}
	}
	return status
}

// A response is an HTTP response that goes through the wire: a JSON body as a whole, a stream event by event.
type response struct {
	http.ResponseWriter
	session *session
	kind    string
	header  http.Header // headers set by the server
	status  int
	silent  bool   // the body is left out
	instead string // body that is sent if silent
	asSSE   bool   // a body of JSON is sent as a stream
	form    form
	begun   bool // the header is sent
	stream  bool // the body is an event stream
	body    bytes.Buffer
	done    chan struct{} // closed at the end of the response
	one     chan struct{} // held by the writer
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(status int) {
	if r.status != 0 {
		return
	}
	r.status = status
	if r.stream = strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream"); r.stream {
		r.begin()
	}
}

// begin sends the header, changed.
func (r *response) begin() {
	if r.begun {
		return
	}
	r.begun = true
	w := r.session.wire
	w.mu.Lock()
	for _, e := range w.edits {
		if op := responses[e.Op]; op != nil && e.Side == FromServer && e.appliesTo(r.kind) {
			was := r.status
			op(r, e.Arg)
			if e.Op != "status-of" || was != r.status {
				w.touched++
			}
		}
	}
	if r.stream && r.kind == "http:"+http.MethodGet {
		w.get = r
	}
	if w.seen != nil {
		w.seen[Place{Kind: r.kind}] = true
	}
	w.mu.Unlock()
	if r.asSSE = r.asSSE && r.status == http.StatusOK && strings.HasPrefix(r.header.Get("Content-Type"), "application/json"); r.asSSE {
		r.header.Set("Content-Type", "text/event-stream")
	}
	r.header.Del("Content-Length")
	for name, v := range r.header {
		r.ResponseWriter.Header()[name] = v
	}
	r.ResponseWriter.WriteHeader(r.status)
}

func (r *response) Write(part []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.one <- struct{}{}
	defer func() { <-r.one }()
	r.body.Write(part)
	for r.stream {
		block, rest, ok := bytes.Cut(r.body.Bytes(), []byte("\n\n"))
		if !ok {
			break
		}
		block = bytes.Clone(block)
		rest = bytes.Clone(rest)
		r.body.Reset()
		r.body.Write(rest)
		r.event(string(block))
	}
	return len(part), nil
}

// event sends an event of the stream, changed.
func (r *response) event(block string) {
	var data, others []string
	for line := range strings.SplitSeq(block, "\n") {
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, strings.TrimPrefix(text, " "))
		} else {
			others = append(others, line)
		}
	}
	if r.silent {
		return
	}
	if data == nil || strings.TrimSpace(strings.Join(data, "")) == "" {
		_, _ = io.WriteString(r.ResponseWriter, block+"\n\n")
		return
	}
	for i, text := range r.session.through(FromServer, []byte(strings.Join(data, "\n")), r.later) {
		if i > 0 {
			others = nil
		}
		r.send(others, text)
	}
}

// send sends a message of the stream in the form of the response.
func (r *response) send(others []string, data string) {
	r.form.send(r.ResponseWriter, others, data)
	if r.form.alsoGET {
		r.session.wire.broadcast(data)
	}
}

// later sends a message after a time, if the stream is still open.
func (r *response) later(d time.Duration, line func() string) {
	go func() {
		select {
		case <-time.After(d):
			r.one <- struct{}{}
			defer func() { <-r.one }()
			select {
			case <-r.done:
			default:
				if line := line(); line != "" {
					_, _ = io.WriteString(r.ResponseWriter, "data: "+line+"\n\n")
					_ = http.NewResponseController(r.ResponseWriter).Flush()
				}
			}
		case <-r.done:
		}
	}()
}

// Flush sends the written part of a stream.
func (r *response) Flush() {
	if r.begun {
		_ = http.NewResponseController(r.ResponseWriter).Flush()
	}
}

// Unwrap lets [http.ResponseController] set deadlines.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// end sends the body of JSON.
func (r *response) end(ctx context.Context) {
	r.one <- struct{}{}
	defer func() { <-r.one }()
	defer close(r.done)
	if r.status == 0 {
		r.status = http.StatusOK
	}
	body := r.body.String()
	events := []string{body}
	if !r.stream && body != "" {
		var late []func() string
		all := r.session.through(FromServer, []byte(body), func(_ time.Duration, line func() string) { late = append(late, line) })
		for _, line := range late {
			if line := line(); line != "" {
				all = append(all, line)
			}
		}
		body, events = strings.Join(all, "\n"), all
	}
	r.begin()
	switch {
	case r.silent:
		_, _ = io.WriteString(r.ResponseWriter, r.instead)
	case r.asSSE:
		for _, event := range events {
			r.send(nil, event)
		}
	default:
		_, _ = io.WriteString(r.ResponseWriter, body)
	}
	if r.form.linger > 0 {
		_ = http.NewResponseController(r.ResponseWriter).Flush()
		select {
		case <-time.After(r.form.linger):
		case <-ctx.Done():
		}
	}
}
