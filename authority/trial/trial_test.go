package trial_test

import (
	"errors"
	"fmt"
	"os"
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
	s := &server{fault: fault, settings: settings, machine: m, cached: make(map[string]cachedKeys), active: make(map[string]claims), users: make(map[string]string), seenProofs: make(map[string]bool), seenTokens: make(map[string]claims)}
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
		if !strings.HasPrefix(token.Name, "proof-") && !strings.HasPrefix(token.Name, "later-proof-") && token.Name != "later-bearer" { // the servers here have no DPoP
			all++
		}
	}
	for settings, count := range map[string]int{
		"":           all - 3, // cached-start and introspection-*
		"introspect": all - 4, // key-withdrawn, signature-zero and jwks-*
		"stateless":  all - 5, // there are no sessions, too
		"sse":        all - 3,
	} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, "", settings, nil)
			if r := results["dpop-as-bearer"]; r.Verdict != trial.Pass {
				t.Errorf("%q: dpop-as-bearer is %s", settings, r.Verdict)
			}
			if err != nil || findings(results) != "" || len(results) != count || len(s.users) != 0 {
				t.Errorf("%q: %v, %s, %d results without %v, %d sessions left", settings, err, findings(results), len(results), missing(results), len(s.users))
			}
		})
	}
}

// missing returns the tokens without a result.
func missing(results map[string]trial.Result) (names []string) {
	for _, token := range authority.Tokens() {
		if _, ok := results[token.Name]; !ok {
			names = append(names, token.Name)
		}
	}
	return names
}

// someTokens returns the tokens that are sent to a server with a fault: the named ones, a part of the others, which
// differs by fault, and those that make one of these unnecessary; all with MCPTEA_E2E=1. None needs a new key, which
// takes time to make.
func someTokens(fault, named string) (names []string) {
	const share = 6
	all := os.Getenv("MCPTEA_E2E") == "1" || fault == "hang-up"
	words := strings.Fields(strings.ReplaceAll(named, ",", " "))
	for i, token := range authority.Tokens() {
		needsKey := slices.Contains([]string{"key-rotated", "key-withdrawn", "signature-zero"}, token.Name)
		isShared := (i+len(fault)+int(fault[0]))%share == 0
		if !needsKey && (all || isShared || slices.Contains(words, token.Name)) {
			for ok := true; ok; token, ok = authority.TokenNamed(token.After) {
				names = append(names, token.Name)
			}
		}
	}
	return names
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
		"audience-no-list":    "W aud-list, W aud-second",
		"introspect-cache":    "E cached-expired, W revoked-later",
		"challenge-404":       "W metadata",
		// Right at the first request, and wrong in a session.
		"session-decode":  "E later-key",
		"session-expired": "E later-expired",
		"session-scope":   "E later-scope",
		"get-no-scope":    "E later-scope",
		"call-open":       "E later-none",
		"notify-open":     "E later-none",
		"batch-open":      "E later-none",
		// Claims.
		"audience-empty":   "E aud-empty",
		"audience-query":   "E aud-query",
		"audience-case":    "E aud-case",
		"audience-client":  "E aud-azp",
		"audience-first":   "W aud-second",
		"first-claim":      "W aud-twice, W exp-twice, W scope-twice",
		"issuer-within":    "E iss-shorter",
		"issuer-slash":     "E iss-slash",
		"issuer-list":      "E iss-list",
		"audience-pattern": "E aud-pattern",
		"leeway-hour":      "E expired-10m",
		"exp-converted":    "W exp-digits",
		"scope-end":        "E scope-prefix",
		"scope-case":       "E scope-case",
		// Keys and signatures.
		"jwk-unknown":   "E jwk-own-kid",
		"hs256-trimmed": "E hs256-pem-trimmed",
		"hs256-der":     "E hs256-der",
		"hs256-pkcs1":   "E hs256-pkcs1",
		"hs256-jwk":     "E hs256-jwk",
		"hs256-modulus": "E hs256-modulus",
		"any-rsa":       "W ps256-key",
		"kid-map":       "W kid-constructor, W kid-proto",
		"two-headers":   "W two-headers",
		"alg-trimmed":   "E alg-none-space",
		"alg-optional":  "E alg-missing",
		"secret-kid":    "E hs256-kid",
		"crash-parts":   "W five-parts",
		// Other places of a token, or none.
		"cookie":       "E cookie",
		"proxy-user":   "E trusted-headers",
		"proxy-inner":  "E trusted-headers",
		"path-open":    "E path-slash",
		"query-of-get": "E get-query",
		// Caches and failures.
		"cache-unsigned":       "E cached-expired, E cached-signature",
		"cache-forever":        "E cached-expired",
		"introspect-start":     "E cached-expired, E cached-signature, E cached-start, W revoked-later",
		"keys-fail-open":       "E jwks-down",
		"keys-flood":           "W jwks-flood",
		"introspect-fail-open": "E introspection-down",
		"introspect-text":      "E introspection-text",
		// Texts of the server.
		"metadata-slash":     "W metadata-issuer",
		"metadata-guarded":   "W metadata",
		"host-forwarded":     "W metadata-host",
		"challenge-relative": "W challenge-relative",
		"session-counts":     "W session-ids",
		"session-short":      "W session-ids",
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
				results, _, err := run(t, fault, "", func(c *trial.Config) { c.Audience, c.Only = endpoint, someTokens(fault, named) })
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
		unverified := slices.Contains([]string{"none", "basic", "query", "later-none", "two-headers", "cookie", "trusted-headers"}, token.Name)
		expected := token.Expect == "refuse" && !token.AnyStatus && !(which != "401" && unverified) && !(which == "forged" && token.Name == "garbage")
		if (token.Name == "query" || token.Name == "two-headers") && r.Status == 400 {
			continue // right for a request that is not OAuth
		}
		if token.Name == "jwks-down" && which == "forged" {
			continue // each status is right, and no repetition
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

// A fault with little effect is an info.
func TestRun_Infos(t *testing.T) {
	for fault, c := range map[string]struct{ token, says string }{
		"padding":         {"padded", "accepts a right token with padding"},
		"challenge-error": {"challenge-error", `has error="invalid_token" for a request without a token`},
		"dpop":            {"dpop-as-bearer", "does not announce DPoP"},
	} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, fault, "", func(cfg *trial.Config) { cfg.Only = []string{c.token} })
			if r := results[c.token]; err != nil || r.Verdict != trial.Info || !strings.Contains(r.Message, c.says) {
				t.Errorf("%s: %v, %s %s", fault, err, r.Verdict, r.Message)
			}
		})
	}
}

// What is not sent is reported with the accepted token from which it follows.
func TestRun_Skipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "open", "", nil)
		count := make(map[trial.Verdict]int)
		for _, r := range results {
			if count[r.Verdict]++; r.Verdict == trial.Skipped && r.Message != "Not sent: a server that accepts none accepts this, too." {
				t.Errorf("%s: %s", r.Token, r.Message)
			}
		}
		if err != nil || count[trial.Error] != 1 || count[trial.Skipped] < 70 || results["scope-longer"].Verdict != trial.Skipped {
			t.Errorf("%v, %v", err, count)
		}
	})
}

func TestRun_StepUp(t *testing.T) {
	for fault, want := range map[string]string{
		"": "pass", "step-up-open": "error", "step-up-401": "warning", "step-up-result": "warning", "step-up-bare": "warning",
	} {
		for _, settings := range []string{"", "large"} {
			synctest.Test(t, func(t *testing.T) {
				results, s, err := run(t, fault, settings, func(c *trial.Config) {
					c.Only, c.StepUp = []string{"none"}, []trial.StepUp{{Tool: "write", Scope: "write"}}
				})
				if r := results["step-up write"]; err != nil || string(r.Verdict) != want || len(s.users) != 0 {
					t.Errorf("%q, %q: %v, %s %s, %d sessions left", fault, settings, err, r.Verdict, r.Message, len(s.users))
				}
			})
		}
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
