package failure

import (
	"fmt"
	"strings"
	"testing"
)

func TestPageOf(t *testing.T) {
	for _, tt := range []struct {
		raw, host string
		warns     []string
	}{
		{"https://h.example:8443/a?b=c", "h.example:8443", nil},
		{"https://h", "h", nil},
		{"http://[::1]/x", "[::1]", nil},
		{"http://localhost:3000/x", "localhost:3000", nil},
		{"http://h.example/x", "h.example", []string{"not https"}},
		{"https://bank.example:1@evil.example/x", "evil.example", []string{"before the @"}},
		{"https://xn--bnk-5qa.example/", "xn--bnk-5qa.example", []string{"punycode"}},
		{"https://b\u00e4nk.example/", "b\u00e4nk.example", []string{"outside ASCII"}},
		{"no address", "", []string{"not a URL"}},
		{"https://", "", []string{"not a URL"}},
	} {
		p := PageOf(tt.raw)
		if p.Host != tt.host || len(p.Warnings) != len(tt.warns) || p.Raw != tt.raw {
			t.Errorf("%s: %+v", tt.raw, p)
			continue
		}
		for i, want := range tt.warns {
			if !strings.Contains(p.Warnings[i], want) {
				t.Errorf("%s: %q, want %q", tt.raw, p.Warnings[i], want)
			}
		}
		if tt.host != "" && fmt.Sprint(p.Raw[p.From:p.To]) != tt.host {
			t.Errorf("%s: the host is at %d to %d", tt.raw, p.From, p.To)
		}
	}
}
