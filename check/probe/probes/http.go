package probes

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"iter"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
)

// mediaType returns the media type of a response, without parameters.
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

// halfRequests is the number of connections that send half a request.
const halfRequests = 64

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
	whole, each := r.SlowBody()
	d := net.Dialer{Timeout: whole}
	for range halfRequests + 1 {
		c, err := d.DialContext(r.Context(), "tcp", address)
		if err != nil {
			break // the server takes no more
		}
		conns = append(conns, c)
		_ = c.SetWriteDeadline(time.Now().Add(2 * whole)) // bytes that the server does not read are lost
		_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHo", u.RequestURI())
	}
	if len(conns) > halfRequests {
		slow := conns[halfRequests]
		_, _ = fmt.Fprintf(slow, "st: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n", u.Host)
		var writing sync.WaitGroup
		writing.Go(func() { // ends when the connection is closed, too
			for range int(whole / each) {
				time.Sleep(each)
				if _, err := slow.Write([]byte(" ")); err != nil {
					return
				}
			}
		})
		defer writing.Wait()
		r.Sleep(4 * each)
	}
	p := ping(fmt.Sprintf("a request while %d others are incomplete", len(conns)))
	switch {
	case p.Err != nil || p.Status == 0:
		r.Of(p).Error("A correct request gets no response while %d others are incomplete.", len(conns))
	case !p.OK():
		r.Of(p).Error("A correct request gets HTTP status %d while %d others are incomplete.", p.Status, len(conns))
	case r.IsSlow(probe.SlowOthers, p.Took) && p.Took > 5*before.Took:
		r.Of(p).Info("A correct request takes %d ms while %d others are incomplete, and %d ms otherwise.", p.Took.Milliseconds(), len(conns), before.Took.Milliseconds())
	}
	abort()
	r.Sleep(4 * each)
	if p := ping("a request after the others were aborted"); p.Err != nil {
		r.Of(p).Error("A correct request gets no response after %d incomplete ones were aborted.", len(conns))
	}
}

// session begins a session that has an id, and returns its headers.
func session(r *probe.Run) http.Header {
	h := r.Session()
	r.SkipIf(h.Get("Mcp-Session-Id") == "", "no session id")
	return h
}

func sessionHeader(r *probe.Run) {
	job{Run: r, session: session(r)}.run("P-115", "unknown", rand.Text(), "letters", strings.Repeat("A", 4000))
}

func sessionDelete(r *probe.Run) {
	j := job{Run: r, session: session(r)}
	o := r.HTTP("DELETE of the session", probe.HTTPRequest{Method: http.MethodDelete, Session: j.session})
	if j.judge("P-116", o); o.OK() {
		j.run("P-116 after")
	}
}

const sessions = 5

func sessionIDQuality(r *probe.Run) {
	var ids []string
	for range sessions {
		ids = append(ids, session(r).Get("Mcp-Session-Id"))
	}
	about := r.Case("five session ids")
	for _, id := range ids {
		if strings.ContainsFunc(id, func(ch rune) bool { return ch < 0x21 || ch > 0x7e }) {
			about.Named("not-ascii").Error("A session id has characters other than visible ASCII.")
			return
		}
	}
	if len(slices.Compact(slices.Clone(ids))) == 1 {
		about.Warn("All %d sessions have the same id.", len(ids))
		return
	}
	if bits := entropy(ids[0]); bits < 120 {
		severity := lint.Warn
		if slices.IsSorted(ids) && bits < 64 {
			severity = lint.Error
		}
		about.About(severity, "", "The session ids have at most %.0f bits; 120 are needed so that they cannot be guessed.", bits)
	}
	common := commonPrefix(ids)
	switch {
	case len(ids[0]) == 36 && ids[0][8] == '-' && strings.ContainsRune("167", rune(ids[0][14])):
		about.Warn("The session ids are UUIDs of version %c, which contain the time.", ids[0][14])
	case common > len(ids[0])/2:
		about.Warn("The session ids share the first %d of %d characters.", common, len(ids[0]))
	}
}

// entropy returns the number of bits of a random text of the same length over the same alphabets.
func entropy(id string) float64 {
	alphabet := 0
	for _, set := range []string{"0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"} {
		if strings.ContainsAny(id, set) {
			alphabet += len(set)
		}
	}
	return float64(len(strings.ReplaceAll(id, "-", ""))) * math.Log2(float64(max(alphabet, 2)))
}

func commonPrefix(ids []string) int {
	for i := range ids[0] {
		for _, id := range ids[1:] {
			if i >= len(id) || id[i] != ids[0][i] {
				return i
			}
		}
	}
	return len(ids[0])
}

func sessionFixation(r *probe.Run) {
	const chosen = "mcptea-chosen-by-client"
	p := r.HTTP("initialize with a session id of the client", probe.HTTPRequest{Header: http.Header{"Mcp-Session-Id": {chosen}}, Body: r.InitializeBody()})
	if p.Header.Get("Mcp-Session-Id") == chosen {
		r.Of(p).Error("The server adopts a session id that the client has chosen.")
	}
}

func getStream(r *probe.Run) {
	j := job{Run: r, session: r.Session()}
	o := r.HTTP("GET", probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: j.session, HeadersOnly: true})
	if o.Status == http.StatusOK && strings.HasPrefix(mediaType(o), "text/event-stream") {
		j.run("P-120 json")
		return
	}
	j.judge("P-120", o, "what", strconv.Quote(o.Header.Get("Content-Type")))
}

func resume(r *probe.Run) {
	h := session(r)
	one := r.HTTP("a list", probe.HTTPRequest{Session: h, Body: r.Maker().List()})
	two := r.HTTP("another list", probe.HTTPRequest{Session: h, Body: r.Maker().List()})
	id := eventID(one.Body)
	if r.SkipIf(id == "" || two.Frame == nil, "no event ids") {
		return
	}
	second := jsonrpc.Scan(two.Frame).ID.Of(two.Frame).ID()
	resumed := func(name string, session http.Header, last string) probe.Outcome {
		return r.HTTP(name, probe.HTTPRequest{MayFail: true, Method: http.MethodGet, Session: session, Header: http.Header{"Last-Event-Id": {last}}})
	}
	p := resumed("GET that resumes the first stream", h, id)
	if p.OK() && hasResponse(p.Body, second) {
		r.Of(p).Error("A resumed stream replays a message of another stream.")
	}
	other := session(r)
	if q := resumed("GET in another session with the event id of the first", other, id); q.OK() && hasResponse(q.Body, second) {
		r.Of(q).Error("A session gets the messages of another session by its event id.")
	}
}

// hasResponse reports whether a stream has the response to a request.
func hasResponse(body []byte, id jsonrpc.ID) bool {
	for e := range eventsOf(body) {
		if jsonrpc.Scan(e.Data).ID.Of(e.Data).Is(id) {
			return true
		}
	}
	return false
}

// eventID returns the first event id of a stream, or "".
func eventID(body []byte) string {
	for e := range eventsOf(body) {
		if e.ID != "" {
			return e.ID
		}
	}
	return ""
}

// eventsOf returns the events of the body of a stream, which may be cut off.
func eventsOf(body []byte) iter.Seq[mcphttp.Event] {
	return func(yield func(mcphttp.Event) bool) {
		events := mcphttp.NewEventReader(bytes.NewReader(body))
		for {
			e, err := events.Next()
			if !yield(e) || err != nil {
				return
			}
		}
	}
}

func sseUnknownSession(r *probe.Run) {
	endpoint := r.Endpoint()
	if r.SkipIf(endpoint == "", "no endpoint") {
		return
	}
	i := strings.LastIndexAny(endpoint, "=/")
	const what = "a POST with an unknown session"
	o := r.HTTP(what, probe.HTTPRequest{URL: endpoint[:i+1] + rand.Text(), Body: r.InitializeBody(), MayFail: true, Timeout: r.ResponseTime()})
	job{Run: r}.judge("P-131", o, "what", what)
}
