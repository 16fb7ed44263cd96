// Package journal records exchanges with an authority, with secrets redacted: those of the clients
// of package authority, and those of a trial of its tokens.
package journal

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
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/record"
	"mcptea/record/store"
)

// A Journal writes to a recording. A nil *Journal records nothing. Its methods are safe for concurrent use.
type Journal struct {
	store    *store.Store
	exchange func(*transport.Exchange)
	next     atomic.Uint32 // id of the newest exchange
}

// New returns a journal that writes to the connection of a recording.
func New(s *store.Store) *Journal { return &Journal{store: s, exchange: s.Exchange} }

// Beside returns a journal that writes to an additional connection of the recording. The target of
// the connection is a URL. end records its end.
func (j *Journal) Beside(target string) (beside *Journal, end func()) {
	if j == nil {
		return nil, func() {}
	}
	b := j.store.Beside(record.Connection{Transport: "http", Target: target})
	return &Journal{store: j.store, exchange: func(x *transport.Exchange) { b.Exchange(*x) }}, func() { b.Close("") }
}

// maxRecordedBody bounds the recorded part of a body, in bytes.
const maxRecordedBody = 64 << 10

// endpointSteps maps endpoints of an authority to the step in which a client uses them.
var endpointSteps = map[string]string{
	"metadata": oauth.StepMetadata, "register": oauth.StepClient, "authorize": oauth.StepConsent, "consent": oauth.StepConsent, "token": oauth.StepToken,
	"jwks": "keys", "introspect": "introspection", "revoke": "revocation",
}

// Seen records a request as a step of its client. The findings about the client are part of the
// step.
func (j *Journal) Seen(s authority.Seen) {
	if j == nil {
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
		j.store.Note(f.Level + ": " + f.Text + " (" + f.Spec + ")")
	}
	j.store.Authorization(st)
}

// shown lists the parameters of a request that are displayed.
var shown = []string{"grant_type", "client_id", "application_type", "token_endpoint_auth_method", "redirect_uris", "redirect_uri", "resource", "scope", "code_challenge_method"}

// Parameters returns the displayed parameters of a request, as NAME=VALUE.
func Parameters(s authority.Seen) (all []string) {
	for _, name := range shown {
		if v := s.Params[name]; v != "" {
			all = append(all, name+"="+v)
		}
	}
	return all
}

// requestLine describes a request in one line: the method, the path, the status, and the
// parameters.
func requestLine(s authority.Seen) string {
	facts := []string{s.Method, s.Path, strconv.Itoa(s.Status)}
	if s.Error != "" {
		facts = append(facts, s.Error)
	}
	if s.Client != "" {
		facts = append(facts, s.Client)
	}
	facts = append(facts, Parameters(s)...)
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

// Wrap returns a handler that calls next and records each exchange as an exchange with an
// authority. It returns next if j is nil.
func (j *Journal) Wrap(next http.Handler) http.Handler {
	if j == nil {
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
		j.exchange(&transport.Exchange{
			ID: j.next.Add(1), Phase: transport.ExchangeDone, Purpose: transport.PurposeAuthorization, Start: start,
			Method: req.Method, URL: authority.Redact(secret.URL(urlOf(req))),
			RequestHeader: redactedHeader(req.Header), ResponseHeader: redactedHeader(w.Header()),
			RequestBody: redactedBody(req.Header, sent, req.ContentLength), ResponseBody: redactedBody(w.Header(), seen.body.Bytes(), seen.size),
			Status: seen.status, FirstByte: took, Took: took, Sent: int64(len(sent)), Received: seen.size,
		})
	})
}

// urlOf returns the URL that the client has requested.
func urlOf(r *http.Request) string {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// redactedHeader returns a header without secrets. The redirect after a consent contains a code.
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

// redactedBody returns a body without secrets. Only the start of a long one was kept: no rest tells where a secret in it
// ends, so that a sentence takes its place.
func redactedBody(h http.Header, body []byte, size int64) []byte {
	if size > int64(len(body)) || len(body) > maxRecordedBody {
		return fmt.Appendf(nil, "(%d bytes, which are too long for this recording)", max(size, int64(len(body))))
	}
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return []byte(authority.Redact(string(secret.Body(media, body))))
}

// A seenResponse stores the status and the start of the body of a response.
type seenResponse struct {
	http.ResponseWriter
	status int
	size   int64
	body   bytes.Buffer
}

// Unwrap returns the original writer. [http.ResponseController] needs it to flush and to set
// deadlines.
func (s *seenResponse) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *seenResponse) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *seenResponse) Write(b []byte) (int, error) {
	s.size += int64(len(b))
	s.body.Write(b[:min(len(b), max(0, maxRecordedBody-s.body.Len()))])
	return s.ResponseWriter.Write(b)
}
