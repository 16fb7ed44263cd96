package cli

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/tokens"
	"mcptea/client/oauth"
	"mcptea/internal/system"
	"mcptea/internal/test/oauthtest"
)

// storedTokens are tokens that the server of [TestFaces_Token] does not accept, and the facts about each.
var storedTokens = map[string]struct {
	token oauth.Token
	want  facts
}{
	"expired": {oauth.Token{Expires: time.Now().Add(-time.Hour)}, facts{"expired": "true", "refreshable": "false", "dated": "true"}},
	"expired, refreshable": {
		oauth.Token{Expires: time.Now().Add(-time.Hour), Refresh: "gone"}, facts{"expired": "true", "refreshable": "true", "dated": "true"},
	},
	"rejected":               {oauth.Token{Expires: time.Now().Add(90 * time.Minute)}, facts{"expired": "false", "refreshable": "false", "dated": "true"}},
	"rejected, without date": {oauth.Token{Refresh: "gone"}, facts{"expired": "false", "refreshable": "true", "dated": "false"}},
}

// tokenFaces show the state of a stored token.
var tokenFaces = map[string]func(t *testing.T, env app.Env, url string) facts{
	"auth status": func(t *testing.T, env app.Env, url string) facts {
		stdout, _, _ := calledIn(t, env, "auth", "status", url)
		return describedToken(stdout)
	},
	"auth status --json": func(t *testing.T, env app.Env, url string) facts {
		stdout, _, _ := calledIn(t, env, "auth", "status", "--json", url)
		return facts{
			"expired": boolean(strings.Contains(stdout, `"expired":true`)), "refreshable": boolean(strings.Contains(stdout, `"refreshable":true`)), "dated": boolean(strings.Contains(stdout, `"expires":`)),
		}
	},
	"the exit code of auth status": func(t *testing.T, env app.Env, url string) facts {
		_, _, code := calledIn(t, env, "auth", "status", url)
		return facts{"usable": boolean(code == app.ExitOK)}
	},
	"the steps of info": func(t *testing.T, env app.Env, url string) facts {
		stdout, stderr, _ := calledIn(t, env, "info", url)
		line := regexp.MustCompile(`(?m)^.*stored token +done.*$`).FindString(stdout + stderr)
		if line == "" { // the steps are those after the server has rejected the token
			return facts{"sent": boolean(strings.Contains(stderr, "a token stored in an earlier session was sent"))}
		}
		return describedToken(line)
	},
	"the failure of info": func(t *testing.T, env app.Env, url string) facts {
		_, stderr, _ := calledIn(t, env, "info", url)
		return facts{
			"expired": boolean(strings.Contains(stderr, "The stored token has expired")), "refreshable": boolean(strings.Contains(stderr, "it could not be refreshed")),
		}
	},
}

// describedToken are the facts in a line that describes a token.
func describedToken(line string) facts {
	return facts{
		"expired": boolean(regexp.MustCompile(`, expired \d`).MatchString(line)), "refreshable": boolean(regexp.MustCompile(`refreshable|can be refreshed`).MatchString(line)),
		"dated": boolean(regexp.MustCompile(`, expire[sd] (in )?\d`).MatchString(line)),
	}
}

func boolean(is bool) string { return map[bool]string{true: "true", false: "false"}[is] }

// TestFaces_Token asks each face for the state of the same stored token.
func TestFaces_Token(t *testing.T) {
	for _, state := range slices.Sorted(maps.Keys(storedTokens)) {
		stored := storedTokens[state]
		stored.want["sent"] = boolean(stored.want["expired"] == "false")
		stored.want["usable"] = boolean(stored.want["expired"] == "false" || stored.want["refreshable"] == "true")
		for _, name := range slices.Sorted(maps.Keys(tokenFaces)) {
			t.Run(state+"/"+name, func(t *testing.T) {
				server := oauthtest.Start(oauthtest.Setup{Clients: map[string]string{"robot": "secret"}})
				defer server.Close()
				dir := t.TempDir()
				t.Setenv("XDG_STATE_HOME", dir)
				env := app.Env(append(os.Environ(), "MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=file"))
				state, err := system.StateDir()
				if err != nil {
					t.Fatal(err)
				}
				token := stored.token
				token.Access, token.Type = "not-the-token-of-the-server", "Bearer"
				if err := tokens.With(state, nil).Save(oauth.StoredToken{Resource: oauth.Resource(server.URL()), Issuer: server.Issuer(), Client: oauth.Client{ID: "robot"}, Token: token}); err != nil {
					t.Fatal(err)
				}
				got := tokenFaces[name](t, env, server.URL())
				if len(got) == 0 {
					t.Error("it shows no fact")
				}
				for fact, value := range got {
					if want := stored.want[fact]; value != want {
						t.Errorf("%s is %s, want %s", fact, value, want)
					}
				}
			})
		}
	}
}
