package client

import (
	"fmt"
	"net/http"
	"testing"
)

// A server with sessions is connected to, whatever it returns for the request without a
// session that the second probe is.
func TestProbe_AnyAnswerToToolsList(t *testing.T) {
	seconds := map[string]act{
		"200 without a body": gives(200, ""), "a page": gives(200, "<html>welcome"), "broken JSON": gives(200, `{"jsonrpc":"2.0","id":$id,"result":{`),
		"a stream that ends": func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
		},
		"no connection": cuts, "302": leads(302, "/elsewhere"), "307": leads(307, "http://other.example/mcp"),
		"429 with a long pause": func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Retry-After", "3600")
			gives(429, "")(w, r, id)
		},
		"401 with a challenge": func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
			gives(401, "")(w, r, id)
		},
	}
	for _, status := range []int{201, 202, 204, 400, 401, 403, 404, 405, 408, 410, 418, 429, 500, 501, 502, 503, 504} {
		seconds[fmt.Sprint(status)] = gives(status, "")
		if status != http.StatusNoContent {
			seconds[fmt.Sprintf("%d with an error", status)] = givesError(status, -32600, "")
		}
	}
	firsts := map[string]act{
		"an id": givesError(404, -32601, ""), "no id": gives(404, errorOf("null", -32601, "")), "another id": gives(404, errorOf(`"server-error"`, -32601, "")),
	}
	for name, second := range seconds {
		for id, first := range firsts {
			s := oldSite()
			inSession := s["tools/list"]
			s.with("server/discover", first).with("tools/list", func(w http.ResponseWriter, r *http.Request, id string) {
				if r.Header.Get("Mcp-Session-Id") == "" {
					second(w, r, id)
					return
				}
				inSession(w, r, id)
			})
			r := oldAt(name+", "+id, s, "error -32601 no with HTTP 404", "and tools/list of 2026-07-28 failed")
			r.story = "> server/discover > tools/list > initialize > notifications/initialized > tools/list"
			t.Run(r.name, func(t *testing.T) { r.meets(t) })
		}
	}
}
