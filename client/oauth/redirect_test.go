package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestCheckRedirectURI_ThisMachineOnly(t *testing.T) {
	for text, ok := range map[string]bool{
		"http://127.0.0.1:3334/callback": true, "http://localhost/callback": true, "http://[::1]:1/": true, "http://localhost:8080": true,
		"https://localhost/callback": false, "http://mcp.example.com/callback": false, "http://127.0.0.1:1/a?b=c": false, "http://127.0.0.1:1/a#b": false,
		"http://u@127.0.0.1/": false, "/callback": false, "": false, "http://127.0.0.1:0/": false, "http://localhost.evil.example/": false,
	} {
		if err := CheckRedirectURI(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestListenLoopback_FixedURI(t *testing.T) {
	for _, fixed := range []string{"", "http://127.0.0.1/callback", "http://localhost/oauth/callback", "http://localhost"} {
		l, err := listenLoopback(t.Context(), fixed, "", newFlowRun())
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(l.uri)
		if err != nil || u.Port() == "" {
			t.Fatalf("%q: %s, %v", fixed, l.uri, err)
		}
		if prefix, path, _ := strings.Cut(strings.TrimPrefix(fixed, "http://"), "/"); fixed != "" && (u.Hostname() != prefix || u.Path != "/"+path) {
			t.Errorf("%q: %s", fixed, l.uri)
		}
		at := "http://127.0.0.1:" + u.Port()
		for path, status := range map[string]int{u.Path: http.StatusBadRequest, "/elsewhere": http.StatusNotFound} { // no state
			resp, err := http.Get(at + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != status {
				t.Errorf("%q: %s returned %d", fixed, path, resp.StatusCode)
			}
		}
		again, err := listenLoopback(t.Context(), l.uri, "", newFlowRun())
		if err == nil || !strings.Contains(err.Error(), "cannot listen for the redirect to "+l.uri) {
			t.Errorf("a port that is taken: %v", err)
			_ = again.Close()
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
