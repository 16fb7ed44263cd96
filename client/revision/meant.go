package revision

import (
	"slices"
	"strings"
)

// misspellings are names that people take for methods of MCP, where the spelling
// alone does not tell which one they mean.
var misspellings = map[string]string{
	"logging/message":   "notifications/message",
	"notifications/log": "notifications/message",
	"log":               "notifications/message",
	"tools/execute":     "tools/call",
	"tool/call":         "tools/call",
	"resources/get":     "resources/read",
	"prompts/read":      "prompts/get",
	"$/cancelRequest":   "notifications/cancelled", // of the Language Server Protocol
	"$/progress":        "notifications/progress",
}

// Suggest finds the method that somebody probably means with a name that is
// none: one that other protocols or older texts use, one with a prefix too
// many or too few, or another spelling. Nothing is meant by the name of a
// method.
func Suggest(name string) (string, bool) {
	if _, ok := Lookup(name); ok {
		return "", false
	}
	if m, ok := misspellings[name]; ok {
		return m, true
	}
	bare := strings.TrimPrefix(name, "mcp/")
	bare = strings.ReplaceAll(bare, "listChanged", "list_changed")
	for _, m := range methods {
		if strings.EqualFold(m.Name, bare) || strings.EqualFold(m.Name, "notifications/"+bare) {
			return m.Name, true
		}
	}
	return "", false
}

// Misspellings lists the names that people write for a method and that are none, as
// far as their spelling does not tell.
func Misspellings(method string) []string {
	var found []string
	for name, meant := range misspellings {
		if meant == method {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
