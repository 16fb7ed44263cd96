package offer_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/session/offer/content"
)

func TestContent_TablesOf_Bounds(t *testing.T) {
	columns := func(n int) []byte {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"c%d":1`, i))
		}
		return []byte("[{" + strings.Join(members, ",") + "}]")
	}
	for n, want := range map[int]bool{1: true, 60: true, 61: false} {
		if _, ok := content.TablesOf(columns(n)); ok != want {
			t.Errorf("an array with %d columns is a table: %t", n, ok)
		}
	}
	const row = `[{"a":"`
	for over, want := range []bool{true, false} {
		raw := []byte(row + strings.Repeat("x", 8<<20-len(row)-len(`"}]`)+over) + `"}]`)
		if _, ok := content.TablesOf(raw); ok != want {
			t.Errorf("%d bytes are a table: %t", len(raw), ok)
		}
	}
}
