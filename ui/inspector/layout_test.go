package inspector

import (
	"slices"
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/ui/program"
)

// draw shows a layout as boxes: each rectangle filled with its letter.
func draw(a arrangement) string {
	l := arrange(a)
	screen := make([][]byte, a.h)
	for y := range screen {
		screen[y] = []byte(strings.Repeat(".", a.w))
	}
	for _, part := range []struct {
		letter byte
		rect
	}{
		{'h', l.header},
		{'t', l.tabs},
		{'f', l.footer},
		{'P', l.tab},
		{'N', l.pins},
		{'T', l.traffic},
		{'D', l.detail},
		{'C', l.composer},
	} {
		letter, r := part.letter, part.rect
		for y := r.y; y < r.y+r.h; y++ {
			for x := r.x; x < r.x+r.w; x++ {
				if screen[y][x] != '.' && x > r.x { // neighbors share a line
					return "overlap"
				}
				screen[y][x] = letter
			}
		}
	}
	// One column in ten and one row in two are enough to see it.
	var b strings.Builder
	for y := 0; y < a.h; y += 2 {
		for x := 0; x < a.w; x += 10 {
			b.WriteByte(screen[y][x])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLayout(t *testing.T) {
	tests := []struct {
		name string
		a    arrangement
		want string
	}{
		{"wide", arrangement{w: 120, h: 36}, `
hhhhhhhhhhhh
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT`},
		{"wide, composing", arrangement{w: 120, h: 36, composer: 7, focus: slotComposer}, `
hhhhhhhhhhhh
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC
CCCCCCCCCCCC`},
		{"a frame opened: it has two thirds", arrangement{w: 120, h: 36, detail: true, focus: slotDetail}, `
hhhhhhhhhhhh
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD`},
		{"very wide: the traffic is a column, the frame below it", arrangement{w: 200, h: 30}, `
hhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPDDDDDDDDD`},
		{"very wide, with the focus in the traffic: the frame is beside it", arrangement{w: 200, h: 30, focus: slotTraffic}, `
hhhhhhhhhhhhhhhhhhhh
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD`},
		{"widest: the tab has the same part", arrangement{w: 240, h: 30}, `
hhhhhhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPTTTTTTTTTT
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD
PPPPPPPPPPPPPPDDDDDDDDDD`},
		{"very wide, in the frame: the pins and the tab give way", arrangement{w: 200, h: 40, focus: slotDetail, wish: 23, pins: true}, `
hhhhhhhhhhhhhhhhhhhh
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD
TTTTTTTTTTTDDDDDDDDD`},
		{"the focus in the traffic: it has the body, over the frame", arrangement{w: 120, h: 36, focus: slotTraffic, wish: 40}, `
hhhhhhhhhhhh
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD
DDDDDDDDDDDD`},
		{"open pins have the place of the traffic, with the focus the rows that they need", arrangement{w: 100, h: 40, focus: slotPins, pins: true, wish: 14}, `
hhhhhhhhhh
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
PPPPPPPPPP
NNNNNNNNNN
NNNNNNNNNN
NNNNNNNNNN
NNNNNNNNNN
NNNNNNNNNN
NNNNNNNNNN
NNNNNNNNNN`},
		{"very wide: open pins have the column", arrangement{w: 200, h: 30, pins: true}, `
hhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN
PPPPPPPPPPPNNNNNNNNN`},
		{"small, in the traffic", arrangement{w: 80, h: 24, focus: slotTraffic}, `
hhhhhhhh
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT
TTTTTTTT`},
		{"small, composing", arrangement{w: 80, h: 24, focus: slotComposer, composer: 4}, `
hhhhhhhh
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC
CCCCCCCC`},
		{"zoom", arrangement{w: 80, h: 24, focus: slotTab, zoom: true, composer: 7}, `
hhhhhhhh
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP
PPPPPPPP`},
		{"too small", arrangement{w: 39, h: 12}, `
....
....
....
....
....
....`},
	}
	for _, tt := range tests {
		if got := "\n" + strings.TrimSuffix(draw(tt.a), "\n"); got != tt.want {
			t.Errorf("%s: got%s", tt.name, got)
		}
	}
}

func TestLayout_FillsEveryScreen(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for w := program.MinWidth; w <= 220; w += steps(21, 7) {
		for h := program.MinHeight; h <= 80; h += steps(9, 3) {
			for _, focus := range []slot{slotTab, slotPins, slotTraffic, slotDetail, slotComposer} {
				for bits := range 16 {
					a := arrangement{w: w, h: h, focus: focus, zoom: bits&1 != 0, detail: bits&2 != 0, wish: bits & 4 * 10, pins: bits&8 != 0 || focus == slotPins}
					if focus == slotComposer {
						a.composer = 8
					}
					l := arrange(a)
					area := 0
					for _, r := range []rect{l.header, l.tabs, l.footer, l.tab, l.pins, l.traffic, l.detail, l.composer} {
						if r.x < 0 || r.y < 0 || r.x+r.w > w || r.y+r.h > h {
							t.Fatalf("%+v: %+v lies outside", a, r)
						}
						area += r.w * r.h
						if r.x > 0 { // it shares a line with its neighbor
							area -= r.h
						}
					}
					if area != w*h || draw(a) == "overlap" {
						t.Fatalf("%+v covers %d of %d cells: %+v", a, area, w*h, l)
					}
				}
			}
		}
	}
}

// The dock below a tab has one height in all tabs at a size of the window, whatever the tab wants and whatever has the
// focus of the tab; so a tab that is left for another one moves nothing.
func TestLayout_OneHeightOfTheDock(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 45}} {
		heights := map[int]bool{}
		for _, a := range []arrangement{{}, {wish: 40}, {pins: true, wish: 40}, {pins: true, focus: slotPins}, {focus: slotComposer}} {
			a.w, a.h = size[0], size[1]
			l := arrange(a)
			heights[l.traffic.h+l.pins.h] = true
		}
		if len(heights) != 1 {
			t.Errorf("%dx%d: the dock has the heights %v", size[0], size[1], heights)
		}
	}
}

// The dock stays where it is in all tabs of a session, also of one that could not connect and of one without content.
func TestTabs_OneHeightOfTheDock(t *testing.T) {
	dock := func(d *driver) int {
		return slices.IndexFunc(strings.Split(d.term.screen(), "\n"), func(row string) bool {
			return strings.Contains(row, "─ 9 Traffic ")
		})
	}
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			first := 0
			for _, key := range []string{"2", "3", "4", "5", "6", "7", "8", "0", "E", "I", "2/echo<enter><enter>hi<enter>", "<esc>1"} {
				d.press(key)
				d.settle()
				switch at := dock(d); {
				case at < 0 && key == "8" && size[1] == 24: // the evidence of a finding takes its rows
				case first == 0:
					first = at
				case at != first:
					t.Errorf("%v: after %s the dock begins in row %d, before in row %d:\n%s", size, key, at, first, d.term.screen())
				}
			}
		})
	}
}

// Lists of names have one width in all tabs, and a border that is moved in one is moved in all.
func TestLists_OneWidth(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 45}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			first := 0
			for _, tab := range []string{tabTools, tabResources, tabPrompts} {
				d.command(tab)
				d.settle()
				switch at := d.borderAt(6); {
				case first == 0:
					first = at
				case at != first:
					t.Errorf("%dx%d: the list of %s has %d cells, the first one %d", size[0], size[1], tab, at, first)
				}
			}
			d.command(tabTools)
			d.press(">")
			d.command(tabPrompts)
			d.settle()
			if at := d.borderAt(6); at != first+borderStep {
				t.Errorf("%dx%d: the border was moved to %d in Tools, and is at %d in Prompts", size[0], size[1], first+borderStep, at)
			}
		})
	}
}
