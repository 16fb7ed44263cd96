package lint

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/session/checks/sdks"
)

// typeRules are the rules about the type of a value in a tool. Where the library of a client refuses the
// whole list for that value, a finding of theirs says so, and is an error.
var typeRules = []string{"D001", "D002", "D003", "D004", "M007", "S001", "S025", "T015", "T018"}

// clientSDKs are the libraries whose refusals are told, as [sdks.Named] takes them.
var clientSDKs = []string{"typescript-sdk", "typescript-sdk-2", "go-sdk"}

// consequence says which libraries refuse the list for what a finding is about; empty if none does.
func (c *Context) consequence(at Place) string {
	if c.M == nil || !c.M.IsResult() || !slices.Contains(ToolLists, c.M.Method) || !slices.Contains(typeRules, c.hook.entry.ID) {
		return ""
	}
	_, place, ok := strings.Cut(at.path, "/result/tools/")
	number, within, _ := strings.Cut(place, "/")
	index, err := strconv.Atoi(number)
	if !ok || err != nil {
		return ""
	}
	var refusing []string
	for _, tool := range c.Tools() {
		if tool.index != index {
			continue
		}
		for _, id := range clientSDKs {
			sdk := sdks.Named(id)
			if slices.ContainsFunc(sdk.Refuses(tool.Raw), func(f sdks.Fault) bool { return overlap("/"+within, f.Path) }) {
				refusing = append(refusing, sdk.Release())
			}
		}
	}
	switch last := len(refusing) - 1; {
	case last < 0:
		return ""
	case last == 0:
		return "A client on the " + refusing[0] + " refuses the whole list for it, and gets no tool of the server."
	default:
		return "A client on the " + strings.Join(refusing[:last], ", the ") + " or the " + refusing[last] + " refuses the whole list for it, and gets no tool of the server."
	}
}

// overlap reports whether one of two JSON Pointers is within the other.
func overlap(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", b+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
