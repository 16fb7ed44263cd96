package http

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	// bodyLimit is the maximum size of a body that is one frame. Events have the
	// limit of package sse.
	bodyLimit = 64 << 20
	// HeadLimit bounds bodies whose start is enough.
	HeadLimit = 64 << 10
)

// Exchange is one HTTP request and its response. One goroutine at a time uses it.
// After a successful [Exchange.RoundTrip] the caller must call [Exchange.Finish].
type Exchange struct {
	Report   transport.Exchange // newest report
	URL      *url.URL
	Header   http.Header    // headers of the request, unmasked
	Response *http.Response // set by RoundTrip; only Read and Events read its body
	Note     string         // appended to the error in the report

	client   *Client
	plain    http.Header // headers of the request, without credentials
	body     []byte
	sent     atomic.Int64 // bytes of the body that were written, or that net/http has taken
	received countingReader

	delivered bool   // the response brought a frame
	expired   bool   // the response says that the session of the request has expired
	failure   []byte // the head of the body of an error status, redacted
}

// Begin begins an exchange and reports it. Nothing is sent before
// [Exchange.RoundTrip]. The exchange keeps header and body; it removes the headers
// that depend on the body, and adds the credentials.
func (c *Client) Begin(u *url.URL, purpose, method string, header http.Header, body []byte) *Exchange {
	return c.prepare(u, purpose, method, header, body).begin()
}

// begin adds the credentials and reports the exchange.
func (ex *Exchange) begin() *Exchange {
	ex.Header = ex.authorize(ex.plain)
	ex.client.addSecrets(ex.URL, ex.Header)
	ex.Report.RequestHeader = ex.client.shownHeader(ex.Header)
	ex.client.Receiver.Exchange(ex.Report)
	return ex
}

// prepare returns an exchange without credentials that is not reported yet.
func (c *Client) prepare(u *url.URL, purpose, method string, header http.Header, body []byte) *Exchange {
	collectLarge()
	// net/http writes these from the request itself.
	DeleteHeader(header, "Content-Length")
	DeleteHeader(header, "Transfer-Encoding")
	if valid := secret.ValidQuery(u.RawQuery); valid != u.RawQuery { // net/http sends it unchanged
		at := *u
		at.RawQuery, u = valid, &at
	}
	return &Exchange{
		client: c, URL: u, Header: header, plain: header, body: body,
		Report: transport.Exchange{
			ID:            c.count.Add(1),
			Phase:         transport.ExchangeSent,
			Purpose:       purpose,
			Start:         time.Now(),
			Method:        method,
			URL:           c.shownURL(u.String()),
			RequestHeader: c.shownHeader(header),
			Sent:          int64(len(body)),
		},
	}
}

// repeat begins the same exchange again, at the same or another URL.
func (ex *Exchange) repeat(at *url.URL) *Exchange {
	header := ex.plain
	if !SameOrigin(ex.URL, at) {
		header = protocolHeaders(header)
	}
	next := ex.client.prepare(at, ex.Report.Purpose, ex.Report.Method, header, ex.body)
	next.Note = ex.Note
	next.Report.Repeats = ex.Report.ID
	return next.begin()
}

// roundTrip sends the request, waits for the headers of the response and reports
// them. After an error the exchange is finished.
func (ex *Exchange) roundTrip(ctx context.Context) error {
	ctx, handshake := Watch(ctx)
	req, err := ex.request(ctx)
	if err == nil {
		ex.Response, err = ex.client.http.RoundTrip(req)
	}
	ex.Report.TLS = handshake.Result(ex.Response, err)
	if err != nil {
		err = ex.sendError(err)
		ex.Report.Sent = ex.sent.Load()
		ex.Finish(err)
		return err
	}
	ex.received.src = ex.Response.Body
	ex.Report.Phase = transport.ExchangeHeaders
	ex.Report.FirstByte = time.Since(ex.Report.Start)
	ex.Report.Status = ex.Response.StatusCode
	ex.Report.ResponseHeader = ex.client.shownHeader(ex.Response.Header)
	ex.client.Receiver.Exchange(ex.Report)
	return nil
}

// shownURL and shownHeader are what reports and errors have of a URL and of headers.
func (c *Client) shownURL(raw string) string { return c.secrets.RedactURL(raw) }

func (c *Client) shownHeader(h http.Header) http.Header {
	return c.secrets.RedactHeader(h)
}

// addSecrets adds the secrets of a request to the redacted values.
func (c *Client) addSecrets(u *url.URL, header http.Header) {
	c.secrets.AddHeader(header)
	raw := u.String()
	c.secrets.AddFound(secret.FindURL(raw), raw)
}

// maxSmall is the size of the largest body that leaves with the headers, in one write: some servers take
// the first segment for the whole request. It leaves room for them in [writeBuffer]. The body is of a type
// that net/http knows to be in memory; else it would write the headers first.
const (
	writeBuffer = 64 << 10
	maxSmall    = writeBuffer - 16<<10
)

func (ex *Exchange) request(ctx context.Context) (*http.Request, error) {
	if len(ex.body) <= maxSmall {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(w httptrace.WroteRequestInfo) {
			if w.Err == nil {
				ex.sent.Store(int64(len(ex.body)))
			}
		}})
	}
	req, err := http.NewRequestWithContext(ctx, ex.Report.Method, ex.URL.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = ex.Header.Clone()
	if host := Value(req.Header, "Host"); host != "" {
		req.Host = host
		DeleteHeader(req.Header, "Host")
	}
	if _, named := req.Header[agentHeader]; !named {
		req.Header[agentHeader] = nil // removed by the user, or in another case
	}
	if len(ex.body) > 0 {
		req.ContentLength = int64(len(ex.body))
		// net/http calls it again only if the connection was closed before
		// anything was written.
		req.GetBody = func() (io.ReadCloser, error) {
			ex.sent.Store(0)
			if len(ex.body) <= maxSmall {
				return io.NopCloser(bytes.NewReader(ex.body)), nil
			}
			return &upload{Reader: bytes.NewReader(ex.body), sent: &ex.sent}, nil
		}
		req.Body, _ = req.GetBody() // never fails
	}
	return req, nil
}

// ok reports whether the status is 2xx.
func (ex *Exchange) ok() bool { return ex.Report.Status/100 == 2 }

// Read reads the rest of the body, at most limit bytes; a longer body is an error.
// The bytes are returned with any error, too, and belong to the caller.
func (ex *Exchange) Read(limit int) ([]byte, error) {
	const firstGuess = 16 << 20 // the Content-Length may be wrong
	size := min(max(ex.Response.ContentLength, 0), firstGuess, int64(limit))
	body := make([]byte, 0, int(size)+bytes.MinRead)
	defer func() {
		if !ex.ok() {
			ex.failure = ex.excerpt(body, transport.MaxBodyHead)
		}
	}()
	for {
		if len(body) == cap(body) {
			// Fresh memory takes no place until it is written to; append would write zeros.
			larger := make([]byte, len(body), min(growth*len(body), limit+bytes.MinRead))
			copy(larger, body)
			body = larger
		}
		n, err := ex.received.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return body[:limit], errTooLong
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, ex.bodyError(err)
		}
	}
}

// deliver reports an incoming frame and returns its envelope. id and name belong to the event that carried
// it.
func (ex *Exchange) deliver(frame []byte, torn bool, id, name string) jsonrpc.Envelope {
	now := time.Now() // the scan of a large frame takes a while
	e := jsonrpc.Scan(frame)
	ex.delivered = true
	ex.client.Receiver.Frame(transport.Frame{
		Bytes:     frame,
		Envelope:  e,
		Time:      now,
		Dir:       transport.In,
		Truncated: torn,
		Exchange:  ex.Report.ID,
		Expired:   ex.expired,
		EventID:   id,
		EventName: name,
	})
	return e
}

// Finish closes the body and reports the end, with the error that ended it, or nil.
func (ex *Exchange) Finish(err error) {
	if ex.Response != nil {
		_ = ex.Response.Body.Close() // Read returns the error that matters
	}
	ex.Report.Phase = transport.ExchangeDone
	ex.Report.Took = time.Since(ex.Report.Start)
	ex.Report.Received = ex.received.n
	noteLarge(ex.received.n)
	ex.Report.ClosedBy = ex.closer(err)
	if err != nil {
		ex.Report.Err = ex.client.secrets.Redact(err.Error())
		if ex.client.closedErr() == nil {
			ex.Report.Err += ex.Note
		}
	}
	if ex.failed() {
		ex.Report.Failed, ex.Report.ResponseBody = true, ex.failure
	}
	ex.client.Receiver.Exchange(ex.Report)
}

// failed reports whether the response has an error status and carried no frame. It returns false for 405 from a
// server that has no event stream or does not end sessions, since that is correct.
func (ex *Exchange) failed() bool {
	if !ex.Report.HasFrames() || ex.delivered || ex.Report.Status < http.StatusBadRequest {
		return false
	}
	return ex.Report.Method == http.MethodPost || ex.Report.Status != http.StatusMethodNotAllowed
}

// closer returns the party that ended the exchange, given its error.
func (ex *Exchange) closer(err error) transport.Closer {
	var network net.Error
	switch {
	case err == nil:
		return transport.ClosedByPeer
	case errors.Is(err, errCanceled):
		return transport.ClosedByUser
	case ex.client.closedErr() != nil, errors.Is(err, errClosed), errors.Is(err, context.Canceled):
		return transport.ClosedByClient
	case ex.Response == nil, errors.As(err, &network):
		return transport.ClosedByNetwork
	}
	return transport.ClosedByPeer
}

// upload counts the bytes of a request body that net/http has taken.
type upload struct {
	*bytes.Reader
	sent *atomic.Int64
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	u.sent.Add(int64(n))
	return n, err
}

// WriteTo counts, too, because net/http prefers it to Read.
func (u *upload) WriteTo(w io.Writer) (int64, error) {
	n, err := u.Reader.WriteTo(w)
	u.sent.Add(n)
	return n, err
}

func (u *upload) Close() error { return nil }

// countingReader counts the bytes that are read through it.
type countingReader struct {
	src io.Reader
	n   int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}
