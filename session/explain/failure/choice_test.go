package failure

import (
	"slices"
	"strings"
	"testing"
)

// However few lines there is room for, no more are chosen, and the decisive one comes first. Frames of Node.js itself are
// never chosen.
func TestChoice_AtMost(t *testing.T) {
	lines := strings.Split("node:internal/modules/cjs/loader:1210\n  throw err;\nError: Cannot find module '/srv/a.js'\n    at Module._load (node:internal/x:1:2)\n  code: 'MODULE_NOT_FOUND'\n}\nNode.js v20.20.2", "\n")
	const telling = 4 // without the frames and the excerpt of the source of Node.js
	for most := range len(lines) + 2 {
		got := choiceOf(lines, most)
		if most < telling && slices.Contains(got, "}") {
			t.Errorf("at most %d: %q has a row that says nothing", most, got)
		}
		if len(got) != min(most, telling) {
			t.Errorf("of %d lines at most %d: %q", len(lines), most, got)
		}
		if slices.ContainsFunc(got, func(l string) bool { return !slices.Contains(lines, l) }) {
			t.Errorf("at most %d: %q has a row that stderr does not, which the heading counts", most, got)
		}
		if most > 0 && !slices.Contains(got, lines[2]) {
			t.Errorf("at most %d: %q lacks the reason", most, got)
		}
	}
}
