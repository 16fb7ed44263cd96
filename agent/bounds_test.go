package agent

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWait_Bound(t *testing.T) {
	for ms, want := range map[int]time.Duration{
		-1: time.Second, 0: time.Second, 1: time.Millisecond,
		300_000: 5 * time.Minute, 300_001: 5 * time.Minute, 1 << 40: 5 * time.Minute, math.MaxInt: 5 * time.Minute,
	} {
		if got := wait(ms, time.Second); got != want {
			t.Errorf("a wait of %d ms is %s, want %s", ms, got, want)
		}
	}
}

// An agent gets the newest frames, or those behind one that it knows.
func TestPage(t *testing.T) {
	rows := make([]int32, 1000)
	for i := range rows {
		rows[i] = int32(2 * i) // frame 1, 3, 5, …
	}
	for _, tc := range []struct {
		after, limit int
		first, last  int // row numbers
		more         bool
	}{
		{0, 3, 1994, 1998, true},
		{0, 0, 1900, 1998, true},
		{0, -1, 1900, 1998, true},
		{0, 500, 1000, 1998, true},
		{0, 501, 1000, 1998, true},
		{1, 3, 2, 6, true},
		{2, 3, 2, 6, true},
		{3, 3, 4, 8, true},
		{1995, 2, 1996, 1998, false},
		{1993, 2, 1994, 1996, true},
	} {
		some, more := page(rows, int32(tc.after), tc.limit)
		if got := fmt.Sprint(some[0], some[len(some)-1], more); got != fmt.Sprint(tc.first, tc.last, tc.more) {
			t.Errorf("after %d, at most %d: %s", tc.after, tc.limit, got)
		}
	}
	if some, more := page(rows, 1999, 5); len(some) > 0 || more {
		t.Errorf("behind the last frame: %v, %t", some, more)
	}
	if some, more := page(rows[:2], 0, 5); !slices.Equal(some, rows[:2]) || more {
		t.Errorf("of few frames: %v, %t", some, more)
	}
}

func TestSize_Bounds(t *testing.T) {
	for n, want := range map[int]int{-1: 4000, 0: 4000, 1: 1, 100_000: 100_000, 100_001: 100_000} {
		if got := size(n); got != want {
			t.Errorf("%d characters are %d", n, got)
		}
	}
}

func TestAdd_MaxConnections(t *testing.T) {
	a := &agent{opening: make(chan struct{}, 1), connections: map[string]*connection{}}
	for i := range 8 {
		if err := a.add(&connection{name: fmt.Sprint(i)}); err != nil {
			t.Errorf("connection %d: %v", i+1, err)
		}
	}
	if err := a.add(&connection{name: "8"}); err == nil || !strings.Contains(err.Error(), "8 connections already") {
		t.Errorf("connection 9: %v", err)
	}
}

// A character at the end of a part is in the next one as a whole.
func TestPart_KeepsCharacters(t *testing.T) {
	text := []byte("a\xffbé€😀é€😀x")
	for most := 1; most <= len(text); most++ {
		var all strings.Builder
		for offset, parts := 0, 0; ; parts++ {
			piece, next := part(text, offset, most)
			all.WriteString(piece)
			if offset = next; offset == 0 {
				break
			}
			if parts > len(text) {
				t.Fatalf("parts of %d bytes do not end", most)
			}
		}
		if want := strings.ToValidUTF8(string(text), "�"); most >= 4 && all.String() != want {
			t.Errorf("parts of %d bytes: %q, want %q", most, all.String(), want)
		}
	}
}
