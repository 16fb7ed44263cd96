package otlp

import (
	"fmt"
	"strings"
	"testing"
)

func TestSender_Bounds(t *testing.T) {
	s := &Sender{reported: map[string]bool{}}
	for i := range 16_384 {
		if !s.admit() {
			t.Fatalf("span %d is dropped", i+1)
		}
	}
	if s.admit() || s.dropped.Load() != 1 || s.queued.Load() != 16_384 {
		t.Errorf("one span more: %d wait, %d are dropped", s.queued.Load(), s.dropped.Load())
	}
	s.options.Wait = true
	if !s.admit() {
		t.Error("an export that waits for the collector drops a span")
	}
	said := 0
	s.options.Report = func(string) { said++ }
	for i := range 200 {
		s.report(fmt.Sprint(i % 150))
	}
	if said != 100 || len(s.reported) != 100 {
		t.Errorf("%d sentences are reported, %d are remembered", said, len(s.reported))
	}
	s.options.NoRedact = true
	for over, want := range []string{"", "…"} {
		if got := s.payload([]byte(strings.Repeat("x", 64<<10+over))); got != strings.Repeat("x", 64<<10)+want {
			t.Errorf("%d bytes beyond the bound: %d bytes are sent", over, len(got))
		}
	}
}
