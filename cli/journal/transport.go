package journal

import (
	"io"
	"net/http"
	"time"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// Transport returns a transport that records the requests of a trial. It returns nil if j is nil.
func (j *Journal) Transport() http.RoundTripper {
	if j == nil {
		return nil
	}
	return &recordedTransport{journal: j, next: http.DefaultTransport}
}

// Tried records the reaction of a server to a token.
func (j *Journal) Tried(result trial.Result) {
	if j == nil {
		return
	}
	st := oauth.Step{Flow: 1, Name: "token " + result.Token, Detail: string(result.Verdict) + ": " + result.Summary, State: oauth.Done, Start: time.Now()}
	if result.Verdict == trial.Error {
		st.State = oauth.Failed
	}
	if result.Message != "" {
		st.Remarks = []string{result.Message}
	}
	j.store.Authorization(st)
}

// A recordedTransport records each exchange of a trial when the body of the response is closed.
type recordedTransport struct {
	journal *Journal
	next    http.RoundTripper
}

func (t *recordedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	x := &transport.Exchange{
		ID: t.journal.next.Add(1), Phase: transport.ExchangeDone, Purpose: transport.PurposeTrial, Start: start,
		Method: r.Method, URL: authority.Redact(secret.URL(r.URL.String())), RequestHeader: redactedHeader(r.Header), Sent: max(0, r.ContentLength),
	}
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			sent, _ := io.ReadAll(io.LimitReader(body, maxRecordedBody))
			x.RequestBody = redactedBody(r.Header, sent, r.ContentLength)
		}
	}
	resp, err := t.next.RoundTrip(r)
	x.FirstByte = time.Since(start)
	if err != nil {
		x.Err, x.Took = authority.Redact(err.Error()), x.FirstByte
		t.journal.exchange(x)
		return nil, err
	}
	x.Status, x.ResponseHeader = resp.StatusCode, redactedHeader(resp.Header)
	resp.Body = &recordedBody{ReadCloser: resp.Body, header: resp.Header, x: x, journal: t.journal}
	return resp, nil
}

// A recordedBody stores the start of a body. It records the exchange when it is closed.
type recordedBody struct {
	io.ReadCloser
	header  http.Header
	kept    []byte
	x       *transport.Exchange
	journal *Journal
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.x == nil {
		return n, err // closing the body records the exchange
	}
	b.x.Received += int64(n)
	b.kept = append(b.kept, p[:min(n, maxRecordedBody-len(b.kept))]...)
	return n, err
}

func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.x != nil {
		b.x.Took, b.x.ResponseBody = time.Since(b.x.Start), redactedBody(b.header, b.kept, b.x.Received)
		b.journal.exchange(b.x)
		b.x = nil
	}
	return err
}
