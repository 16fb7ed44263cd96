package streamable

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

const (
	// headLimit bounds bodies that nobody reads to the end.
	headLimit = 64 << 10
	// statusHead is how much of a body a StatusError keeps.
	statusHead = 4 << 10
)

// exchange is one HTTP request and its answer. One goroutine at a time uses
// it, and that one must call finish in the end.
type exchange struct {
	t      *Transport
	report transport.Exchange // as it was last told
	url    *url.URL
	header http.Header // secrets and all
	body   []byte
	last   bool // the last try: a failure is final
	sent   atomic.Int64
	resp   *http.Response // set by roundTrip
	got    counter
}

// exchange begins an exchange with the endpoint and reports it.
func (t *Transport) exchange(purpose, method string, header http.Header, body []byte) *exchange {
	return t.exchangeWith(t.endpoint, purpose, method, header, body)
}

func (t *Transport) exchangeWith(u *url.URL, purpose, method string, header http.Header, body []byte) *exchange {
	ex := &exchange{t: t, url: u, header: header, body: body}
	ex.report = transport.Exchange{
		ID:            t.count.Add(1),
		Phase:         transport.ExchangeSent,
		Purpose:       purpose,
		Start:         time.Now(),
		Method:        method,
		URL:           transport.MaskURL(u.String()),
		RequestHeader: transport.MaskHeader(header),
		Sent:          int64(len(body)),
	}
	t.receiver.Exchange(ex.report)
	return ex
}

// do sends the request and waits for the headers of the answer, reporting
// them. When it fails it has finished the exchange.
func (ex *exchange) do(ctx context.Context) error {
	req, err := ex.request(ctx)
	if err == nil {
		ex.resp, err = ex.t.http.RoundTrip(req)
	}
	if err != nil {
		err = ex.unreachable(err)
		ex.report.Sent = ex.sent.Load()
		ex.finish(err)
		return err
	}
	ex.got.src = ex.resp.Body
	ex.report.Phase = transport.ExchangeHeaders
	ex.report.FirstByte = time.Since(ex.report.Start)
	ex.report.Status = ex.resp.StatusCode
	ex.report.ResponseHeader = maskAnswer(ex.resp.Header)
	ex.t.receiver.Exchange(ex.report)
	return nil
}

func (ex *exchange) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, ex.report.Method, ex.url.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = ex.header.Clone()
	if host := lookup(req.Header, "Host"); host != "" {
		req.Host = host
		remove(req.Header, "Host")
	}
	if _, named := req.Header[agentHeader]; !named {
		req.Header[agentHeader] = nil // taken away, or spelled in another way
	}
	if len(ex.body) > 0 {
		req.ContentLength = int64(len(ex.body))
		// net/http asks again only when it has written nothing to a
		// connection that turned out to be closed.
		req.GetBody = func() (io.ReadCloser, error) {
			ex.sent.Store(0)
			return &upload{Reader: bytes.NewReader(ex.body), sent: &ex.sent}, nil
		}
		req.Body, _ = req.GetBody() // never fails
	}
	return req, nil
}

// ok reports whether the status is 2xx.
func (ex *exchange) ok() bool { return ex.report.Status/100 == 2 }

// read reads the rest of the body, limit bytes at most; [errTooLong] says that
// there was more. What was read comes with any error.
func (ex *exchange) read(limit int) ([]byte, error) {
	const firstGuess = 16 << 20 // a length that is only claimed gets no more
	size := min(max(ex.resp.ContentLength, 0), firstGuess, int64(limit))
	body := make([]byte, 0, int(size)+bytes.MinRead)
	for {
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body)) // twice as much: linear time in all
		}
		n, err := ex.got.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return body[:limit], errTooLong
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, ex.broken(err)
		}
	}
}

// deliver reports an incoming frame and returns what it is.
func (ex *exchange) deliver(frame []byte, torn bool, id, name string) jsonrpc.Envelope {
	now := time.Now() // the scan of a large frame takes a while
	e := jsonrpc.Scan(frame)
	ex.t.receiver.Frame(transport.Frame{
		Bytes:     frame,
		Envelope:  e,
		Time:      now,
		Dir:       transport.In,
		Torn:      torn,
		Exchange:  ex.report.ID,
		EventID:   id,
		EventName: name,
	})
	return e
}

// finish closes the body and reports the end.
func (ex *exchange) finish(err error) {
	if ex.resp != nil {
		_ = ex.resp.Body.Close() // the reads have told what there is to tell
	}
	ex.report.Phase = transport.ExchangeDone
	ex.report.Took = time.Since(ex.report.Start)
	ex.report.Received = ex.got.n
	if err != nil {
		ex.report.Err = err.Error()
		if ex.last && !ex.t.closed() {
			ex.report.Err += fmt.Sprintf("; given up after %d tries", mostTries)
		}
	}
	ex.t.receiver.Exchange(ex.report)
}

// maskAnswer masks the headers of an answer. A redirect may repeat the secrets
// of the URL.
func maskAnswer(h http.Header) http.Header {
	masked := transport.MaskHeader(h)
	if location := masked.Get(locationHeader); location != "" {
		masked.Set(locationHeader, transport.MaskURL(location))
	}
	return masked
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

// WriteTo is what net/http prefers; without it the count would be passed by.
func (u *upload) WriteTo(w io.Writer) (int64, error) {
	n, err := u.Reader.WriteTo(w)
	u.sent.Add(n)
	return n, err
}

func (u *upload) Close() error { return nil }

// counter counts the bytes that are read through it.
type counter struct {
	src io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}
