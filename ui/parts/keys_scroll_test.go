package parts_test

import (
	"testing"

	"mcptea/ui/keys"
)

// window has moved by so many lines.
type window struct{ screen, moved int }

func (w *window) Move(n int)  { w.moved += n }
func (w *window) Screen() int { return w.screen }
func (w *window) Home()       { w.moved = 0 }
func (w *window) End()        { w.moved = 1000 }

// A page and half a page go equally far in everything that scrolls, and never nowhere.
func TestKeys_Scroll_Pages(t *testing.T) {
	for _, tt := range []struct{ screen, page, half int }{{0, 1, 1}, {1, 1, 1}, {2, 1, 1}, {10, 9, 5}, {11, 10, 5}} {
		w := window{screen: tt.screen}
		for _, step := range []struct {
			motion keys.Motion
			at     int
		}{
			{keys.PageDown, tt.page},
			{keys.HalfDown, tt.page + tt.half},
			{keys.PageUp, tt.half},
			{keys.HalfUp, 0},
			{keys.Down, 1},
			{keys.Up, 0},
			{keys.Bottom, 1000},
			{keys.Top, 0},
		} {
			if !keys.Scroll(&w, step.motion) || w.moved != step.at {
				t.Errorf("a screen of %d: motion %d leads to %d, want %d", tt.screen, step.motion, w.moved, step.at)
			}
		}
		if keys.Scroll(&w, keys.Back) {
			t.Error("Back scrolls")
		}
	}
}
