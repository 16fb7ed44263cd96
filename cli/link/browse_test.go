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
