package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// cutBesideEmpty lists the texts of a screen that are cut although cells beside them are empty.
func cutBesideEmpty(screen string) (found []string) {
	for row, line := range strings.Split(screen, "\n") {
		for rest, before := line, ""; ; {
			text, after, ok := strings.Cut(rest, "…")
			if !ok {
				break
			}
			before, rest = before+text+"…", after
			empty := len([]rune(after)) - len([]rune(strings.TrimLeft(after, " ─")))
			if empty > emptyCells && !meant(text) {
				found = append(found, fmt.Sprintf("%d:%d %d %s", row, ansi.StringWidth(before), empty, line))
			}
		}
	}
	return found
}

// emptyCells is how many empty cells may be beside a text that is cut: the gap between two
// columns of which the second is flush right.
const emptyCells = 9

// meant reports whether the "…" after a text is ours: it stands for words of a list, for lines, for
// a value to fill in, or for a question.
func meant(before string) bool {
	for _, end := range []string{", ", "│   ", "│ │ ", "Bearer ", "a breakpoint", "a fault"} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}

// cutSizes are the sizes of screens that are looked at for texts that are cut.
var cutSizes = [][2]int{{80, 24}, {120, 36}, {160, 45}, {200, 60}, {240, 70}}

// No text is cut while cells beside it are empty.
func TestScreens_NoTextIsCutBesideEmptyCells(t *testing.T) {
	more := []picture{
		{name: "server", keys: func(d *driver) { d.command(tabServer) }},
		{name: "resources", keys: func(d *driver) { d.command(tabResources) }},
		{name: "prompts", keys: func(d *driver) { d.command(tabPrompts) }},
		{name: "requests", keys: func(d *driver) { d.command(tabInbox) }},
		{name: "logs", keys: func(d *driver) { d.command(tabLogs) }},
		{name: "tasks", keys: func(d *driver) { d.command(tabTasks) }},
		{name: "not-run", keys: func(d *driver) { d.command(tabProblems) }},
		{name: "skills", keys: func(d *driver) { d.press("0") }},
		{name: "palette", keys: func(d *driver) { d.press("<ctrl+p>fold") }},
		{name: "frame-list", keys: func(d *driver) { d.call("add", `{"a":1,"b":2}`); d.press("9<end>") }},
	}
	for _, p := range slices.Concat(pictures, more) {
		for _, size := range cutSizes {
			t.Run(pictureName(p.name, size), func(t *testing.T) {
				p.run(t, size[0], size[1], func(d *driver) {
					d.settle()
					for _, s := range cutBesideEmpty(d.term.screen()) {
						t.Error(s)
					}
				})
			})
		}
	}
}
