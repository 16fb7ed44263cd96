package secret

import (
	"strings"
	"testing"
)

// Each kind of token is found by its form from its shortest length on, and has the name of the variable
// that commands and exports write in its place.
func TestFindTokens_ShortestOfEachShape(t *testing.T) {
	const random = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
	for _, c := range []struct {
		name     string
		prefixes []string
		least    int // characters behind the prefix
	}{
		{"GITHUB_TOKEN", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, 16},
		{"GITLAB_TOKEN", []string{"glpat-"}, 16},
		{"API_KEY", []string{"sk-live-", "sk_test_", "pk-proj-", "pk_ant_", "rk-or-", "rk_live_"}, 8},
		{"API_KEY", []string{"sk-"}, 16},
		{"API_KEY", []string{"gsk_", "hf_", "r8_", "npm_", "ntn_", "lin_api_", "dop_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "figd_", "tvly-", "pplx-", "pypi-"}, 16},
		{"API_KEY", []string{"SG." + random[:16] + ".", "AGE-SECRET-KEY-1"}, 16},
		{"SLACK_TOKEN", []string{"xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"}, 10},
		{"GOOGLE_API_KEY", []string{"AIza"}, 35},
		{"GOOGLE_API_KEY", []string{"ya29."}, 16},
		{"TOKEN", []string{"eyJ" + random[:10] + ".eyJ"}, 10},
	} {
		for _, prefix := range c.prefixes {
			token := prefix + random[:c.least]
			if found := FindTokens("use " + token + ", please"); len(found) != 1 || found[0].Name != c.name || found[0].Start != 4 || found[0].End != 4+len(token) {
				t.Errorf("%s: %+v, want %s", token, found, c.name)
			}
			if found := FindTokens("use " + token[:len(token)-1] + ", please"); len(found) > 0 {
				t.Errorf("%s is too short for a token: %+v", token[:len(token)-1], found)
			}
		}
	}
	for text, want := range map[string]string{
		"AKIA" + strings.Repeat("A", 16):  "AWS_ACCESS_KEY_ID",
		"ASIA" + strings.Repeat("9", 16):  "AWS_ACCESS_KEY_ID",
		"AKIA" + strings.Repeat("A", 15):  "",
		"AKIA" + strings.Repeat("A", 17):  "",
		"-----BEGIN PRIVATE KEY-----\nab": "PRIVATE_KEY",
		"-----BEGIN PUBLIC KEY-----\nabc": "",
		"sk-" + strings.Repeat("word", 4): "", // no digit
		"xoxb-" + strings.Repeat("a", 10): "",
		"hf_" + strings.Repeat("word", 4): "",
	} {
		if found := FindTokens(text); len(found) > 1 || (len(found) == 1) != (want != "") || want != "" && found[0].Name != want {
			t.Errorf("%s: %+v, want %q", text, found, want)
		}
	}
}
