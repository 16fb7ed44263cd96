package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
	"mcptea/session/intercept"
)

var _ = raced.Also(TestBranch_NoTextIsCutBesideEmptyCells, TestRecordings_NoTextIsCutBesideEmptyCells)

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

// emptyCells is the maximum number of empty cells beside a text that is cut: the gap between two
// columns of which the second is flush right.
const emptyCells = 9

// meant reports whether the "…" after a text is ours: it stands for words of a list, for lines, for
// the whole value of a member, for a value to fill in, or for a question.
func meant(before string) bool {
	for _, end := range []string{", ", ": ", "{", "│   ", "│ │ ", "Bearer ", "a breakpoint", "a fault"} {
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
	raced.Never(t, "repeats one drawing over sizes")
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
	for i, p := range slices.Concat(pictures, more) {
		inCutSizes(t, p.name, inTurn(cutSizes, i), func(t *testing.T, w, h int) {
			p.run(t, w, h, func(d *driver) {
				d.cutsNothing()
				d.cutsNothingBeside()
			})
		})
	}
}

// inCutSizes runs a test in each of some sizes.
func inCutSizes(t *testing.T, name string, sizes [][2]int, test func(t *testing.T, w, h int)) {
	for _, size := range sizes {
		t.Run(pictureName(name, size), func(t *testing.T) { test(t, size[0], size[1]) })
	}
}

// cutsNothing fails for each text of the screen that is cut beside empty cells.
func (d *driver) cutsNothing() {
	d.t.Helper()
	d.settle()
	for _, s := range cutBesideEmpty(d.term.screen()) {
		d.t.Error(s)
	}
}

// Nor in a branch of a recording, wherever the cursor is.
func TestBranch_NoTextIsCutBesideEmptyCells(t *testing.T) {
	inCutSizes(t, "branch", cutSizes, func(t *testing.T, w, h int) {
		driveBranch(t, w, h, 10, func(d *driver) {
			d.cutsNothing() // the question whether to send
			d.press("y")
			for range 4 {
				d.cutsNothing()
				d.press("<up>")
			}
		})
	})
}

// Nor in the recording of a tap, and where frames of the tap are held.
func TestTap_NoTextIsCutBesideEmptyCells(t *testing.T) {
	inCutSizes(t, "tap", cutSizes, func(t *testing.T, w, h int) {
		driveRecording(t, w, h, recordingtest.File(t, "stdio", tracked), func(d *driver) {
			for _, tab := range []string{tabServer, tabTools, tabTraffic} {
				d.command(tab)
				d.press("<end>")
				d.cutsNothing()
			}
		})
		driveTap(t, w, h, func(d *driver, _ string) {
			d.attach(intercept.New(intercept.Options{}), make(chan struct{}))
			d.press("b")
			d.cutsNothing()
			d.press("<ctrl+u>method:tools/call tool:search_issues json:.params.arguments.query=panic<enter>")
			d.cutsNothing()
		})
	})
}

// Nor in the list of recordings.
func TestRecordings_NoTextIsCutBesideEmptyCells(t *testing.T) {
	inCutSizes(t, "recordings", cutSizes, func(t *testing.T, w, h int) {
		d := newListDriver(t, w, h)
		for range d.catalog.list {
			for _, s := range cutBesideEmpty(d.screen()) {
				t.Error(s)
			}
			d.press("down")
		}
	})
}
