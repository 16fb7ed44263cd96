package flow

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

func TestTable_Limits(t *testing.T) {
	c := New(Limits{})
	if maxPending != 50_000 || c.rows[0].max != 128<<10 || c.rows[1].max != 128<<10 || c.tasks.max != 16<<10 || c.taskTokens[0].max != 16<<10 {
		t.Errorf("%d pending, %d released, %d tasks", maxPending, c.rows[0].max, c.tasks.max)
	}
	for i := range 1023 { // 0 is the empty name
		if n := c.method(fmt.Sprint("m", i)); int(n) != i+1 {
			t.Fatalf("method %d has the number %d", i, n)
		}
	}
	if n := c.method("one too many"); n != 0 || len(c.methods) != 1024 {
		t.Errorf("the method beyond the bound has the number %d, %d are kept", n, len(c.methods))
	}
	if n := c.method("m7"); n != 8 {
		t.Errorf("a known method has the number %d", n)
	}
	if at, beyond := phrase.Clip([]byte(strings.Repeat("x", 256)), maxText), phrase.Clip([]byte(strings.Repeat("x", 257)), maxText); at != strings.Repeat("x", 256) || beyond != strings.Repeat("x", 256)+"…" {
		t.Errorf("texts of %d and %d bytes are kept", len(at), len(beyond))
	}
}

// What is recent is kept for one generation, and dropped in the second one after it.
func TestRecent_Generations(t *testing.T) {
	r := recent{max: 3}
	for i := range 3 {
		r.put(uint64(i), transport.RefTo(int32(i), 0))
	}
	if len(r.now) != 3 || len(r.old) != 0 {
		t.Errorf("at the bound %d and %d entries are kept", len(r.now), len(r.old))
	}
	for i := 3; i < 6; i++ {
		r.put(uint64(i), transport.RefTo(int32(i), 0))
	}
	if v, ok := r.get(0); !ok || v.Row() != 0 || len(r.now)+len(r.old) != 6 {
		t.Errorf("the generation before is gone: %v, %t", v, ok)
	}
	r.put(6, transport.RefTo(6, 0))
	if _, ok := r.get(0); ok || len(r.now)+len(r.old) != 4 {
		t.Errorf("the oldest generation is kept: %d entries", len(r.now)+len(r.old))
	}
}
