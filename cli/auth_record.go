package cli

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"mcptea/authority"
	"mcptea/cli/app"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// An authorityRecorder records the exchanges of clients with an authority, with secrets redacted.
type authorityRecorder struct {
	store *store.Store
	next  atomic.Uint32 // id of the newest exchange
}

// maxRecordedBody bounds what is recorded of a body, in bytes.
const maxRecordedBody = 64 << 10

// recordAuthority starts a recording, or returns nil if path is "". done ends it.
func (p *authCommand) recordAuthority(path string) (r *authorityRecorder, done func() error, err error) {
	if path == "" {
		return nil, func() error { return nil }, nil
	}
	s, err := store.Create(store.Options{Path: path}, record.Header{Tool: "mcptea " + p.Version.Version + " auth serve", Transport: "http", Target: "authorization server"})
	if err != nil {
		return nil, nil, app.Usage("Use another file.", "--record: %v", err)
	}
	return &authorityRecorder{store: s}, s.Close, nil
}

// note records what a client must not do.
func (r *authorityRecorder) note(findings []authority.Finding) {
	if r == nil {
		return
	}
	for _, f := range findings {
		r.store.Note(f.Level + ": " + f.Text + " (" + f.Spec + ")")
	}
}

// wrap returns a handler that records each exchange; the handler itself if r is nil.
func (r *authorityRecorder) wrap(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start := time.Now()
		sent, err := io.ReadAll(io.LimitReader(req.Body, maxRecordedBody+1))
		if err == nil {
			req.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(sent), req.Body), req.Body}
		}
		seen := &seenResponse{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, req)
		took := time.Since(start)
		r.store.Exchange(&transport.Exchange{
			ID: r.next.Add(1), Phase: transport.ExchangeDone, Purpose: transport.PurposeAuthorization, Start: start,
			Method: req.Method, URL: authority.Redact(secret.URL(urlOf(req))),
			RequestHeader: redactedHeader(req.Header), ResponseHeader: redactedHeader(w.Header()),
			RequestBody: redactedBody(req.Header, sent), ResponseBody: redactedBody(w.Header(), seen.body.Bytes()),
			Status: seen.status, FirstByte: took, Took: took, Sent: int64(len(sent)), Received: seen.size,
		})
	})
}

// urlOf returns the URL of a request as the client has sent it.
func urlOf(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// redactedHeader returns a header without secrets; the redirect of a consent has a code.
func redactedHeader(h http.Header) http.Header {
	h = secret.Header(h)
	for name, values := range h {
		for i, v := range values {
			if name == "Location" {
				v = secret.URL(v)
			}
			values[i] = authority.Redact(v)
		}
	}
	return h
}

// redactedBody returns the start of a body without secrets.
func redactedBody(h http.Header, body []byte) []byte {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	text := authority.Redact(string(secret.Body(media, body[:min(len(body), maxRecordedBody)])))
	return []byte(text)
}

// A seenResponse keeps the status and the start of the body of a response.
type seenResponse struct {
	http.ResponseWriter
	status int
	size   int64
	body   bytes.Buffer
}

func (s *seenResponse) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *seenResponse) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	s.body.Write(b[:min(len(b), max(0, maxRecordedBody-s.body.Len()))])
	return s.ResponseWriter.Write(b)
}
