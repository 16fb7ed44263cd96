package lint

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/lint/sdks"
)

// typeRules lists the rules about the type of a value in a tool. The library of a client may reject
// the whole list because of that value. The finding is then an error that names the library.
var typeRules = []string{"D001", "D002", "D003", "D004", "M007", "S001", "S025", "T015", "T018"}

// handshakeRules lists the rules about the type of a value in the result of initialize. The library
// of a client may reject the connection because of that value. The finding is then an error that
// names the library.
var handshakeRules = []string{"C009", "D001", "D002", "D003", "D004", "L009", "M007", "S001", "S025", "T015"}

// consequence returns a sentence with the libraries that reject the list or the connection because
// of the value at a place, or "".
func (c *Context) consequence(at Place) string {
	if c.M == nil || !c.M.IsResult() {
		return ""
	}
	var refusals []sdks.Refusal
	within, of := "", "the whole list for it, and gets no tool of the server"
	switch rule := c.hook.entry.ID; {
	case slices.Contains(ToolLists, c.M.Method) && slices.Contains(typeRules, rule):
		refusals, within = c.refusalsOfTool(at)
	case c.M.Method == "initialize" && slices.Contains(handshakeRules, rule):
		of = "the connection for it"
		path, ok := strings.CutPrefix(at.path, "/result")
		if result := c.M.Result; ok {
			within = path
			refusals = sdks.Refusals(sdks.Official, func(s *sdks.SDK) []sdks.Fault { return s.RefusesConnection(result) })
		}
	}
	var refusing []string
	for _, r := range refusals {
		if overlap(within, r.Path) {
			for _, release := range r.SDKs {
				if !slices.Contains(refusing, release) {
					refusing = append(refusing, release)
				}
			}
		}
	}
	if refusing == nil {
		return ""
	}
	return phrase.Capital(sdks.Clients(refusing)) + " refuses " + of + "."
}

// refusalsOfTool returns the libraries that reject the tool at a place. within is the place in the
// tool.
func (c *Context) refusalsOfTool(at Place) (refusals []sdks.Refusal, within string) {
	_, place, ok := strings.Cut(at.path, "/result/tools/")
	number, within, _ := strings.Cut(place, "/")
	index, err := strconv.Atoi(number)
	if !ok || err != nil {
		return nil, ""
	}
	for _, tool := range c.Tools() {
		if tool.index == index {
			refusals = append(refusals, sdks.Refusals(sdks.Official, func(s *sdks.SDK) []sdks.Fault { return s.Refuses(tool.Raw) })...)
		}
	}
	return refusals, "/" + within
}

// overlap reports whether one of two JSON Pointers is within the other.
func overlap(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", b+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
