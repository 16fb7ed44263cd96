package pane_test

import (
	"testing"

	"mcptea/client/transport"
	"mcptea/ui/keys"
)

// seekSlice is how many rows are looked at for an error at a time.
const seekSlice = 50000

func TestTraffic_NextError_GoesOnInSlices(t *testing.T) {
	b := newTrafficBench(t)
	for range 2 * seekSlice {
		b.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	b.frame(transport.In, `no JSON`)
	b.refresh()
	b.p.Motion(keys.Top)
	if a := b.do("match.next"); a != "" {
		t.Fatalf("the search is over at once: %v", a)
	}
	if got := b.p.Selected(); got != 0 {
		t.Errorf("row %d is selected after one slice", got)
	}
	b.sees(b.Program.Paint(120, 10, true), "next error")
	b.refresh()
	if got := b.p.Selected(); got != 2*seekSlice {
		t.Errorf("row %d is selected, want %d", got, 2*seekSlice)
	}
	b.do("match.previous")
	b.refresh()
	b.sees(b.screen(120, 10), "no more errors in this direction")

	// Another key ends the search.
	b.do("match.previous")
	b.p.Motion(keys.Up)
	at := b.p.Selected()
	b.refresh()
	if got := b.p.Selected(); got != at {
		t.Errorf("the search went on to row %d", got)
	}
}
