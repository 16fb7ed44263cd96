package lint

import (
	"fmt"
	"strings"
	"testing"
)

func TestEmit_MaxCauses(t *testing.T) {
	var times []int
	e := &Engine{counts: map[place]*int{}, report: func(f Finding) { times = append(times, f.Times) }}
	entry := &Entry{ID: "X001"}
	emit := func(path string) {
		e.emit(&pending{Finding{Rule: entry, Path: path}, e.timesAt(entry.ID, path)})
	}
	for i := range 10_000 {
		emit(fmt.Sprint("/", i))
	}
	emit("/0")
	emit("/one too many")
	emit("/another one")
	if n := len(e.counts); n != 10_001 || times[9_999] != 1 || times[10_000] != 2 || times[10_001] != 1 || times[10_002] != 2 {
		t.Errorf("findings of %d places are counted: %v", n, times[9_999:])
	}
}

func TestExchangeDone_MaxExchanges(t *testing.T) {
	st := &State{Exchanges: map[uint32]*Exchange{}}
	for id := range uint32(10_000) {
		st.Exchanges[id] = &Exchange{}
		st.exchangeDone(id)
		if n := len(st.Exchanges); n > 2500 || n != len(st.done) {
			t.Fatalf("after %d exchanges %d are kept, %d are noted", id+1, n, len(st.done))
		}
	}
	if st.Exchanges[9_999] == nil || st.Exchanges[8_001] == nil {
		t.Error("one of the newest 2,000 exchanges is dropped")
	}
}

func TestTexts_Bounds(t *testing.T) {
	for over, end := range []string{"", "…"} {
		if got := truncated(strings.Repeat("x", 2<<10+over)); got != strings.Repeat("x", 2<<10)+end {
			t.Errorf("%d bytes beyond the bound: a message of %d bytes", over, len(got))
		}
		if got := Escaped(strings.Repeat("x", 60+over)); got != strings.Repeat("x", 60)+end {
			t.Errorf("%d bytes beyond the bound: an excerpt of %d bytes", over, len(got))
		}
	}
	if maxEnded != 4096 || maxParams != 32<<20 || maxListBytes != 32<<20 || maxNames != 200_000 {
		t.Errorf("the bounds are %d ended requests, %d bytes of params, %d bytes of a list, %d names", maxEnded, maxParams, maxListBytes, maxNames)
	}
}

func TestKeep_Bound(t *testing.T) {
	var m map[int]bool
	for i := range 10 {
		Keep(&m, 10, i, true)
		if Keep(&m, 10, i, false); len(m) != i+1 {
			t.Fatalf("%d entries after %d", len(m), i+1)
		}
	}
	if Keep(&m, 10, 10, true); len(m) != 1 || !m[10] {
		t.Errorf("beyond the bound: %v", m)
	}
}
