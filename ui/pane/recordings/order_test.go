package recordings

import (
	"slices"
	"testing"

	"mcptea/session/record/recordings"
)

// What is being written is first, whatever the order of the others.
func TestCompare_LiveFirst(t *testing.T) {
	for order := range orders {
		p := &Pane{order: order}
		list := []*recordings.Recording{{Path: "small", Size: 1}, {Path: "large", Size: 9}, {Path: "live", Live: true, Size: 5}}
		for range 2 {
			slices.SortFunc(list, p.compare)
			if list[0].Path != "live" {
				t.Errorf("order %d: %s is first", order, list[0].Path)
			}
			slices.Reverse(list)
		}
	}
	p := &Pane{order: bySize}
	if a, b := (&recordings.Recording{Size: 9}), (&recordings.Recording{Size: 1}); p.compare(a, b) >= 0 {
		t.Error("by size the smaller one is first")
	}
}
