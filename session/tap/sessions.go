package tap

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

const (
	// idleTimeout is the time after which a session without an open exchange closes its recording. A later request with
	// its id starts another recording.
	idleTimeout = 30 * time.Minute
	// maxSessions bounds the recordings that are open at a time. If all of them have open
	// exchanges, a new session is forwarded but not recorded, and the tap reports that.
	maxSessions = 256
)

// httpSession is one session through a [Proxy]. It belongs to the goroutine of the
// queue.
type httpSession struct {
	label     string // number of the session, from 1
	key       string // key of the host
	id        string // Mcp-Session-Id, or ""
	endpoint  string // endpoint of HTTP+SSE: path and query
	stream    *exchange
	recorder  *pipeline.Recorder
	exchanges uint32 // number of exchanges so far
	open      int    // exchanges that have not ended
	last      time.Time
	ended     bool // the server has confirmed the end of the session
	lacked    bool // a request of the session was sent without the id

	initialized bool       // initialize had a successful response
	discovered  jsonrpc.ID // id of a server/discover request with a successful response
}

// sessions holds the sessions of a [Proxy]. They belong to the goroutine of the queue.
// A request belongs to the session with its Mcp-Session-Id, or with the endpoint of HTTP+SSE that
// the request is sent to. Any other request belongs to the newest session of the same host that has
// no id. If there is none, the host has left out the id: the request belongs to its newest session
// with an id. A host is identified by its address and its User-Agent header.
// A session begins if there is no such session, and when the host has started again. Then the host
// sends initialize after a successful initialize, or server/discover with the id of a successful
// one.
type sessions struct {
	proxy *Proxy
	all   []*httpSession // oldest first
	count int
}

// find returns the session of an exchange.
func (l *sessions) find(x *exchange) *httpSession {
	id := x.header.Get(sessionHeader)
	endpoint := x.url.RequestURI()
	for _, s := range slices.Backward(l.all) {
		switch {
		case s.ended:
		case s.endpoint != "" && s.endpoint == endpoint, id != "" && s.id == id:
			return s
		case s.endpoint == "" && s.id == "" && id == "" && s.key == x.key && !s.startsAgain(x):
			return s
		}
	}
	if s := l.without(x, id); s != nil {
		return s
	}
	s := l.begin("http", x.key)
	s.id = id
	return s
}

// without returns the newest session with an id, for a request that the host has sent without an id
// by mistake. It returns nil for a request that begins a session, or if the protocol version has no
// sessions.
func (l *sessions) without(x *exchange, id string) *httpSession {
	if id != "" || x.initialize || x.discover.Present() || revision.Revision(x.header.Get("MCP-Protocol-Version")).IsStateless() {
		return nil
	}
	for _, s := range slices.Backward(l.all) {
		if s.ended || s.key != x.key || s.id == "" || !s.initialized {
			continue
		}
		if !s.lacked {
			s.lacked = true
			text := fmt.Sprintf("the host sends a request without %s after session %s has begun with one: the recording of that session has it, since address and User-Agent are the same", sessionHeader, s.label)
			s.recorder.Note(time.Now(), text)
			l.proxy.Warn(text)
		}
		return s
	}
	return nil
}

// startsAgain reports whether a request begins a new session of the same host.
func (s *httpSession) startsAgain(x *exchange) bool {
	return x.initialize && s.initialized || x.discover.Present() && x.discover.Same(s.discovered)
}

// begun handles the headers of each response.
func (s *httpSession) begun(x *exchange, header http.Header) {
	switch {
	case x.report.Status/100 != 2:
	case x.initialize:
		s.initialized = true
		if s.endpoint == "" {
			s.id = header.Get(sessionHeader)
		}
	case x.discover.Present() && !s.discovered.Present():
		s.discovered = x.discover
	}
}

// begin begins a session and its recording.
func (l *sessions) begin(transportName, key string) *httpSession {
	if len(l.all) >= maxSessions {
		l.closeOldest()
	}
	l.count++
	now := time.Now()
	p := l.proxy
	recording := pipeline.Recording{Observe: p.Observe, Secrets: p.secrets, Baseline: p.Baseline, Warn: p.Warn}
	switch {
	case p.Record == nil:
	case len(l.all) >= maxSessions:
		p.Warn(fmt.Sprintf("this session is not recorded: %d sessions have open exchanges", len(l.all)))
	default:
		recording.Create = func() (*store.Writer, error) { return p.Record(transportName) }
	}
	s := &httpSession{label: strconv.Itoa(l.count), key: key, last: now, recorder: recording.Begin(transportName, p.Target)}
	l.all = append(l.all, s)
	p.Control.Begin(control.Session{ID: s.label, Recording: s.recorder.Path(), Since: now})
	s.recorder.Open(now)
	return s
}

// findForStream returns the session that an event stream of HTTP+SSE begins. This may be a session
// whose initialize was rejected, because the host has tried Streamable HTTP first.
func (l *sessions) findForStream(key string) *httpSession {
	for _, s := range slices.Backward(l.all) {
		if s.key == key && !s.initialized && s.endpoint == "" && s.id == "" {
			s.recorder.Transport = "sse"
			return s
		}
	}
	return l.begin("sse", key)
}

// endpointReference returns the URL reference of an endpoint event. Some servers send it as a
// JSON string.
func endpointReference(data []byte) string {
	text := strings.TrimSpace(string(data))
	if plain, ok := jsonrpc.Unquote([]byte(text)); ok {
		return plain
	}
	return text
}

// isEndpoint reports whether messages are sent to a URL.
func (p *Proxy) isEndpoint(u *url.URL) bool {
	trimmed := func(path string) string { return strings.TrimSuffix(path, "/") }
	return trimmed(u.Path) == trimmed(p.URL.Path) || slices.ContainsFunc(p.sessions.all, func(s *httpSession) bool {
		return s.endpoint != "" && s.endpoint == u.RequestURI()
	})
}

// exchangeEnded handles the end of an exchange.
func (l *sessions) exchangeEnded(x *exchange, at time.Time) {
	s := x.session
	s.open--
	s.last = at
	if x.report.Method == http.MethodDelete && x.report.Status/100 == 2 && x.header.Get(sessionHeader) != "" || s.stream == x {
		s.ended = true
	}
	if s.ended && s.open == 0 {
		l.close(s, at)
	}
}

// close ends the recording of a session.
func (l *sessions) close(s *httpSession, at time.Time) {
	l.all = slices.DeleteFunc(l.all, func(other *httpSession) bool { return other == s })
	l.proxy.Control.End(s.label)
	if err := s.recorder.Close(at, ""); err != nil {
		l.proxy.Warn(err.Error())
	}
}

// change records the effect of a breakpoint or a fault on a frame of a session.
func (l *sessions) change(label string, at time.Time, c *record.Change) {
	for _, s := range l.all {
		if s.label == label {
			s.recorder.Change(at, c)
		}
	}
}

// closeIdle ends the recordings of sessions that were not used for a while.
func (l *sessions) closeIdle(now time.Time) {
	for _, s := range slices.Clone(l.all) {
		if s.open == 0 && now.Sub(s.last) >= idleTimeout {
			l.close(s, now)
		}
	}
}

// closeOldest ends the recording of the session that was not used for the longest time.
func (l *sessions) closeOldest() {
	var oldest *httpSession
	for _, s := range l.all {
		if s.open == 0 && (oldest == nil || s.last.Before(oldest.last)) {
			oldest = s
		}
	}
	if oldest != nil {
		l.close(oldest, time.Now())
	}
}

// closeAll ends all recordings.
func (l *sessions) closeAll(at time.Time) {
	err := l.proxy.queue.Err()
	for _, s := range slices.Clone(l.all) {
		s.recorder.Gap(at, err)
		l.close(s, at)
	}
}

// hostKey returns a text that identifies the host of a request.
func hostKey(r *http.Request) string {
	address := r.RemoteAddr[:max(strings.LastIndexByte(r.RemoteAddr, ':'), 0)] // without the port
	return address + " " + mcphttp.Value(r.Header, "User-Agent")
}
