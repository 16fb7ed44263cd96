package transport

import (
	"net/http"
	"slices"
	"testing"
)

func TestSecretsAreMasked(t *testing.T) {
	h := MaskHeader(http.Header{
		"Authorization":  {"Bearer abcdef"},
		"X-Api-Key":      {"k123"},
		"Mcp-Session-Id": {"0123456789abcdef"},
		"Content-Type":   {"application/json"},
		"Cookie":         {"sid=abc123; theme=dark"},
		"X-Auth":         {"zzz"},
	})
	for name, want := range map[string]string{
		"Authorization": "Bearer •••• (6 characters)", "X-Api-Key": "•••• (4 characters)",
		"Mcp-Session-Id": "01234567…", "Content-Type": "application/json",
		"Cookie": "•••• (22 characters)", "X-Auth": "•••• (3 characters)",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for url, want := range map[string]string{
		"https://u:secret@h/mcp?token=abc&x=1": "https://u:****@h/mcp?token=****&x=1",
		"http://h/p?q=1":                       "http://h/p?q=1",
		"https://sk-live@h/mcp?code=abc&sig=d": "https://****@h/mcp?code=****&sig=****",
		"http://h/%zz?token=abc":               "(not a URL)",
	} {
		if got := MaskURL(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	got := MaskArgs([]string{
		"node", "s.js", "--api-key", "k", "--token=t", "API_KEY=v", "--verbose", "x",
		"postgres://bob:hunter2@db/x", "--header", "Authorization: Bearer sk", "https://h/mcp?a=1&token=sk", "--url=http://u:p@h", "C:\\x", "a:b",
	})
	want := []string{
		"node", "s.js", "--api-key", "••••", "--token=••••", "API_KEY=••••", "--verbose", "x",
		"postgres://bob:****@db/x", "--header", "Authorization: ••••", "https://h/mcp?a=1&token=****", "--url=http://u:****@h", "C:\\x", "a:b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
