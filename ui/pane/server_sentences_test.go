package pane_test

import (
	"strings"
	"testing"
	"unicode"

	"mcptea/client"
	"mcptea/session/explain/failure"
)

// lettersOf returns the letters and digits of a text: lines of a page are broken and framed.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// The page has the sentence and the cause that the command line prints.
func TestServer_Failure_SentencesOfTheCommandLine(t *testing.T) {
	web := client.Target{URL: "https://example.com/mcp"}
	for name, err := range map[string]error{
		"a proxy":            status(503, "upstream connect error or disconnect/reset before headers. reset reason: connection termination", "Server", "envoy"),
		"a function":         status(500, "FUNCTION_INVOCATION_FAILED", "X-Vercel-Error", "FUNCTION_INVOCATION_FAILED"),
		"a gateway":          status(404, `{"message":"no Route matched with those values"}`, "Server", "kong/3.6.1"),
		"the host":           status(421, "Invalid Host header"),
		"the type":           status(415, "Unsupported media type"),
		"a redirect":         status(302, "", "Location", "https://login.example.com/"),
		"an exception":       status(500, "TypeError: Cannot read properties of undefined (reading 'tea')"),
		"a missing database": status(500, `relation "tea" does not exist`),
	} {
		t.Run(name, func(t *testing.T) {
			b := fails(t, web, err)
			why, page := failure.Explain(b.st.Err, failure.TargetFacts(web, nil)), lettersOf(b.screen(160, 60))
			for _, text := range []string{why.Sentence, why.Cause()} {
				if text == "" || !strings.Contains(page, lettersOf(text)) {
					t.Errorf("%q is missing:\n%s", text, b.screen(160, 60))
				}
			}
		})
	}
}
