package probes

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"mcptea/session/probe"
)

// mediaType is that of a response, without parameters.
func mediaType(o probe.Outcome) string {
	media, _, _ := strings.Cut(o.Header.Get("Content-Type"), ";")
	return media
}

func body(r *probe.Run) {
	j, ping := job{Run: r, session: r.Session()}, r.Maker().Ping()
	encoded := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(ping))) {
		encoded = append(encoded, byte(u), byte(u>>8))
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(ping) // into memory
	_ = w.Close()
	j.run("P-124", "large", strings.Repeat("m", 1<<20), "encoded", string(encoded), "packed", packed.String())
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
		return r.HTTP(name, probe.HTTPRequest{MayFail: true, Session: h, Body: r.Maker().Ping()})
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
		var writing sync.WaitGroup
		writing.Go(func() { // ends with the connection, too
			for range int(slowFor / slowInterval) {
				time.Sleep(slowInterval)
				if _, err := slow.Write([]byte(" ")); err != nil {
					return
				}
			}
		})
		defer writing.Wait()
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
