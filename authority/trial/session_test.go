package trial_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/authority/trial"
)

// A token that is accepted in a session names the requests.
func TestRun_LaterRequests(t *testing.T) {
	for fault, c := range map[string]struct{ token, says string }{
		"session-decode": {"later-key", ": tools/list, ping, tools/call, notifications, GET and DELETE."},
		"call-open":      {"later-none", ": tools/call."},
		"notify-open":    {"later-none", ": notifications."},
		"get-no-scope":   {"later-scope", ": GET."},
	} {
		synctest.Test(t, func(t *testing.T) {
			results, s, err := run(t, fault, "", func(cfg *trial.Config) { cfg.Only = []string{c.token} })
			if r := results[c.token]; err != nil || !strings.HasSuffix(r.Message, c.says) || len(s.users) != 0 {
				t.Errorf("%s: %v, %s %s, %d sessions left", fault, err, r.Verdict, r.Message, len(s.users))
			}
		})
	}
}

// A server that accepts tokens for its URL is judged even if its metadata has another resource.
func TestRun_ResourceIsNotTheURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "metadata-resource", "", func(cfg *trial.Config) { cfg.Only = []string{"metadata", "aud-*"} })
		if r := results["metadata"]; err != nil || findings(results) != "W metadata" || !strings.Contains(r.Message, "accepts tokens for the URL, and rejects") {
			t.Errorf("%v, %s, %v", err, findings(results), r)
		}
	})
}

// After a new key that the server does not learn, the old one is still the control.
func TestRun_KeysFetchedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		results, _, err := run(t, "keys-once", "", func(cfg *trial.Config) {
			cfg.Only, cfg.StepUp = []string{"key-*", "cached-*", "jwks-*"}, []trial.StepUp{{Tool: "write", Scope: "write"}}
		})
		if err != nil || findings(results) != "W key-rotated" || trial.Count(slices.Collect(maps.Values(results)))[trial.Unjudged] != 0 || results["step-up write"].Verdict != trial.Pass {
			t.Errorf("%v, %s, %v", err, findings(results), results)
		}
	})
}

// The key that was replaced and a signature of zeros are tried after the server has fetched the new keys.
func TestRun_FaultsAfterNewKey(t *testing.T) {
	for fault, named := range map[string]string{"keys-kept": "W key-withdrawn", "zero": "E signature-zero"} {
		synctest.Test(t, func(t *testing.T) {
			results, _, err := run(t, fault, "", func(cfg *trial.Config) { cfg.Only = []string{"key-rotated", "key-withdrawn", "signature-zero"} })
			if err != nil || findings(results) != named {
				t.Errorf("%s: %v, %s", fault, err, findings(results))
			}
		})
	}
}
