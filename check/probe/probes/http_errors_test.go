package probes_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/client/revision"
)

// tracePage is what a web framework sends where a handler fails.
const tracePage = `<html><body><pre>TypeError: x is undefined<br> &nbsp; &nbsp;at list (/srv/app/server.js:10:5)</pre></body></html>`

// errorPage answers with a status and a body that is no JSON.
func errorPage(w http.ResponseWriter, media string, status int, body string) bool {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	return true
}

// HTTP errors may have any body (2025-11-25, transports), in which internals of the server are
// looked for, whether a client or a probe has sent the request.
func TestProbe_BodiesOfHTTPErrors(t *testing.T) {
	const ofPage = "The body of the response with HTTP status 500 contains internals of the server (a stack trace)."
	toUnknownTool := func(w http.ResponseWriter, body string, media, text string) bool {
		return strings.Contains(body, "mcptea-no-such-tool") && errorPage(w, media, http.StatusInternalServerError, text)
	}
	for name, c := range map[string]struct {
		of       string // the probe that sends the request
		revision revision.Revision
		fault    func(w http.ResponseWriter, q *http.Request, body string) bool
		finding  string // empty for none
		evidence string
	}{
		"page for a call": {of: "P-050", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
			return toUnknownTool(w, body, "text/html", tracePage)
		}, finding: ofPage, evidence: "/srv/app/server.js:10:5"},
		"page for a call of 2026-07-28": {of: "P-050", revision: revision.R20260728, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
			return toUnknownTool(w, body, "text/html", tracePage)
		}, finding: ofPage, evidence: "/srv/app/server.js:10:5"},
		"other JSON for a call": {of: "P-050", fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
			return toUnknownTool(w, body, "application/json", `{"detail":"Traceback (most recent call last): boom"}`)
		}, finding: ofPage, evidence: "Traceback (most recent call last)"},
		"page for a raw request": {of: "P-122", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return q.Method == http.MethodPut && errorPage(w, "text/html", http.StatusInternalServerError, tracePage)
		}, finding: ofPage, evidence: "/srv/app/server.js:10:5"},
		"error response without id to a raw request": {of: "P-114", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return hasOrigin(q) && errorPage(w, "application/json", http.StatusForbidden, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"forbidden","data":"Error\n    at check (/srv/app/cors.js:3:9)"}}`)
		}, finding: "The error contains internals of the server (a stack trace).", evidence: "/srv/app/cors.js:3:9"},
		"page of a proxy": {of: "P-114", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return hasOrigin(q) && errorPage(w, "text/html", http.StatusForbidden, "<html><body><h1>403 Forbidden</h1><hr>nginx/1.29.1</body></html>")
		}},
		"error response without id": {of: "P-114", fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
			return hasOrigin(q) && errorPage(w, "application/json", http.StatusForbidden, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"forbidden"}}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.revision == "" {
				c.revision = revision.R20251125
			}
			var found []string
			for _, r := range (httpServer{revision: c.revision, fault: c.fault}).run(t, c.of, "P-176").Reports {
				if r.Entry.ID != "P-176" {
					continue
				}
				for _, f := range r.Findings {
					if found = append(found, f.Message); len(f.Frames) != 1 || !strings.Contains(string(f.Frames[0].Bytes), c.evidence) {
						t.Errorf("the evidence of %q is %v", f.Message, f.Frames)
					}
				}
				if want := map[bool]probe.Verdict{true: probe.Warn, false: probe.Pass}[c.finding != ""]; r.Verdict != want {
					t.Errorf("verdict %s %s, want %s", r.Verdict, r.Skip, want)
				}
			}
			if got := strings.Join(found, "\n"); got != c.finding {
				t.Errorf("got %q\nwant %q", got, c.finding)
			}
		})
	}
}
