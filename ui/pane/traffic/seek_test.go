package traffic

import (
	"testing"

	"mcptea/client/transport"
	"mcptea/ui/command"
)

// note is what the border of the pane says at the right.
func (b *bench) note() string {
	_, spans := b.p.Title(palette)
	text := ""
	for _, s := range spans {
		text += s.Text
	}
	return text
}

func TestNextError_GoesOnInSlices(t *testing.T) {
	b := newBench(t)
	for range 2 * seekSlice {
		b.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	b.frame(transport.In, `no JSON`)
	b.refresh()
	b.p.Do(command.Top)
	if a := b.p.Do(command.NextError); a != nil {
		t.Fatalf("the search is over at once: %v", a)
	}
	if got := b.p.Selected(); got != 0 {
		t.Errorf("row %d is selected after one slice", got)
	}
	b.sees(b.note(), "next error")
	b.refresh()
	if got := b.p.Selected(); got != 2*seekSlice {
		t.Errorf("row %d is selected, want %d", got, 2*seekSlice)
	}
	b.p.Do(command.PreviousError)
	b.refresh()
	b.sees(b.note(), noMoreErrors)

	// Another key ends the search.
	b.p.Do(command.PreviousError)
	b.p.Do(command.Up)
	at := b.p.Selected()
	b.refresh()
	if got := b.p.Selected(); got != at {
		t.Errorf("the search went on to row %d", got)
	}
}

// BenchmarkNextError looks for an error among a million frames without one; it
// is one key and not the whole search.
func BenchmarkNextError(b *testing.B) {
	x := newBench(b)
	for range 1000000 {
		x.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	x.refresh()
	b.ReportAllocs()
	for b.Loop() {
		x.p.Do(command.Top)
		x.p.Do(command.NextError)
	}
}
