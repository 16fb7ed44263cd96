package revision

import (
	"slices"
	"strings"
)

// misspellings are names that are used instead of a method, if their spelling is not
// similar to it.
var misspellings = map[string]string{
	"logging/message":   "notifications/message",
	"notifications/log": "notifications/message",
	"log":               "notifications/message",
	"tools/execute":     "tools/call",
	"tool/call":         "tools/call",
	"resources/get":     "resources/read",
	"prompts/read":      "prompts/get",
	"$/cancelRequest":   "notifications/cancelled", // method of the Language Server Protocol
	"$/progress":        "notifications/progress",
}

// Suggest returns the method that is probably meant by an unknown name: the name of
// another protocol or of an older text, a wrong prefix, or another case.
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

// Misspellings returns the names that are used by mistake for a method, without names of similar spelling.
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
