//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcptea/authority"
)

// navigate opens a URL.
func (b *browser) navigate(at string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": at}, nil)
	b.until(func(m browserMessage) bool { return m.Method == "Page.loadEventFired" })
}

// The consent page fits into two widths, gives one code to the client, and cannot be used by the page of another origin.
func TestAuthority_InBrowser(t *testing.T) {
	b := startBrowser(t)
	a, err := authority.New(authority.Options{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(a.Handler())
	defer s.Close()
	a.ServeAs(s.URL)
	codes := make(chan url.Values, 10)
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			codes <- r.URL.Query()
		}
	}))
	defer client.Close()
	resp, err := http.Post(s.URL+"/register", "application/json", strings.NewReader(`{"client_name":"An <b>editor</b>","redirect_uris":["`+client.URL+`/callback"],"token_endpoint_auth_method":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	q := url.Values{
		"client_id": {made.ID}, "response_type": {"code"}, "redirect_uri": {client.URL + "/callback"}, "state": {"s"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"}, "scope": {strings.Repeat("scope-", 40)},
	}
	at := s.URL + "/authorize?" + q.Encode()
	for _, width := range []int{1000, 320} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": false}, nil)
		b.navigate(at)
		if overflow := b.evaluate(`document.documentElement.scrollWidth > window.innerWidth`); overflow != "false" {
			t.Errorf("at %d px the page is wider than the window", width)
		}
		if n := b.evaluate(`document.querySelectorAll("dd b, dd script").length`); n != "0" {
			t.Error("text of the client has become markup")
		}
	}
	b.evaluate(`document.querySelector("button[value=allow]").click()`)
	eventually(t, "the redirect to the client", func() bool { return len(codes) > 0 })
	if got := <-codes; got.Get("code") == "" || got.Get("state") != "s" || got.Get("iss") != s.URL {
		t.Errorf("the client received %v", got)
	}

	// A page of another origin opens, frames, posts and fetches.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><iframe id=f src="%s"></iframe><form id=x method=post action="%s/consent"><input name=request value=guess><input name=do value=allow></form>`, strings.ReplaceAll(at, "&", "&amp;"), s.URL)
	}))
	defer evil.Close()
	b.navigate(strings.Replace(evil.URL, "127.0.0.1", "localhost", 1))
	for name, script := range map[string]string{
		"reads the page":   `fetch(` + quoted(at) + `).then(r => r.text(), () => "refused")`,
		"reads metadata":   `fetch(` + quoted(s.URL+"/.well-known/oauth-authorization-server") + `).then(r => r.text(), () => "refused")`,
		"registers":        `fetch(` + quoted(s.URL+"/register") + `, {method: "POST", body: "{}"}).then(r => r.text(), () => "refused")`,
		"registers unseen": `fetch(` + quoted(s.URL+"/register") + `, {method: "POST", mode: "no-cors", body: "{}"}).then(r => r.type === "opaque" ? "refused" : "", () => "refused")`,
		"looks into frame": `(() => { try { return document.getElementById("f").contentDocument === null ? "refused" : "seen" } catch { return "refused" } })()`,
	} {
		if got := b.evaluate(script); got != `"refused"` {
			t.Errorf("%s: %s", name, got)
		}
	}
	b.evaluate(`document.getElementById("x").submit()`)
	b.until(func(m browserMessage) bool { return m.Method == "Page.loadEventFired" })
	if text := b.evaluate(`document.body.textContent`); !strings.Contains(text, "A page of another origin cannot use the authority") {
		t.Errorf("a form of another page: %s", text)
	}
	if reached := a.Summary().Reached; reached["register"] != 1 || reached["consent"] != 1 {
		t.Errorf("the other page has reached %v", reached)
	}
	select {
	case got := <-codes:
		t.Errorf("a second code: %v", got)
	default:
	}
}
