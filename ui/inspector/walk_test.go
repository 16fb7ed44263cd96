package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/demo"
)

// step is one step of a walk through the program.
type step struct {
	name string
	do   func(d *driver)
}

func presses(keys string) func(d *driver) {
	return func(d *driver) {
		d.press(keys)
		d.settle()
	}
}

func runs(id string) func(d *driver) { return func(d *driver) { d.command(id) } }

// walk visits what a user does in an hour: a form, a result, the traffic, an opened frame, a slow call
// that is cancelled, filters, three lists, the problems, the composer.
var walk = []step{
	{"connected", func(d *driver) { d.settle() }},
	{"tools", runs(tabTools)},
	{"down", presses("jjj")},
	{"filter", func(d *driver) { d.command("filter"); presses("echo")(d) }},
	{"filtered", runs("filter.apply")},
	{"form", runs("item.open")},
	{"argument", presses("hello")},
	{"result", runs("call.send")},
	{"in the result", runs("result")},
	{"back in the form", presses("<esc>")},
	{"back in the list", presses("<esc>")},
	{"no filter", presses("<esc>")},
	{"traffic", runs(tabTraffic)},
	{"up", presses("kk")},
	{"opened frame", presses("<enter>")},
	{"next view of the frame", presses("v")},
	{"frame closed", presses("<esc>")},
	{"tools again", runs(tabTools)},
	{"slow tool", func(d *driver) { d.selectTool("long-work") }},
	{"its form", runs("item.open")},
	{"slow call", func(d *driver) { d.command("call.send"); d.sleep(2 * time.Second) }},
	{"cancelled", func(d *driver) { presses("x")(d) }},
	{"list", presses("<esc><esc>")},
	{"no match", func(d *driver) { d.command("filter"); presses("zzzz")(d) }},
	{"all tools", presses("<esc><esc>")},
	{"structured result", func(d *driver) { d.tool("weather"); d.press("Lisbon"); d.command("call.send") }},
	{"resources", runs(tabResources)},
	{"a resource", presses("jj")},
	{"read", presses("<enter>")},
	{"resources again", presses("<esc><esc>")},
	{"resources filtered", func(d *driver) { d.command("filter"); presses("clock")(d); d.command("filter.apply") }},
	{"prompts", runs(tabPrompts)},
	{"a prompt", presses("jj")},
	{"its arguments", presses("<enter>")},
	{"prompts again", presses("<esc><esc>")},
	{"problems", runs(tabProblems)},
	{"composer", runs("compose")},
	{"malformations", presses("<tab><tab>")},
	{"tools at the end", func(d *driver) { presses("<esc><esc><esc>")(d); d.command(tabTools) }},
}

// A border between parts beside each other has one place for each screen and size of the window: in a
// walk through the program, without a resize, a drag or a new list, none moves. And the places are good
// ones: few texts are cut beside columns that stay empty.
func TestBorders_StayInAWalk(t *testing.T) {
	for _, size := range []struct{ w, h, cuts int }{{80, 24, 0}, {120, 36, 8}, {200, 60, 48}} {
		driveIn(t, revision.R20251125, size.w, size.h, demo.Options{}, func(d *driver) {
			places, moves, cuts := map[string][]int{}, []string(nil), []string(nil)
			for _, s := range walk {
				s.do(d)
				screen := boxesOf(d)
				for name, at := range screen.borders {
					if before, ok := places[name]; ok && !slices.Equal(before, at) {
						moves = append(moves, fmt.Sprintf("%s: %s from %v to %v", s.name, name, before, at))
					}
					places[name] = at
				}
				for _, row := range screen.cuts() {
					cuts = append(cuts, s.name+": "+row)
				}
			}
			if len(moves) > 0 {
				t.Errorf("%dx%d: %d borders move:\n%s", size.w, size.h, len(moves), strings.Join(moves, "\n"))
			}
			if len(cuts) > size.cuts {
				t.Errorf("%dx%d: %d rows are cut beside empty columns:\n%s", size.w, size.h, len(cuts), strings.Join(cuts, "\n"))
			}
			t.Logf("%dx%d: %d moves, %d cut rows, %v", size.w, size.h, len(moves), len(cuts), places)
		})
	}
}

// box is a part of the screen, without its border.
type box struct {
	of         string
	x, y, w, h int
}

// painted is a screen with its parts and the borders between those beside each other, by the screen and
// the row that they begin in.
type painted struct {
	cells   [][]string
	boxes   []box
	borders map[string][]int
}

// boxesOf finds the parts of a screen by the corners of their borders.
func boxesOf(d *driver) *painted {
	p := &painted{borders: map[string][]int{}}
	for _, line := range strings.Split(d.term.screen(), "\n") {
		var row []string
		for _, c := range columns(line) {
			row = append(row, string(c))
		}
		p.cells = append(p.cells, row)
	}
	m := d.model
	where := m.tabs[m.activeTab].ID
	if m.focus == slotComposer {
		where = "composer"
	}
	if m.frameOpen {
		where += " with a frame"
	}
	for name, r := range map[string]rect{"tab": m.layout.tab, "traffic": m.layout.traffic, "detail": m.layout.detail, "composer": m.layout.composer} {
		if r.empty() {
			continue
		}
		from := r.x
		for x := r.x + 1; x < r.x+r.w; x++ {
			if c := p.at(x, r.y); c == "┬" || c == "╮" || c == "┐" {
				p.boxes = append(p.boxes, box{name, from + 1, r.y + 1, x - from - 1, r.h - 2})
				if x < r.x+r.w-1 {
					p.borders[where+" "+name] = append(p.borders[where+" "+name], x)
				}
				from = x
			}
		}
		if r.x > 0 {
			p.borders[where+" left of "+name] = []int{r.x}
		}
	}
	return p
}

func (p *painted) at(x, y int) string {
	if y >= len(p.cells) || x >= len(p.cells[y]) {
		return " "
	}
	return p.cells[y][x]
}

// cuts are the rows that end with "…" left of a part with at least three columns that are empty over its
// whole height.
func (p *painted) cuts() (rows []string) {
	empty := func(b box) (n int) {
		for x := b.x; x < b.x+b.w; x++ {
			blank := true
			for y := b.y; y < b.y+b.h && blank; y++ {
				c := p.at(x, y)
				blank = c == " " || c == "\x00" && p.at(x-1, y) == " "
			}
			if blank {
				n++
			}
		}
		return n
	}
	for _, b := range p.boxes {
		for y := b.y; y < b.y+b.h; y++ {
			var row strings.Builder
			for x := b.x; x < b.x+b.w; x++ {
				row.WriteString(p.at(x, y))
			}
			text := strings.TrimRight(row.String(), " \x00")
			if !strings.HasSuffix(text, "…") {
				continue
			}
			for _, of := range p.boxes {
				if of.x == b.x+b.w+1 && of.y <= y && y < of.y+of.h && empty(of) >= 3 {
					rows = append(rows, b.of+": "+strings.ReplaceAll(text, "\x00", ""))
					break
				}
			}
		}
	}
	return rows
}
