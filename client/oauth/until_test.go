package oauth_test

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
)

// A flow ends after the step that was asked for, and sends nothing more.
func TestUntil_EndsAfterTheStep(t *testing.T) {
	order := []string{oauth.StepChallenge, oauth.StepResource, oauth.StepServer, oauth.StepMetadata, oauth.StepClient, oauth.StepConsent}
	requests := map[string]int{ // after the one that was rejected
		oauth.StepChallenge: 0, oauth.StepResource: 1, oauth.StepServer: 1, oauth.StepMetadata: 2, oauth.StepClient: 3, oauth.StepConsent: 3,
	}
	for i, step := range order {
		t.Run(step, func(t *testing.T) {
			r := begin(t, oauthtest.Setup{Scope: "mcp"}, func(c *oauth.Config) { c.Until = step })
			if err := r.fails(ping); !errors.Is(err, oauth.ErrStopped) {
				t.Error(err)
			}
			if r.agreed() != 0 || len(r.Seen("/token")) != 0 {
				t.Error("it went on to a token")
			}
			if n := len(r.exchanges) - 1; n != requests[step] {
				t.Errorf("%d requests, want %d", n, requests[step])
			}
			told := r.told()
			for n, name := range order {
				if done := strings.Contains(told, "1 done "+name+": "); done != (n <= i) {
					t.Errorf("done %t: %s\n%s", done, name, told)
				}
			}
			if strings.Contains(told, " failed ") {
				t.Error(told)
			}
			if oauth.Requirement(step) == "" {
				t.Errorf("no requirement of %s", step)
			}
		})
	}
}

func TestUntil_Refresh(t *testing.T) {
	r := begin(t, oauthtest.Setup{Scope: "mcp"}, func(c *oauth.Config) { c.Until = oauth.StepRefresh })
	r.ok(ping)
	seen := r.Seen("/token")
	if len(seen) != 2 || seen[0].Form.Get("grant_type") != "authorization_code" || seen[1].Form.Get("grant_type") != "refresh_token" {
		t.Errorf("%+v", seen)
	}
	none := begin(t, oauthtest.Setup{Scope: "mcp", NoRefresh: true}, func(c *oauth.Config) { c.Until = oauth.StepRefresh })
	if err := none.fails(ping); !strings.Contains(err.Error(), "has issued no refresh token") {
		t.Error(err)
	}
	if !strings.Contains(none.told(), "1 failed refresh: "+none.Issuer()+" has issued no refresh token") {
		t.Error(none.told())
	}
}
