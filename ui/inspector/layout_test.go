package inspector

import (
	"strings"
	"testing"

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
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD`},
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
		{"a long page to be read whole", arrangement{w: 120, h: 36, tall: true, wish: 40}, `
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
PPPPPPPPPPPP
TTTTTTTTTTTT
TTTTTTTTTTTT
TTTTTTTTTTTT`},
		{"a frame large: it has half", arrangement{w: 120, h: 36, detail: true, focus: slotDetail}, `
hhhhhhhhhhhh
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD
TTTTTTDDDDDD`},
		{"very wide: the traffic is a column, the frame below it", arrangement{w: 200, h: 30}, `
hhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD`},
		{"very wide, with the focus in the traffic", arrangement{w: 200, h: 30, focus: slotTraffic}, `
hhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD`},
		{"widest: the tab has the same part", arrangement{w: 240, h: 30}, `
hhhhhhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPTTTTTTTTT
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD
PPPPPPPPPPPPPPPDDDDDDDDD`},
		{"very wide, in the frame: it has the rows that it wants", arrangement{w: 200, h: 40, focus: slotDetail, wish: 23, pins: 8}, `
hhhhhhhhhhhhhhhhhhhh
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPTTTTTTT
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
PPPPPPPPPPPPPDDDDDDD
NNNNNNNNNNNNNDDDDDDD
NNNNNNNNNNNNNDDDDDDD
NNNNNNNNNNNNNDDDDDDD
NNNNNNNNNNNNNDDDDDDD`},
		{"a list that wants more than its share", arrangement{w: 120, h: 36, wish: 40}, `
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
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD`},
		{"traffic that wants more than its share", arrangement{w: 120, h: 36, focus: slotTraffic, wish: 40}, `
hhhhhhhhhhhh
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
PPPPPPPPPPPP
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD
TTTTTTTTDDDD`},
		{"pins that want more than their share", arrangement{w: 100, h: 40, focus: slotPins, pins: 8, wish: 14}, `
hhhhhhhhhh
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
NNNNNNNNNN
TTTTTTTTTT
TTTTTTTTTT
TTTTTTTTTT
TTTTTTTTTT
TTTTTTTTTT`},
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

func TestLayoutFillsEveryScreen(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for w := program.MinWidth; w <= 220; w += steps(21, 7) {
		for h := program.MinHeight; h <= 80; h += steps(9, 3) {
			for _, focus := range []slot{slotTab, slotPins, slotTraffic, slotDetail, slotComposer} {
				for bits := range 16 {
					a := arrangement{w: w, h: h, focus: focus, zoom: bits&1 != 0, detail: bits&2 != 0, wish: bits & 4 * 10, pins: bits & 8}
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
