package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/authority"
	"mcptea/cli/app"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
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

// recordAuthority starts a recording, or returns nil if path is "". tool is the command, and target the subject. done
// ends the recording, and warns if it is incomplete.
func (p *authCommand) recordAuthority(path, tool, target string) (r *authorityRecorder, done func(), err error) {
	if path == "" {
		return nil, func() {}, nil
	}
	s, err := store.Create(store.Options{Path: path}, record.Header{Tool: "mcptea " + p.Version.Version + " " + tool, Transport: "http", Target: target})
	if err != nil {
		return nil, nil, app.Usage("Use another file.", "--record: %v", err)
	}
	return &authorityRecorder{store: s}, func() { p.endRecording(s.Close) }, nil
}

// endRecording calls a function that closes a recording, and warns if the recording is incomplete.
func (p *authCommand) endRecording(end func() error) {
	if err := end(); err != nil {
		fmt.Fprintf(p.Err, "%s the recording is incomplete: %s\n", p.Err.Warn("warning:"), p.Err.Safe(err.Error()))
	}
}

// endpointSteps maps endpoints of an authority to the steps of a client that use them.
var endpointSteps = map[string]string{
	"metadata": oauth.StepMetadata, "register": oauth.StepClient, "authorize": oauth.StepConsent, "consent": oauth.StepConsent, "token": oauth.StepToken,
	"jwks": "keys", "introspect": "introspection", "revoke": "revocation",
}

// seen records a request as a step of its client, with what the client must not do.
func (r *authorityRecorder) seen(s authority.Seen) {
	if r == nil {
		return
	}
	st := oauth.Step{Flow: 1, Name: cmp.Or(endpointSteps[s.Endpoint], s.Endpoint), Detail: requestLine(s), State: oauth.Done, Start: s.Time}
	if s.Params["grant_type"] == "refresh_token" {
		st.Name = oauth.StepRefresh
	}
	if s.Status >= http.StatusBadRequest {
		st.State = oauth.Failed
	}
	for _, f := range s.Findings {
		st.Remarks = append(st.Remarks, f.Level+": "+f.Text+" ("+f.Spec+")")
		r.store.Note(f.Level + ": " + f.Text + " (" + f.Spec + ")")
	}
	r.store.Authorization(st)
}

// requestLine returns a request in one line: its method, path and status, and what the client has sent.
func requestLine(s authority.Seen) string {
	facts := []string{s.Method, s.Path, strconv.Itoa(s.Status)}
	if s.Error != "" {
		facts = append(facts, s.Error)
	}
	if s.Client != "" {
		facts = append(facts, s.Client)
	}
	for _, name := range shownFacts {
		if v := s.Params[name]; v != "" {
			facts = append(facts, name+"="+v)
		}
	}
	if s.Authentication != "" {
		facts = append(facts, "client authentication "+s.Authentication)
	}
	if s.DPoP {
		facts = append(facts, "with a DPoP proof")
	}
	if s.Endpoint == "jwks" || s.Endpoint == "introspect" {
		facts = append(facts, s.Agent)
	}
	return display.Sanitize(strings.Join(facts, " "))
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
