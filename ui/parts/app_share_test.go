package parts_test

import (
	"testing"

	"mcptea/ui/app"
)

func TestShare(t *testing.T) {
	small, list, long := app.Want{Cells: 30, Least: 20}, app.Want{Cells: 60, Least: 20}, app.Want{Cells: 200, Least: 40}
	for _, tt := range []struct {
		name          string
		first, second app.Want
		at            app.Focus
		gets          int // of 120
	}{
		{"both fit: what it wants, wherever the focus is", list, small, app.OnFirst, 60},
		{"both fit: what it wants, wherever the focus is", list, small, app.OnSecond, 60},
		{"both fit: what it wants, wherever the focus is", list, small, app.Elsewhere, 60},
		{"the focus needs no more than it has without it", list, long, app.OnFirst, 60},
		{"the focus has up to 70 %", list, long, app.OnSecond, 36},
		{"the focus has up to 70 %", long, list, app.OnFirst, 84},
		{"what the neighbor does not need is no loss for it", long, small, app.OnFirst, 90},
		{"the neighbor keeps its least", app.Want{Cells: 200}, app.Want{Cells: 150, Least: 50}, app.OnFirst, 70},
		{"without the focus each has its part", app.Want{Cells: 100}, app.Want{Cells: 100}, app.Elsewhere, 60},
	} {
		if got := app.Share(120, tt.first, tt.second, tt.at); got != tt.gets {
			t.Errorf("%s: %d cells, not %d", tt.name, got, tt.gets)
		}
	}
	for n := range 60 {
		for _, at := range []app.Focus{app.Elsewhere, app.OnFirst, app.OnSecond} {
			if got := app.Share(n, list, long, at); got < 0 || got > n {
				t.Errorf("%d of %d cells", got, n)
			}
		}
	}
}
