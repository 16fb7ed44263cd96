package link

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/oauth"
)

// Over SSH the port of the redirect has to be forwarded.
func TestBrowse_OverSSH(t *testing.T) {
	const forward = "ssh -L 8123:127.0.0.1:8123"
	page := "https://issuer.example/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A8123%2Fcallback"
	for name, tt := range map[string]struct {
		env  app.Env
		want bool
	}{
		"here":     {app.Env{}, false},
		"over SSH": {app.Env{"SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22"}, true},
	} {
		var b bytes.Buffer
		p := New(settings.New(&app.App{Err: &app.Screen{Writer: &b}, Env: tt.env}))
		err := p.Browse(t.Context(), oauth.Consent{URL: page, Issuer: "https://issuer.example", Deadline: time.Now().Add(time.Minute)})
		if !errors.Is(err, oauth.ErrNotOpened) || !strings.Contains(b.String(), page) || strings.Contains(b.String(), forward) != tt.want {
			t.Errorf("%s: %v\n%s", name, err, &b)
		}
	}
}

// A consent page that cannot be opened says why, and is for the user to open.
func TestBrowse_CannotBeOpened(t *testing.T) {
	var b bytes.Buffer
	p := New(settings.New(&app.App{Err: &app.Screen{Writer: &b}}))
	p.Flags.Auth.Browser = true
	err := p.Browse(t.Context(), oauth.Consent{URL: "file:///etc/passwd", Issuer: "https://issuer.example", Deadline: time.Now().Add(time.Minute)})
	if !errors.Is(err, oauth.ErrNotOpened) || !strings.Contains(b.String(), "warning: only pages on the web are opened") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// The bar of the progress is as long as what was done.
func TestWatch_Bar(t *testing.T) {
	w := &watch{out: &app.Screen{}, ascii: true}
	for _, tt := range []struct {
		progress, total float64
		want            string
	}{
		{0, 4, "....................   0%"},
		{1, 4, "#####...............  25%"},
		{4, 4, "#################### 100%"},
		{9, 4, "#################### 100%"},
		{-1, 4, "....................   0%"},
	} {
		if got := w.bar(tt.progress, tt.total); got != tt.want {
			t.Errorf("%v of %v: %q, want %q", tt.progress, tt.total, got, tt.want)
		}
	}
}
