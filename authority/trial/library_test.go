package trial_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/authority/trial"
)

// What a library does by itself is attributed to it, with its version, and the advice names its functions.
func TestRun_Libraries(t *testing.T) {
	for name, c := range map[string]struct {
		says           map[string]string // bodies of the rejections, by token; "" for others
		fault          string
		token, library string // the token with a finding, and the library that it is attributed to
		fix            string
	}{
		"Go SDK": {map[string]string{"none": "no bearer token\n"}, "no-scope", "scope-missing", "the Go SDK 1.8.0", "in a handler around RequireBearerToken"},
		"golang-jwt": {
			map[string]string{"garbage": "invalid token: token is malformed: token contains an invalid number of segments\n"},
			"crit", "crit-unknown",
			"golang-jwt 5.3.1", "in the key function",
		},
		"jose": {
			map[string]string{"garbage": `{"error":"invalid_token","error_description":"Invalid Compact JWS"}`},
			"any-typ", "id-token-for-resource",
			"jose 6.2.18", `typ: "at+jwt"`,
		},
		"TypeScript SDK": {
			map[string]string{"none": `{"error":"invalid_token","error_description":"Missing Authorization header"}`},
			"session-shared", "session-user",
			"the TypeScript SDK 1.32.2 and 2.4.0", "return 404 to others",
		},
		"a fault of the author": {
			map[string]string{"garbage": "token is malformed: token contains an invalid number of segments"}, "any-audience", "aud-other", "", "jwt.WithAudience",
		},
		"unknown": {nil, "crit", "crit-unknown", "", "Use a library that checks crit."},
	} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, c.fault, "", func(cfg *trial.Config) {
				cfg.Audience, cfg.Only = endpoint, []string{"none", "garbage", c.token}
				server := cfg.Transport.(machine)["127.0.0.1:3000"].(*server)
				server.says = c.says
			})
			r := results[c.token]
			if err != nil || r.Verdict != trial.Warning && r.Verdict != trial.Error || r.Library != c.library || !strings.Contains(r.Fix, c.fix) || (r.Library != "") != (r.Does() != "") {
				t.Errorf("%s: %v, %+v", name, err, r)
			}
			libraries, others := trial.Libraries(trial.Fold([]trial.Result{r}))
			if (len(libraries) == 1) != (c.library != "") || (len(others) == 1) != (c.library == "") {
				t.Errorf("%s: %d findings of libraries, %d others", name, len(libraries), len(others))
			}
		})
	}
}

// A crash after a token is not attributed to a library, although the form of the rejection before it is.
func TestRun_CrashIsNotOfALibrary(t *testing.T) {
	for fault, want := range map[string]string{"": "WWW-Authenticate has no error", "crash-after": "stopped responding after this token"} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, fault, "", func(cfg *trial.Config) {
				cfg.Audience, cfg.Only = endpoint, []string{"expired"}
				server := cfg.Transport.(machine)["127.0.0.1:3000"].(*server)
				server.says, server.challenge = map[string]string{"none": "no bearer token\n"}, "Bearer"
			})
			r := results["expired"]
			ofLibrary := fault == ""
			if err != nil || !strings.Contains(r.Message, want) || (r.Library != "") != ofLibrary || strings.Contains(r.Fix, "WWW-Authenticate") != ofLibrary {
				t.Errorf("%q: %v, %+v", fault, err, r)
			}
		})
	}
}

// A challenge that clients cannot parse is named.
func TestRun_Challenge(t *testing.T) {
	for text, ok := range map[string]bool{
		`Bearer error="invalid_token", error_description="expired"`:                       true,
		`Bearer error="invalid_token", error_description="\"exp\" failed", scope="tools"`: true,
		`Bearer realm="a" , error="invalid_token"`:                                        true,
		`Bearer error="invalid_token", scope="a = b"`:                                     true,
		`Bearer error=invalid_token`:                                                      true,
		`Bearer error="invalid_token", error_description=""exp" claim failed", scope="x"`: false,
		`Bearer error="invalid_token" scope="x"`:                                          false,
		`Bearer error="invalid_token`:                                                     false,
	} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, "", "", func(cfg *trial.Config) {
				cfg.Only = []string{"expired"}
				cfg.Transport.(machine)["127.0.0.1:3000"].(*server).challenge = text
			})
			if r := results["expired"]; err != nil || strings.Contains(r.Message, "malformed") == ok || ok && r.Verdict != trial.Pass {
				t.Errorf("%s: %v, %s %s", text, err, r.Verdict, r.Message)
			}
		})
	}
}

// White space around = in a challenge is named, and what it says is read.
func TestRun_ChallengeWithSpaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "", "", func(cfg *trial.Config) {
			cfg.Only = []string{"expired"}
			cfg.Transport.(machine)["127.0.0.1:3000"].(*server).challenge = `Bearer error = "invalid_token"`
		})
		if r := results["expired"]; err != nil || r.Verdict != trial.Info || !strings.Contains(r.Message, "white space around =") {
			t.Errorf("%v, %s %s", err, r.Verdict, r.Message)
		}
	})
}
