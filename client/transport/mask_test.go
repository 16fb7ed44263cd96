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
	})
	for name, want := range map[string]string{
		"Authorization": "Bearer •••• (6 characters)", "X-Api-Key": "•••• (4 characters)",
		"Mcp-Session-Id": "01234567…", "Content-Type": "application/json",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for url, want := range map[string]string{
		"https://u:secret@h/mcp?token=abc&x=1": "https://u:****@h/mcp?token=****&x=1",
		"http://h/p?q=1":                       "http://h/p?q=1",
	} {
		if got := MaskURL(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	got := MaskArgs([]string{"node", "s.js", "--api-key", "k", "--token=t", "API_KEY=v", "--verbose", "x"})
	want := []string{"node", "s.js", "--api-key", "••••", "--token=••••", "API_KEY=••••", "--verbose", "x"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
