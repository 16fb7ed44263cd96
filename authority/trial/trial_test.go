package trial_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/authority"
	"mcptea/authority/trial"
)

// shared is one authority for all tests: its keys take time.
var shared = sync.OnceValues(func() (*authority.Authority, error) {
	a, err := authority.New(authority.Options{})
	if err == nil {
		a.ServeAs(issuer)
	}
	return a, err
})

// run tries a server and returns the results by token.
func run(t *testing.T, fault, settings string, change func(*trial.Config)) (map[string]trial.Result, *server, error) {
	t.Helper()
	a, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	m := machine{"127.0.0.1:9400": a.Handler()}
	s := &server{fault: fault, settings: settings, machine: m, cached: make(map[string]cachedKeys), active: make(map[string]claims), users: make(map[string]string), seenProofs: make(map[string]bool)}
	m["127.0.0.1:3000"] = s
	results := make(map[string]trial.Result)
	cfg := trial.Config{
		URL: endpoint, Authority: a, Scopes: []string{"tools"}, ScopesRequired: true, Settle: 10 * time.Second, Transport: m,
		Report: func(r trial.Result) { results[r.Token] = r },
	}
	if change != nil {
		change(&cfg)
	}
	return results, s, trial.Run(t.Context(), cfg)
}

// findings returns the tokens with an error or a warning.
func findings(results map[string]trial.Result) string {
	var all []string
	for name, r := range results {
		switch r.Verdict {
		case trial.Error:
			all = append(all, "E "+name)
		case trial.Warning:
			all = append(all, "W "+name)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// A right server has no finding, whatever it is built on.
func TestRun_RightServer(t *testing.T) {
	all := 0
	for _, token := range authority.Tokens() {
		if !strings.HasPrefix(token.Name, "proof-") { // the servers here have no DPoP
			all++
		}
	}
	for settings, count := range map[string]int{
		"":           all - 1, // revoked-later: a server without introspection accepts revoked tokens
		"introspect": all,
		"stateless":  all - 3, // there are no sessions
		"sse":        all - 1,
	} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, "", settings, nil)
			if err != nil || findings(results) != "" || len(results) != count || len(s.users) != 0 {
				t.Errorf("%q: %v, %s, %d results, %d sessions left", settings, err, findings(results), len(results), len(s.users))
			}
		})
	}
}

// unrotated returns the tokens that need no new key, which takes time to make.
func unrotated() (names []string) {
	for _, token := range authority.Tokens() {
		if token.Name != "key-rotated" {
			names = append(names, token.Name)
		}
	}
	return append(names, "metadata")
}

// Each planted fault is named, and nothing else.
func TestRun_PlantedFaults(t *testing.T) {
	for fault, named := range map[string]string{
		"open":                "E none",
		"no-signature":        "E altered",
		"alg-none":            "E alg-none",
		"hs256":               "E hs256-public-key",
		"jwk-header":          "E jwk-own",
		"jku":                 "E jku-other",
		"crit":                "W crit-unknown",
		"any-audience":        "E aud-other",
		"audience-prefix":     "E aud-longer",
		"audience-optional":   "E aud-missing",
		"any-issuer":          "E iss-other",
		"no-exp":              "E expired",
		"exp-optional":        "E exp-missing",
		"leeway":              "W expired-61s",
		"no-nbf":              "E not-yet-valid",
		"dpop":                "W dpop-as-bearer",
		"any-typ":             "W id-token-for-resource",
		"any-scope":           "E scope-missing",
		"scheme-case":         "W bearer-small",
		"query":               "E query",
		"introspect-inactive": "E garbage",
		"introspect-aud":      "E aud-other",
		"introspect-type":     "E refresh-token",
		"metadata-resource":   "W metadata",
		"session-auth":        "E later-none",
		"session-shared":      "W session-user",
		"get-open":            "E get-none",
		"delete-open":         "E delete-none",
		"list-open":           "E later-none",
		"issuer-discovery":    "E iss-keys",
		"x5c":                 "E x5c-own",
		"x5u":                 "E x5u-other",
		"kid-path":            "E kid-path",
		"scope-substring":     "E scope-longer",
		"audience-within":     "E aud-shorter",
		"audience-host":       "E aud-longer, E aud-shorter, E aud-sibling",
		"audience-no-list":    "W aud-list",
		"introspect-cache":    "W revoked-later",
		"challenge-404":       "W metadata",
		// The others are about how each token is rejected.
		"no-challenge": "401: has no WWW-Authenticate.",
		"401-as-400":   "401: returns 400 instead of 401.",
		"401-as-403":   "401: returns 403 instead of 401.",
		"200-error":    "401: only in the body: the status is 200",
		"crash-500":    "token: returns 500 instead of 401",
		"hang-up":      "E altered, E garbage, E large, E opaque-unknown",
		"echo":         "forged: repeats the token in its response",
		"cut":          "token: ends the connection",
	} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				results, _, err := run(t, fault, "", func(c *trial.Config) { c.Audience, c.Only = endpoint, unrotated() })
				if err != nil {
					t.Fatal(err)
				}
				which, text, ok := strings.Cut(named, ": ")
				switch {
				case fault == "hang-up":
					checkSilent(t, results)
				case ok:
					checkEach(t, results, which, text)
				case findings(results) != named:
					t.Errorf("named %s, expected %s\n%v", findings(results), named, results)
				}
			})
		})
	}
}

// checkEach checks that the reaction to each rejected token has a text: to each 401, only to tokens that are verified
// ("token"), or only to those that are made ("forged").
func checkEach(t *testing.T, results map[string]trial.Result, which, text string) {
	t.Helper()
	for _, token := range authority.Tokens() {
		r, there := results[token.Name]
		if !there || token.Status == 403 { // the status and the challenge of a 403 may be wrong, too
			continue
		}
		unverified := slices.Contains([]string{"none", "basic", "query", "later-none"}, token.Name)
		expected := token.Expect == "refuse" && !token.AnyStatus && !(which != "401" && unverified) && !(which == "forged" && token.Name == "garbage")
		if token.Name == "query" && r.Status == 400 {
			continue // right for a request that is not OAuth
		}
		if has := strings.Contains(r.Message, text); has != expected {
			t.Errorf("%s: %s %q", token.Name, r.Verdict, r.Message)
		}
	}
}

// checkSilent checks that a server that does not respond is reported three times, and then left alone.
func checkSilent(t *testing.T, results map[string]trial.Result) {
	t.Helper()
	count := make(map[trial.Verdict]int)
	for _, r := range results {
		count[r.Verdict]++
		if r.Verdict == trial.Error && !strings.Contains(r.Message, "no response") || r.Verdict == trial.Unjudged && !strings.Contains(r.Message, "Not sent") {
			t.Errorf("%s: %s", r.Token, r.Message)
		}
	}
	if count[trial.Error] != 3 || count[trial.Unjudged] < 30 || count[trial.Warning] != 0 {
		t.Errorf("verdicts %v", count)
	}
}

// A GET without a response proves neither that the server accepts it nor that the server rejects it.
func TestRun_GetWithoutToken(t *testing.T) {
	for fault, want := range map[string]string{
		"get-silent": "unjudged", "get-cut": "unjudged", "get-500": "warning", "get-501": "pass", "get-405": "pass", "get-open": "error", "get-crash": "error",
	} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, fault, "", func(c *trial.Config) { c.Only = []string{"none", "get-none"} })
			r := results["get-none"]
			if err != nil || string(r.Verdict) != want || strings.Contains(r.Message, "unknown whether the server accepts a GET") != (want == "unjudged") {
				t.Errorf("%s: %v, %s %s", fault, err, r.Verdict, r.Message)
			}
		})
	}
}

func TestRun_StepUp(t *testing.T) {
	for fault, want := range map[string]string{
		"": "pass", "step-up-open": "error", "step-up-401": "warning", "step-up-result": "warning", "step-up-bare": "warning",
	} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, fault, "", func(c *trial.Config) {
				c.Only, c.StepUp = []string{"none"}, []trial.StepUp{{Tool: "write", Scope: "write"}}
			})
			if r := results["step-up write"]; err != nil || string(r.Verdict) != want || len(s.users) != 0 {
				t.Errorf("%q: %v, %s %s, %d sessions left", fault, err, r.Verdict, r.Message, len(s.users))
			}
		})
	}
}

// Nothing is judged if the server rejects the right token; the error has the evidence.
func TestRun_Control(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trial.Config)
		says   []string
		try    string
	}{
		"other audience": {func(c *trial.Config) { c.Audience = "https://other.example" }, []string{"audience https://other.example", "401 Unauthorized", "jwks 1×"}, "Compare the issuer and the audience"},
		"scope missing":  {func(c *trial.Config) { c.Scopes = nil }, []string{"403 Forbidden", "insufficient_scope"}, "--scope"},
		"not there":      {func(c *trial.Config) { c.URL = "http://127.0.0.1:1/mcp" }, []string{"connection refused"}, "Start it"},
	} {
		_, _, err := run(t, "", "", c.change)
		var control *trial.ControlError
		if !errors.As(err, &control) || !strings.Contains(control.Try, c.try) {
			t.Errorf("%s: %v, %+v", name, err, control)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(control.Text, says) {
				t.Errorf("%s: %q is not in %s", name, says, control.Text)
			}
		}
	}
}

// A result has no token, even if the server repeats it.
func TestRun_NoTokenInResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "crash-500", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if text := fmt.Sprint(r); strings.Contains(text, "eyJ") {
				t.Errorf("%s: %s", r.Token, text)
			}
		}
	})
}

func TestMatches_Pattern(t *testing.T) {
	for pattern, want := range map[string]bool{"aud-other": true, "aud-*": true, "*-other": true, "*": true, "aud-otherother*": false, "aud-o*-other": false, "iss-*": false, "": false} {
		if trial.Matches(pattern, "aud-other") != want {
			t.Errorf("%q", pattern)
		}
	}
}
