package recordings

import (
	"slices"
	"strings"
	"testing"
)

// The process of an agent gets the command line without the flags of serving; the words of the server are kept.
func TestServeMCP_WordsOfTheProcess(t *testing.T) {
	for typed, want := range map[string]string{
		"mcp --listen 3000": "mcp",
		"mcp --listen=3000 --url-token none -- node --listen 4000 x": "mcp -- node --listen 4000 x",
		"mcp --watch --shared --idle 5m --allow-host a --sse files":  "mcp --watch files",
		"mcp --allow-commands --max-sessions=3 -e A=b --listen :1":   "mcp --allow-commands -e A=b",
	} {
		if got := withoutServing(strings.Fields(typed)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", typed, got, want)
		}
	}
}
