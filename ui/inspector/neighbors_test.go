package inspector

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// neighbors are two boxes beside each other on a screen: their rows, between the borders.
type neighbors struct{ left, right []string }

// neighborsOf lists the boxes of a screen that are beside each other.
func neighborsOf(screen string) (found []neighbors) {
	var rows [][]rune
	for line := range strings.Lines(screen) {
		rows = append(rows, columns(strings.TrimSuffix(line, "\n")))
	}
	at := func(y, x int) rune {
		if y < len(rows) && x < len(rows[y]) {
			return rows[y][x]
		}
		return 0
	}
	for y, row := range rows {
		for x, r := range row {
			if r != '┬' {
				continue
			}
			begin, end := x-1, x+1
			for begin > 0 && !slices.Contains([]rune("╭├┬│┤"), row[begin]) {
				begin--
			}
			for end < len(row)-1 && !slices.Contains([]rune("╮┬┤"), row[end]) {
				end++
			}
			var n neighbors
			for y := y + 1; at(y, x) == '│' || at(y, x) == '├'; y++ {
				if at(y, x) == '├' { // a border of the boxes at the right
					continue
				}
				n.left = append(n.left, text(rows[y][begin+1:x]))
				n.right = append(n.right, text(rows[y][x+1:min(end, len(rows[y]))]))
			}
			found = append(found, n)
		}
	}
	return found
}

// columns are the runes of a row by their columns: a wide one is followed by 0.
func columns(row string) (cells []rune) {
	for _, r := range row {
		cells = append(cells, r)
		for range ansi.StringWidth(string(r)) - 1 {
			cells = append(cells, 0)
		}
	}
	return cells
}

func text(cells []rune) string {
	return string(slices.DeleteFunc(slices.Clone(cells), func(r rune) bool { return r == 0 }))
}

// cutAndEmpty is a text of a box that is cut, and how many columns at the right of the box are empty in
// all rows.
func cutAndEmpty(box []string) (cut string, empty int) {
	empty = 1 << 20
	for _, row := range box {
		if before, _, ok := strings.Cut(row, "…"); ok && strings.TrimSpace(before) != "" && !meant(before) && !isPreview(before) {
			cut = row
		}
		empty = min(empty, ansi.StringWidth(row)-ansi.StringWidth(strings.TrimRight(row, " ─")))
	}
	return cut, empty
}

// demoDescriptions returns the descriptions of what the demo offers.
var demoDescriptions = sync.OnceValue(func() (all []string) {
	for _, name := range []string{"tools", "prompts", "resources"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "demo", "primitives", name+".jsonl"))
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(data)) {
			var row struct {
				Entry struct{ Description string }
			}
			if json.Unmarshal([]byte(line), &row) == nil && row.Entry.Description != "" {
				all = append(all, row.Entry.Description)
			}
		}
	}
	return all
})

// isPreview reports whether a text that is cut is a description of the demo in a list of names. Lists of names have one
// width on all tabs, and the panel of the selected item shows its description whole.
func isPreview(before string) bool {
	before = strings.TrimSpace(before)
	if i := strings.LastIndex(before, "  "); i >= 0 {
		before = before[i+2:]
	}
	return slices.ContainsFunc(demoDescriptions(), func(d string) bool { return len(before) > 8 && strings.HasPrefix(d, before) })
}

// cutsNothingBeside fails where a text is cut in one box, and a quarter of the window is empty in the box beside it.
func (d *driver) cutsNothingBeside() {
	d.t.Helper()
	d.settle()
	for _, n := range neighborsOf(d.term.screen()) {
		leftCut, leftEmpty := cutAndEmpty(n.left)
		rightCut, rightEmpty := cutAndEmpty(n.right)
		for _, found := range []struct {
			cut   string
			empty int
		}{{leftCut, rightEmpty}, {rightCut, leftEmpty}} {
			if found.cut != "" && found.empty > d.model.W/4 {
				d.t.Errorf("%d columns are empty beside: %s", found.empty, found.cut)
			}
		}
	}
}
