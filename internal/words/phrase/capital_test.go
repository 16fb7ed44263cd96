package phrase_test

import (
	"testing"

	"mcptea/internal/words/phrase"
)

func TestCapital_NamesKeepTheirSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"the server ended":                              "The server ended",
		"cannot open x: permission denied":              "Cannot open x: permission denied",
		"a.":                                            "A.",
		"tools/call got no response":                    "tools/call got no response",
		"initialize got no response":                    "initialize got no response",
		"ping, which was sent":                          "ping, which was sent",
		"nextCursor is empty":                           "nextCursor is empty",
		"x509: certificate signed by unknown authority": "x509: certificate signed by unknown authority",
		"dir: is in or out":                             "dir: is in or out",
		"mcptea has no such key":                        "mcptea has no such key",
		"mcp.json is empty":                             "mcp.json is empty",
		"échec de la connexion":                         "échec de la connexion",
		"":                                              "",
	} {
		if got := phrase.Capital(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
