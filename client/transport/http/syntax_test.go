package http

import (
	"net/http"
	"net/url"
	"testing"
)

func TestOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"https://Host.Example/path?q":  "https://host.example",
		"https://host.example:443/":    "https://host.example",
		"http://host.example:80":       "http://host.example",
		"http://host.example:443":      "http://host.example:443",
		"http://[::1]:8080/mcp":        "http://[::1]:8080",
		"javascript:alert(1)":          "javascript:",
		"HTTPS://user:pw@host.example": "https://host.example",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("Origin(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestPort(t *testing.T) {
	for in, want := range map[string]string{"http://h": "80", "https://h": "443", "http://h:8080": "8080", "ftp://h": ""} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Port(u); got != want {
			t.Errorf("Port(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"localhost.example": false, "a.localhost": false, "10.0.0.1": false, "::2": false, "": false,
	} {
		if IsLoopback(host) != want {
			t.Errorf("IsLoopback(%q) = %v", host, !want)
		}
	}
}

func TestIsToken(t *testing.T) {
	for name, want := range map[string]bool{"X-Api_Key.1": true, "!#$%&'*+-.^_`|~": true, "": false, "a b": false, "a:b": false, "é": false, "a\x00": false} {
		if IsToken(name) != want {
			t.Errorf("IsToken(%q) = %v", name, !want)
		}
	}
}

func TestValue_AnySpelling(t *testing.T) {
	h := http.Header{"mcp-session-ID": {"a", "b"}, "Empty": {}}
	if got := Values(h, "Mcp-Session-Id"); len(got) != 2 || Value(h, "Mcp-Session-Id") != "a" {
		t.Errorf("%q", got)
	}
	if Value(h, "Empty") != "" || Values(h, "Other") != nil {
		t.Error("a header that is not there has a value")
	}
}
