package recordings

import (
	"fmt"
	"slices"
	"testing"

	"mcptea/session/record/recordings"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// A row names what the client called, the most frequent first, and not what the server asked for.
func TestCalls_OfTheClientByName(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), true)
	s := &recordings.Summary{Requests: []recordings.Request{
		{Method: "tools/call", Name: "search", Count: 28},
		{Method: "tools/list", Count: 3},
		{Method: "sampling/createMessage", Name: "model", FromServer: true, Count: 2},
		{Method: "prompts/get", Name: "plan", Count: 1},
	}}
	if got := calls(s, pal); got != "search x28, plan" {
		t.Error(got)
	}
	for i := range 10 {
		s.Requests = append(s.Requests, recordings.Request{Method: "tools/call", Name: fmt.Sprint("t", i), Count: 1})
	}
	if got := calls(s, pal); got != "search x28, plan, t0, t1, t2, t3, t4, t5, ~" {
		t.Error(got)
	}
}

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
