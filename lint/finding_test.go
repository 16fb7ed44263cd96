package lint

import (
	"testing"
)

func TestFill_BracesInValues(t *testing.T) {
	got := Fill("{a} and {b} {c}, {no name} {", []any{"a", "{b}", "b", "x{"})
	if want := "{b} and x{ …, {no name} {"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFinding_FixIn(t *testing.T) {
	for _, tt := range []struct {
		fault Side
		is    Severity
		want  string
	}{
		{Server, Error, "server"},
		{Client, Warn, "client"},
		{Either, Error, "sender"},
		{Server, Info, "server (optional)"},
	} {
		if got := (&Finding{Fault: tt.fault, Severity: tt.is}).FixIn(); got != tt.want {
			t.Errorf("%v, %v: the fix is in %q, want %q", tt.fault, tt.is, got, tt.want)
		}
	}
}

// The first of the most severe findings is shown for all.
func TestWorst(t *testing.T) {
	if got := Worst(nil); got != nil {
		t.Errorf("worst of nothing: %v", got)
	}
	all := []Finding{{Rule: &Entry{ID: "i"}, Severity: Info}, {Rule: &Entry{ID: "w1"}, Severity: Warn}, {Rule: &Entry{ID: "w2"}, Severity: Warn}}
	if got := Worst(all); got.Rule.ID != "w1" {
		t.Errorf("the worst is %s, want w1", got.Rule.ID)
	}
}
