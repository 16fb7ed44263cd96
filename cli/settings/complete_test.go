package settings_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client"
)

func TestHeaders(t *testing.T) {
	p := &settings.Settings{App: &app.App{}, Flags: settings.Flags{Transport: "auto", Headers: []string{"X-A: 1", "X-A:2", "Accept:", "authorization: Bearer a:b"}}}
	target := client.Target{URL: "https://example.com/mcp"}
	if err := p.Complete(&target); err != nil {
		t.Fatal(err)
	}
	want := http.Header{"X-A": {"1", "2"}, "Accept": nil, "authorization": {"Bearer a:b"}}
	if diff := cmp.Diff(want, target.Header); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", ": x", "a b: c", "A: b\r\nC: d"} {
		p.Flags.Headers = []string{bad}
		if err := p.Complete(&client.Target{URL: "https://example.com/"}); err == nil {
			t.Errorf("%q is taken for a header", bad)
		}
	}
}
