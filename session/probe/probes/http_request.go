package probes

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"mcptea/session/lint"
	"mcptea/session/probe"
)

// headerSamples are pings with values of a header; an empty value means that the header is absent.
func headerSamples(r *probe.Run, header string, values []string) []sample {
	return named(header+": ", values, func(value string) sample {
		if value == "" {
			return sample{http: withHeader(r.PingBody(), header)}
		}
		return sample{http: withHeader(r.PingBody(), header, value)}
	})
}

func accept(r *probe.Run) {
	samples := headerSamples(r, "Accept", []string{
		"application/json;q=0.9, text/event-stream;q=0.8", "application/json, text/event-stream",
		"application/json", "text/event-stream", "", "*/*", "text/html",
	})
	hasBoth := func(_ *probe.Run, s sample, _ probe.Outcome) bool { return strings.Contains(s.what, ", ") }
	isAny := func(_ *probe.Run, s sample, _ probe.Outcome) bool { return s.what == "*/*" }
	isOther := func(_ *probe.Run, s sample, o probe.Outcome) bool {
		return s.what != "" && o.Frame != nil && !strings.Contains(s.what, mediaType(o))
	}
	try(r, postIn(r.Session()), samples,
		verdict{and(hasBoth, not(isOK)), lint.Error, "The server rejects {case} with HTTP status {status}."},
		verdict{and(not(hasBoth), not(isAny), isOK, isOther), lint.Info, "The server replied to {case} with {media}."},
		verdict{and(isAny, isRefused), lint.Info, "The server rejects {case} with HTTP status {status}."},
	)
}

// mediaType is that of a response, without parameters.
func mediaType(o probe.Outcome) string {
	media, _, _ := strings.Cut(o.Header.Get("Content-Type"), ";")
	return media
}

func contentType(r *probe.Run) {
	send, samples := postIn(r.Session()), headerSamples(r, "Content-Type", []string{"application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", ""})
	try(r, send, samples[:1], verdict{not(isOK), lint.Warn, "The server rejects {case} with HTTP status {status}."})
	try(r, send, samples[1:3], verdict{and(isOK, isResult), lint.Warn, "The server executes a request with {case}, which web pages can send without a preflight."})
	try(r, send, samples[3:], verdict{and(isOK, isResult), lint.Info, "The server executes a request without Content-Type."})
}

func otherMethods(r *probe.Run) {
	isMethod := func(method string) condition {
		return func(_ *probe.Run, s sample, _ probe.Outcome) bool { return s.name == method }
	}
	echoes := func(_ *probe.Run, _ sample, o probe.Outcome) bool {
		return o.OK() && bytes.Contains(o.Body, []byte("TRACE"))
	}
	hasBody := func(_ *probe.Run, s sample, _ probe.Outcome) bool { return s.http.Body != nil }
	try(r, postIn(r.Session()), named("", []string{http.MethodPut, http.MethodPatch, http.MethodTrace, http.MethodOptions, http.MethodHead}, func(method string) sample {
		q := probe.HTTPRequest{MayFail: true, Method: method, HeadersOnly: method == http.MethodHead}
		if method == http.MethodPut || method == http.MethodPatch {
			q.Body = r.PingBody()
		}
		return sample{http: q}
	}),
		verdict{and(isResult, hasBody), lint.Error, "The server executes a request that is sent by {case}."},
		verdict{and(isFailed, isMethod(http.MethodHead)), lint.Warn, "HEAD gets no response."},
		verdict{and(isMethod(http.MethodTrace), echoes), lint.Warn, "TRACE returns the request."},
		verdict{and(atLeast(http.StatusInternalServerError), not(hasStatus(http.StatusNotImplemented))), lint.Warn, "{case} returns HTTP status {status}."},
		verdict{and(hasStatus(http.StatusMethodNotAllowed), not(hasText("Allow", ""))), lint.Info, "{case} returns HTTP status 405 without the header Allow."},
	)
}

func body(r *probe.Run) {
	send, ping := postIn(r.Session()), r.PingBody()
	encoded := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(ping))) {
		encoded = append(encoded, byte(u), byte(u>>8))
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(ping) // into memory
	_ = w.Close()
	large := bytes.Replace(r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{"x":"MARK"}}`), []byte("MARK"), bytes.Repeat([]byte("m"), 1<<20), 1)
	try(r, send, []sample{
		{name: "a body of 1 MiB", http: probe.HTTPRequest{MayFail: true, Body: large}},
		{name: "a body with text after the message", odd: true, http: probe.HTTPRequest{MayFail: true, Body: append(slices.Clone(ping), " x"...)}},
		{name: "a body in UTF-16", http: probe.HTTPRequest{MayFail: true, Body: encoded}},
		{name: "a body after a byte order mark", http: probe.HTTPRequest{MayFail: true, Body: append([]byte("\ufeff"), ping...)}},
		{name: "a body compressed with gzip", http: probe.HTTPRequest{MayFail: true, Body: packed.Bytes(), Header: http.Header{"Content-Encoding": {"gzip"}}}},
	},
		verdict{atLeast(http.StatusInternalServerError), lint.Warn, "The server replied to {case} with HTTP status {status}."},
		verdict{and(isOdd, isResult), lint.Warn, "The server executes {case}."}, // it must not
		verdict{isFailed, lint.Warn, "The server closed the connection without an HTTP response to {case}."},
	)
	try(r, send, []sample{
		{name: "a request after odd bodies", http: probe.HTTPRequest{Body: r.PingBody()}},
	}, verdict{not(isOK), lint.Error, "After odd bodies a correct request gets HTTP status {status}."})
}

const (
	// halfRequests is how many connections send half a request.
	halfRequests = 64
	// slowFor is how long the slow body takes.
	slowFor      = 2 * time.Second
	slowInterval = 50 * time.Millisecond
	// slowest is how long a ping may take meanwhile, whatever it usually takes.
	slowest = time.Second
)

func slowClient(r *probe.Run) {
	u, err := url.Parse(r.Target().URL)
	if r.SkipIf(err != nil || u.Scheme != "http", "needs a URL without TLS") {
		return
	}
	h := r.Session()
	ping := func(name string) probe.Outcome {
		return r.HTTP(name, probe.HTTPRequest{MayFail: true, Session: h, Body: r.PingBody()})
	}
	before := ping("a request before slow ones")
	if !before.OK() {
		r.Unjudged("a correct request gets no result before slow ones")
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "80")
	}
	var conns []net.Conn
	abort := sync.OnceFunc(func() {
		for _, c := range conns {
			_ = c.Close()
		}
	})
	defer abort()
	d := net.Dialer{Timeout: slowFor}
	for range halfRequests + 1 {
		c, err := d.DialContext(r.Context(), "tcp", address)
		if err != nil {
			break // the server takes no more
		}
		conns = append(conns, c)
		_ = c.SetWriteDeadline(time.Now().Add(2 * slowFor)) // what the server does not read is lost
		_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHo", u.RequestURI())
	}
	if len(conns) > halfRequests {
		slow := conns[halfRequests]
		_, _ = fmt.Fprintf(slow, "st: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n", u.Host)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range int(slowFor / slowInterval) {
				select {
				case <-time.After(slowInterval):
				case <-stop:
					return
				}
				if _, err := slow.Write([]byte(" ")); err != nil {
					return
				}
			}
		}()
		defer func() { close(stop); <-ended }()
		r.Sleep(4 * slowInterval)
	}
	p := ping(fmt.Sprintf("a request while %d others are incomplete", len(conns)))
	switch {
	case p.Err != nil || p.Status == 0:
		r.Error("A correct request gets no response while %d others are incomplete.", len(conns))
	case !p.OK():
		r.Error("A correct request gets HTTP status %d while %d others are incomplete.", p.Status, len(conns))
	case p.Took > max(slowest, 5*before.Took):
		r.Warn("A correct request takes %d ms while %d others are incomplete, and %d ms otherwise.", p.Took.Milliseconds(), len(conns), before.Took.Milliseconds())
	}
	abort()
	r.Sleep(4 * slowInterval)
	if p := ping("a request after the others were aborted"); p.Err != nil {
		r.Error("A correct request gets no response after %d incomplete ones were aborted.", len(conns))
	}
}
