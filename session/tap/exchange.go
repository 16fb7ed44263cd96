package tap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/record/store"
	"mcptea/session/tap/pipeline"
)

const (
	sessionHeader = "Mcp-Session-Id"
	resumeHeader  = "Last-Event-ID"
	endpointEvent = "endpoint" // event of HTTP+SSE
	// maxHead bounds the recorded part of a body that is not a frame, in bytes.
	maxHead = 4 << 10
)

// exchange records one HTTP request and its response. Its methods and fields belong to the
// goroutine of the queue. Other goroutines may read row and label after [store.Queue.Sync].
type exchange struct {
	proxy  *Proxy
	report transport.Exchange
	key    string   // address of the host; identifies sessions without an id
	url    *url.URL // URL as the host requested it
	header http.Header

	session  *httpSession // session, or nil until it is known
	waiting  []func()     // functions that record; they are called when the session is known
	media    string       // media type of the response
	request  body
	response body
	events   *feed  // events of an event stream, or nil
	heard    []byte // start of the body of an error

	initialize bool
	discover   jsonrpc.ID     // id of a server/discover request, or empty
	delivered  bool           // a frame arrived in the response
	side       transport.Side // side of the response: Injected if the user or a fault has made the response
	row        int32
	label      string // label of the session
}

// body is a request or response body that consists of one frame.
type body struct {
	text  []byte
	size  int64
	ended bool
}

// begin handles the headers of the request.
func (x *exchange) begin(r *http.Request, at time.Time, hasBody bool) {
	x.proxy.secrets.AddHeader(r.Header)
	raw := x.proxy.URL.ResolveReference(&url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}).String()
	x.proxy.secrets.AddFound(secret.FindURL(raw), raw)
	x.report = transport.Exchange{Start: at, Method: r.Method, URL: x.proxy.secrets.RedactURL(raw), RequestHeader: x.proxy.secrets.RedactHeader(r.Header)}
	x.report.Purpose = x.purpose()
	x.row = store.None
	// A request without body and session id belongs to the session of its response: the event
	// stream starts a session.
	if !hasBody && (x.header.Get(sessionHeader) != "" || r.Method != http.MethodGet) {
		x.assign(x.proxy.sessions.find(x))
	}
}

// purpose returns the purpose of a request, if its headers show it.
func (x *exchange) purpose() string {
	known := x.proxy.isEndpoint(x.url) || x.header.Get(sessionHeader) != ""
	switch {
	case !known:
		return transport.PurposeAuthorization
	case x.report.Method == http.MethodPost:
		return "message"
	case x.report.Method == http.MethodDelete:
		return "end session"
	case x.header.Get(resumeHeader) != "":
		return "resume"
	}
	return "listen"
}

// do calls a function that records, or stores it until the session is known.
func (x *exchange) do(record func()) {
	if x.session == nil {
		x.waiting = append(x.waiting, record)
		return
	}
	record()
}

// assign sets the session and calls the functions that have waited for it.
func (x *exchange) assign(s *httpSession) {
	x.session, x.label = s, s.label
	s.open++
	s.exchanges++
	x.report.ID = s.exchanges
	if x.report.Purpose != transport.PurposeAuthorization {
		s.recorder.Exchange(x.report.Start, x.report)
	}
	for _, record := range x.waiting {
		record()
	}
	x.waiting = nil
}

// Write records bytes of the request body. It is a [store.Sink].
func (x *exchange) Write(_ time.Time, b []byte) {
	x.request.size += int64(len(b))
	if len(x.request.text) < pipeline.MaxFrame {
		x.request.text = append(x.request.text, b...)
	}
}

// requestEnd handles the end of the request body.
func (x *exchange) requestEnd(at time.Time, complete bool) {
	if x.request.ended {
		return
	}
	x.request.ended = true
	text := x.request.text
	x.request.text = nil
	x.report.Sent = x.request.size
	e := jsonrpc.Scan(text)
	if x.report.Purpose == transport.PurposeAuthorization && e.Kind != jsonrpc.Invalid {
		x.report.Purpose = "message"
	}
	x.initialize = e.HasMethod(text, "initialize")
	if e.HasMethod(text, "server/discover") {
		x.discover = e.ID.Of(text).ID()
	}
	if x.session == nil && (x.report.Method != http.MethodGet || len(text) > 0) {
		x.assign(x.proxy.sessions.find(x))
	}
	switch {
	case len(text) == 0:
	case x.report.Purpose == transport.PurposeAuthorization:
		x.report.RequestBody = secret.Body(mcphttp.MediaType(x.header), text[:min(len(text), maxHead)])
	default:
		x.row = x.session.recorder.Frame(transport.Frame{
			Bytes: text, Envelope: e, Time: at, Dir: transport.Out, Truncated: !complete || x.request.size > int64(len(text)), Exchange: x.report.ID,
		})
	}
}

// headers handles the headers of the response.
func (x *exchange) headers(at time.Time, status int, header http.Header) {
	x.requestEnd(at, true)
	x.media = mcphttp.MediaType(header)
	if x.session == nil && x.media != mcphttp.StreamType {
		x.assign(x.proxy.sessions.find(x))
	}
	x.do(func() {
		x.report.Phase = transport.ExchangeHeaders
		x.report.FirstByte, x.report.Status = at.Sub(x.report.Start), status
		x.report.ResponseHeader = x.proxy.secrets.RedactHeader(header)
		x.session.begun(x, header)
		if x.report.Purpose != transport.PurposeAuthorization {
			x.session.recorder.Exchange(at, x.report)
		}
	})
	encoding := strings.ToLower(header.Get("Content-Encoding"))
	if x.media == mcphttp.StreamType {
		x.events = newFeed(func(r io.Reader) { x.readEvents(decode(encoding, r)) })
	} else if encoding != "" {
		x.events = newFeed(func(r io.Reader) { x.readBody(decode(encoding, r)) })
	}
	if decoders[encoding] == nil {
		x.do(func() {
			x.session.recorder.Note(at, fmt.Sprintf("the response of exchange %d has the content encoding %q, which mcptea cannot decode: its messages are not recorded", x.report.ID, encoding))
		})
	}
}

// responseBody records the body of the response. It is a [store.Sink].
type responseBody struct{ *exchange }

func (x responseBody) Write(at time.Time, b []byte) {
	if x.response.ended {
		return // the host has closed the connection
	}
	x.response.size += int64(len(b))
	if x.events != nil {
		x.events.write(at, b)
		return
	}
	if len(x.response.text) < pipeline.MaxFrame {
		x.response.text = append(x.response.text, b...)
	}
}

// readEvents records the events of a stream.
func (x *exchange) readEvents(stream io.Reader) {
	if stream == nil {
		return
	}
	for r := mcphttp.NewEventReader(stream); ; {
		e, err := r.Next()
		if err != nil {
			if e.Data != nil && !errors.Is(err, mcphttp.ErrEventTooLong) {
				x.event(e, true)
			}
			return
		}
		x.event(e, false)
	}
}

func (x *exchange) event(e mcphttp.Event, truncated bool) {
	if e.Data != nil || e.HasID || e.HasRetry || e.Name != "" { // the block is not only a comment
		x.report.Events++
	}
	if e.HasID {
		x.report.LastEventID = e.ID
	}
	if e.HasRetry {
		x.report.Retry = e.Retry
	}
	if x.session == nil && (e.Data != nil || e.Name != "") {
		x.beginStream(e)
	}
	if e.Data == nil {
		return
	}
	x.delivered = true
	x.row = x.session.recorder.Frame(transport.Frame{
		Bytes: e.Data, Envelope: jsonrpc.Scan(e.Data), Time: x.events.at, Dir: transport.In, Truncated: truncated,
		Exchange: x.report.ID, EventID: e.ID, EventName: e.Name,
	})
}

// beginStream assigns the session of a stream by its first event.
func (x *exchange) beginStream(e mcphttp.Event) {
	if e.Name != endpointEvent {
		x.assign(x.proxy.sessions.find(x))
		return
	}
	x.report.Purpose = "stream"
	s := x.proxy.sessions.findForStream(x.key)
	s.stream = x
	if to, err := x.proxy.upstream(x.url).Parse(endpointReference(e.Data)); err == nil {
		s.endpoint = to.RequestURI()
	}
	x.assign(s)
}

// inject records a message of the user to the server. The message has its own exchange, which is
// not recorded.
func (x *exchange) inject(at time.Time, text []byte) {
	x.do(func() {
		x.session.recorder.Frame(transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: at, Dir: transport.Out, Note: transport.Note{Side: transport.Injected}})
	})
}

// readBody collects a body that has a content encoding.
func (x *exchange) readBody(content io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(content, pipeline.MaxFrame)) // after an error, the decoded part is used
	x.response.text = text
}

// responseEnd handles the end of the response body.
func (x *exchange) responseEnd(at time.Time, complete bool) {
	if x.response.ended {
		return
	}
	x.response.ended = true
	encoded := x.events != nil
	if encoded {
		x.events.end(at)
		x.events = nil
	}
	if x.media == mcphttp.StreamType || x.session == nil {
		return
	}
	text := x.response.text
	x.response.text = nil
	e := jsonrpc.Scan(text)
	switch blank := len(bytes.TrimSpace(text)) == 0; {
	case x.report.Purpose == transport.PurposeAuthorization:
		x.report.ResponseBody = secret.Body(x.media, text[:min(len(text), maxHead)])
	case blank:
	case x.session.endpoint != "" && e.Kind == jsonrpc.Invalid && x.report.Status/100 == 2:
		// Over HTTP+SSE, the response to a POST is a word such as "Accepted".
	case x.report.Status/100 == 2 || mcphttp.IsJSON(x.media) || e.Kind != jsonrpc.Invalid:
		x.delivered = true
		x.row = x.session.recorder.Frame(transport.Frame{
			Bytes: text, Envelope: e, Time: at, Dir: transport.In, Exchange: x.report.ID, Note: transport.Note{Side: x.side},
			Truncated: !complete || !encoded && x.response.size > int64(len(text)),
		})
	default:
		head := secret.Text(x.proxy.secrets.Redact(string(text[:min(len(text), 2*maxHead)])))
		x.heard = []byte(head[:min(len(head), maxHead)])
	}
}

// end handles the end of the exchange.
func (x *exchange) end(at time.Time, by transport.Closer, err error) {
	x.requestEnd(at, false)
	x.responseEnd(at, by == transport.ClosedByPeer && err == nil)
	if x.session == nil {
		x.assign(x.proxy.sessions.find(x))
	}
	r := &x.report
	r.Phase, r.Took, r.Received, r.ClosedBy = transport.ExchangeDone, at.Sub(r.Start), x.response.size, by
	if err != nil {
		r.Err = secret.Text(x.proxy.secrets.Redact(err.Error()))
	}
	if r.Purpose != transport.PurposeAuthorization && !x.delivered && r.Status >= http.StatusBadRequest &&
		(r.Method == http.MethodPost || r.Status != http.StatusMethodNotAllowed) {
		r.Failed, r.ResponseBody = true, x.heard
	}
	x.session.recorder.Exchange(at, x.report)
	x.proxy.sessions.exchangeEnded(x, at)
}

// messageURL returns the URL to which messages of the session are sent.
func (x *exchange) messageURL() *url.URL {
	if x.session != nil && x.session.endpoint != "" {
		if u, err := url.Parse(x.session.endpoint); err == nil {
			return u
		}
	}
	return x.url
}
