package tap

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/intercept"
	"mcptea/session/tap/pipeline"
)

// flow is a request that passes through a [Proxy], with its response. It belongs to the goroutine
// of the request. An [exchange] records it.
type flow struct {
	proxy   *Proxy
	record  *exchange
	sink    responseBody
	request *http.Request
	small   []byte // whole body of the request, if it was read before it is forwarded

	requestDone sync.Once
	mu          sync.Mutex
	ended       bool  // the response body has ended
	err         error // error of the response, or of the exchange
	started     atomic.Bool
	dropped     bool // a decision or a fault has ended the connection
}

type flowKey struct{}

func flowOf(r *http.Request) *flow {
	f, _ := r.Context().Value(flowKey{}).(*flow)
	return f
}

// begin starts the record of a request. The body is recorded while it is read.
func (p *Proxy) begin(r *http.Request) *flow {
	now := time.Now()
	u := *r.URL
	x := &exchange{proxy: p, key: hostKey(r), url: &u, header: r.Header.Clone()}
	f := &flow{proxy: p, record: x, sink: responseBody{x}}
	f.request = r.WithContext(context.WithValue(r.Context(), flowKey{}, f))
	copied := &http.Request{Method: r.Method, URL: &u, Header: x.header}
	hasBody := r.ContentLength != 0
	p.queue.Call(func() { x.begin(copied, now, hasBody) })
	if hasBody {
		f.request.Body = &watchedBody{
			ReadCloser: r.Body, ended: f.requestEnded, read: func(b []byte) { p.queue.Put(x, time.Now(), b) },
		}
	}
	return f
}

// A watchedBody is a body that is recorded while it is read.
type watchedBody struct {
	io.ReadCloser
	read  func(b []byte)
	ended func(err error)
	over  bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.over {
		// net/http reads beyond the length of the body, and treats an error there as an error of
		// the connection. There may be one, because the body may be closed when there is a
		// response.
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.read(p[:n])
	}
	if err != nil {
		b.over = errors.Is(err, io.EOF)
		b.ended(err)
	}
	return n, err
}

func (f *flow) requestEnded(err error) {
	f.requestDone.Do(func() {
		now, complete := time.Now(), errors.Is(err, io.EOF)
		f.proxy.queue.Call(func() { f.record.requestEnd(now, complete) })
	})
}

// responded records the headers of the response.
func (f *flow) responded(status int, header http.Header) {
	f.started.Store(true)
	now, copied := time.Now(), header.Clone()
	f.proxy.queue.Call(func() { f.record.headers(now, status, copied) })
}

// received records bytes of the response body.
func (f *flow) received(b []byte) { f.proxy.queue.Put(f.sink, time.Now(), b) }

// responseEnded records the end of the response body.
func (f *flow) responseEnded(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended || f.err != nil {
		return
	}
	f.ended = errors.Is(err, io.EOF)
	if !f.ended {
		f.err = err
	}
	now, complete := time.Now(), f.ended
	f.proxy.queue.Call(func() { f.record.responseEnd(now, complete) })
}

// end records the end of the exchange.
func (f *flow) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	by, err := transport.ClosedByPeer, f.err
	switch {
	case f.ended:
	case f.dropped:
		by = transport.ClosedByClient
	case f.request.Context().Err() != nil:
		// The host has closed the connection, or the tap ends.
		by, err = transport.ClosedByClient, context.Cause(f.request.Context())
	case err != nil && !f.started.Load():
		by = transport.ClosedByNetwork
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		by = transport.ClosedByNetwork
	case err == nil:
		by = transport.ClosedByClient
	}
	now := time.Now()
	f.requestDone.Do(func() {})
	f.proxy.queue.Call(func() { f.record.end(now, by, err) })
}

// recorded returns the row of the newest frame of the flow and the label of its session.
func (f *flow) recorded() (row int32, label string) {
	f.proxy.queue.Sync()
	return f.record.row, f.record.label
}

// errDropped ends the connection of a host instead of a response.
var errDropped = errors.New("the message was dropped: mcptea has closed the connection")

// holdRequest passes the request to the gate. It returns false if nothing is sent to the server. In
// that case, it has sent the host a response, or ended the connection.
func (f *flow) holdRequest(w http.ResponseWriter) bool {
	r := f.request
	if r.ContentLength == 0 {
		return true
	}
	body, o, ok := f.hold(transport.Out, r.Header, r.Body)
	switch r.Body = body; {
	case !ok:
		return false
	case o == nil:
		f.readSmall()
		return true
	case len(o.Replies) > 0:
		text := bytes.Join(o.Replies, []byte("\n"))
		f.reply(w, intercept.Status{Code: http.StatusOK, Header: http.Header{"Content-Type": {mcphttp.JSONType}}, Body: text})
		return false
	case o.Status != nil && o.Status.Code != 0:
		f.reply(w, *o.Status)
		return false
	case len(o.Frames) == 0:
		f.drop()
		return false
	}
	text := f.joined(*o)
	r.Body, r.ContentLength = again(text, nil, body), int64(len(text))
	return true
}

// readSmall reads a body that arrives with the headers, so that net/http forwards both together.
func (f *flow) readSmall() {
	r := f.request
	if r.ContentLength < 0 || r.ContentLength > readSize {
		return
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		f.small = text
		return
	}
	r.Body = again(text, r.Body, r.Body)
}

// hold passes a body with a single message to the gate. left is the body that remains to be read.
// The decision is nil if the message is forwarded unchanged. ok is false if the message cannot be
// forwarded.
func (f *flow) hold(dir transport.Direction, header http.Header, body io.ReadCloser) (left io.ReadCloser, o *intercept.Outcome, ok bool) {
	if !f.proxy.Gate.Active() || header.Get("Content-Encoding") != "" {
		return body, nil, true
	}
	text, err := io.ReadAll(io.LimitReader(body, pipeline.MaxFrame))
	if err != nil || len(text) == pipeline.MaxFrame || !isMessage(header, text) {
		return again(text, body, body), nil, true
	}
	row, label := f.recorded()
	ticket := f.proxy.Gate.NewLane(label).Take(f.request.Context(), transport.Frame{
		Bytes: text, Envelope: jsonrpc.Scan(text), Time: time.Now(), Dir: dir,
	}, row)
	if ticket == nil {
		return again(text, nil, body), nil, true
	}
	decided, ok := ticket.Wait(f.request.Context())
	ticket.Done()
	return body, &decided, ok
}

// isMessage reports whether a body can be a frame. Bodies of authorization servers and pages
// cannot.
func isMessage(header http.Header, body []byte) bool {
	return jsonrpc.Scan(body).Kind != jsonrpc.Invalid ||
		mcphttp.IsJSON(mcphttp.MediaType(header)) && bytes.Contains(body, []byte(`"jsonrpc"`))
}

// joined returns the frames that are forwarded as one body. A duplicate is sent separately.
func (f *flow) joined(o intercept.Outcome) []byte {
	if len(o.Frames) == 2 && bytes.Equal(o.Frames[0], o.Frames[1]) {
		f.post(o.Frames[1])
		return o.Frames[0]
	}
	return bytes.Join(o.Frames, []byte("\n"))
}

// reply sends the host a response that the server has not sent.
func (f *flow) reply(w http.ResponseWriter, r intercept.Status) {
	f.proxy.queue.Call(func() { f.record.side = transport.Injected })
	maps.Copy(w.Header(), r.Header)
	f.responded(r.Code, r.Header)
	f.received(r.Body)
	f.responseEnded(io.EOF)
	w.WriteHeader(r.Code)
	_, _ = w.Write(r.Body) // fails if the host has closed the connection
}

// drop ends the connection of the host without a response.
func (f *flow) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped, f.err = true, errDropped
}

// holdResponse passes a response with a single message to the gate, and returns the body for the host.
func (f *flow) holdResponse(response *http.Response) error {
	body, o, ok := f.hold(transport.In, response.Header, &watchedBody{ReadCloser: response.Body, read: f.received, ended: f.responseEnded})
	if response.Body = body; o == nil {
		return nil
	}
	for _, frame := range o.Replies {
		f.inject(frame)
	}
	if !ok || len(o.Frames) == 0 {
		f.drop()
		return errDropped
	}
	text := bytes.Join(o.Frames, []byte("\n"))
	response.Body = again(text, nil, body)
	if response.ContentLength >= 0 {
		setLength(response, len(text))
	}
	return nil
}

// again returns a body that yields the bytes that were already read, and then the rest.
func again(text []byte, rest io.Reader, closer io.Closer) io.ReadCloser {
	src := io.Reader(bytes.NewReader(text))
	if rest != nil {
		src = io.MultiReader(src, rest)
	}
	return struct {
		io.Reader
		io.Closer
	}{src, closer}
}

// postTimeout bounds the wait for the server's response to a message of the tap.
const postTimeout = 30 * time.Second

// inject records a response that the user has written, and posts it to the server.
func (f *flow) inject(frame []byte) {
	now, text := time.Now(), bytes.Clone(frame)
	f.proxy.queue.Call(func() { f.record.inject(now, text) })
	f.post(frame)
}

// post sends the server a message in the session of the flow. The message is a duplicate, or a
// response that the user has written. The response of the server is discarded.
func (f *flow) post(frame []byte) {
	header := f.request.Header.Clone()
	for _, name := range []string{"Content-Length", "Content-Encoding", resumeHeader, "Connection"} {
		header.Del(name)
	}
	header.Set("Content-Type", mcphttp.JSONType)
	header.Set("Accept", mcphttp.JSONType+", "+mcphttp.StreamType)
	host := f.proxy.setHeaders(f.request, header)
	to := f.proxy.upstream(f.request.URL)
	if f.request.Method != http.MethodPost {
		f.proxy.queue.Sync()
		to = f.proxy.upstream(f.record.messageURL())
	}
	frame = bytes.Clone(frame)
	f.proxy.background.Go(func() {
		ctx, cancel := context.WithTimeout(f.proxy.life, postTimeout)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(frame))
		if err != nil {
			return
		}
		r.Header, r.Host = header, cmp.Or(host, r.Host)
		response, err := f.proxy.transport.RoundTrip(r)
		if err != nil {
			f.proxy.Warn("cannot send a message of the user: " + err.Error())
			return
		}
		if response.StatusCode >= http.StatusBadRequest {
			f.proxy.Warn("the server rejected a message of the user: " + response.Status)
		}
		_, _ = io.Copy(io.Discard, response.Body) // read until the end, for up to postTimeout
		_ = response.Body.Close()
	})
}
