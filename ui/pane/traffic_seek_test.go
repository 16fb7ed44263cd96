package pane_test

import (
	"fmt"
	"slices"
	"testing"

	"mcptea/client/transport"
	"mcptea/ui/keys"
)

// seekSlice is the number of rows that one step of the search for an error reads.
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

// The search enters closed exchanges and opens them, in both directions; the end comes behind the last one.
func TestExchanges_NextMatch_EntersClosedOnes(t *testing.T) {
	b := newExchangeBench(t)
	for id := 1; id <= 4; id++ {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a%d","_meta":{"progressToken":%d}}}`, id, id, id))
		for n := range 3 {
			text := "plain"
			if id%2 == 0 && n > 0 {
				text = "needle"
			}
			b.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d,"message":"%s"}}`, id, n, text))
		}
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id))
	}
	walk := func(id string) (found []int32) {
		for {
			said := b.do(id)
			if b.refresh(); said != "" {
				if said != "say: No more errors in this direction, and no more matches within exchanges." {
					t.Errorf("%s", said)
				}
				return found
			}
			found = append(found, b.p.Selected()+1)
			if len(found) > 9 {
				t.Fatalf("no end: %v", found)
			}
		}
	}
	for _, tt := range []struct {
		id   string
		from keys.Motion
		want []int32
	}{
		{"match.next", keys.Top, []int32{8, 9, 18, 19}},
		{"match.previous", keys.Bottom, []int32{19, 18, 9, 8}},
	} {
		b := b
		b.filter.Set("needle")
		b.p.ShowExchanges(false)
		b.p.ShowExchanges(true)
		b.refresh()
		b.p.Motion(tt.from)
		if got := walk(tt.id); !slices.Equal(got, tt.want) {
			t.Errorf("%s finds %v, want %v\n%s", tt.id, got, tt.want, b.screen(120, 20))
		}
		for _, root := range []int32{5, 15} { // closed again
			b.p.SelectNear(root)
			b.do("fold.toggle")
		}
	}
}
