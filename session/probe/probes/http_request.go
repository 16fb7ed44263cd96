package probes

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"

	"mcptea/session/lint"
	"mcptea/session/probe"
)

func accept(r *probe.Run) {
	h := r.Session()
	for i, value := range []string{
		"application/json;q=0.9, text/event-stream;q=0.8", "application/json, text/event-stream",
		"application/json", "text/event-stream", "", "*/*", "text/html",
	} {
		values := []string{value}
		if value == "" {
			values = nil
		}
		p := r.HTTP("Accept: "+value, probe.HTTPRequest{Session: h, Header: http.Header{"Accept": values}, Body: r.PingBody()})
		media, _, _ := strings.Cut(p.Header.Get("Content-Type"), ";")
		switch {
		case i < 2 && !p.OK():
			r.Error("The server rejects Accept: %s with HTTP status %d.", value, p.Status)
		case i >= 2 && p.OK() && value != "" && value != "*/*" && p.Frame != nil && !strings.Contains(value, media):
			r.Info("The server replied to Accept: %s with %s.", value, media)
		case value == "*/*" && p.Refused():
			r.Info("The server rejects Accept: */* with HTTP status %d.", p.Status)
		}
	}
}

func contentType(r *probe.Run) {
	h := r.Session()
	for i, value := range []string{"application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", ""} {
		values := []string{value}
		if value == "" {
			values = nil
		}
		p := r.HTTP("Content-Type: "+value, probe.HTTPRequest{Session: h, Header: http.Header{"Content-Type": values}, Body: r.PingBody()})
		switch {
		case i == 0 && !p.OK():
			r.Warn("The server rejects Content-Type: %s with HTTP status %d.", value, p.Status)
		case i > 0 && p.OK() && p.Kind == probe.Result && value != "":
			r.Warn("The server executes a request with Content-Type: %s, which web pages can send without a preflight.", value)
		case i > 0 && p.OK() && p.Kind == probe.Result:
			r.Info("The server executes a request without Content-Type.")
		}
	}
}

func otherMethods(r *probe.Run) {
	h := r.Session()
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodTrace, http.MethodOptions, http.MethodHead} {
		var body []byte
		if method == http.MethodPut || method == http.MethodPatch {
			body = r.PingBody()
		}
		p := r.HTTP(method, probe.HTTPRequest{MayFail: true, Method: method, Session: h, Body: body, HeadersOnly: method == http.MethodHead})
		switch {
		case p.Kind == probe.Result && body != nil:
			r.Error("The server executes a request that is sent by %s.", method)
		case p.Err != nil && method == http.MethodHead:
			r.Warn("HEAD gets no response.")
		case method == http.MethodTrace && p.OK() && bytes.Contains(p.Body, []byte("TRACE")):
			r.Warn("TRACE returns the request.")
		case p.Status >= 500 && p.Status != http.StatusNotImplemented:
			r.Warn("%s returns HTTP status %d.", method, p.Status)
		case p.Status == http.StatusMethodNotAllowed && p.Header.Get("Allow") == "":
			r.Info("%s returns HTTP status 405 without the header Allow.", method)
		}
	}
}

func body(r *probe.Run) {
	h := r.Session()
	ping := r.PingBody()
	encoded := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(ping))) {
		encoded = append(encoded, byte(u), byte(u>>8))
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(ping) // into memory
	_ = w.Close()
	large := bytes.Replace(r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{"x":"MARK"}}`), []byte("MARK"), bytes.Repeat([]byte("m"), 1<<20), 1)
	for _, s := range []struct {
		name   string
		body   []byte
		header http.Header
		bad    bool // must not be executed
	}{
		{"a body of 1 MiB", large, nil, false},
		{"a body with text after the message", append(slices.Clone(ping), " x"...), nil, true},
		{"a body in UTF-16", encoded, nil, false},
		{"a body after a byte order mark", append([]byte("\ufeff"), ping...), nil, false},
		{"a body compressed with gzip", packed.Bytes(), http.Header{"Content-Encoding": {"gzip"}}, false},
	} {
		p := r.HTTP(s.name, probe.HTTPRequest{MayFail: true, Session: h, Header: s.header, Body: s.body})
		switch {
		case p.Status >= 500:
			r.Warn("The server replied to %s with HTTP status %d.", s.name, p.Status)
		case s.bad && p.Kind == probe.Result:
			r.Warn("The server executes %s.", s.name)
		case p.Err != nil:
			r.About(lint.Warn, "", "The server closed the connection without an HTTP response to %s.", s.name)
		}
	}
	if p := r.HTTP("a request after odd bodies", probe.HTTPRequest{Session: h, Body: r.PingBody()}); !p.OK() {
		r.Error("After odd bodies a correct request gets HTTP status %d.", p.Status)
	}
}
