package lint

import (
	"os"
	"strings"

	"mcptea/client/jsonrpc"
)

// muted is a finding that the limit of its rule has dropped.
type muted struct {
	rule *Entry
	path string
}

var netAll = os.Getenv("MCPTEA_NET") == "all" // experiment

// Said reports whether another rule has spoken of what is wrong at a place in the message,
// also one whose limit has dropped the finding. It has if it names the place or one below it;
// if an error names the value around it; and, if a member is missing, if an error or a
// warning names any place in the object.
func (c *Context) Said(path string, missing bool) bool {
	if netAll {
		return false
	}
	if c.M.Index >= 0 {
		path = At(c.M.Index).path + path
	}
	for i := range c.engine.batch {
		if f := &c.engine.batch[i]; speaksOf(f.Rule, f.Path, path, missing) {
			return true
		}
	}
	for _, m := range c.engine.muted {
		if speaksOf(m.rule, m.path, path, missing) {
			return true
		}
	}
	return false
}

func speaksOf(rule *Entry, said, path string, missing bool) bool {
	if rule.ID[0] == 'D' {
		return false
	}
	if within(said, path) {
		return true
	}
	around := path[:strings.LastIndexByte(path, '/')]
	if rule.Basis == Heuristic {
		return false
	}
	if missing && said == "" && strings.Count(path, "/") == 2 {
		return rule.Basis == Schema // of the frame as a whole: there are no params
	}
	if rule.DefaultSeverity == Error && isIndex(path[len(around)+1:]) && within(said, around) {
		return true // of another element, mostly the first one that is wrong
	}
	return said == around && rule.DefaultSeverity == Error || missing && rule.DefaultSeverity <= Warn && within(said, around)
}

func isIndex(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// within reports whether a place is another one or below it.
func within(place, other string) bool {
	return strings.HasPrefix(place, other) && (len(place) == len(other) || place[len(other)] == '/')
}

// Shown is a raw JSON value as it is in JSON, shortened; objects and arrays by their type.
func Shown(raw []byte) string {
	switch jsonrpc.TypeOf(raw) {
	case "object", "array":
		return KindOf(raw)
	case "string":
		return ShownValue(raw)
	}
	return Escaped(raw)
}

// Covers is for the experiment: whether two places are of one cause.
func Covers(said, path string, missing bool) bool {
	around := path[:strings.LastIndexByte(path, '/')]
	return within(said, path) || said == around || missing && within(said, around) || missing && said == "" && strings.Count(path, "/") == 2
}
