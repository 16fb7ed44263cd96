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
