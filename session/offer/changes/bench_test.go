package changes_test

import (
	"bytes"
	"fmt"
	"testing"

	"mcptea/session/offer/changes"
)

// A list of a thousand tools whose descriptions have all changed, beside the same list
// as it was, which is the usual case.
func BenchmarkChanges_SetList(b *testing.B) {
	of := func(text string) []changes.Entry {
		var all []changes.Entry
		for i := range 1000 {
			raw := fmt.Appendf(nil, `{"name":"tool-%d","description":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}}`, i, text)
			all = append(all, changes.Entry{Key: fmt.Sprintf("tool-%d", i), Raw: raw})
		}
		return all
	}
	first, other := of("first"), of("other")
	copied := make([]changes.Entry, len(first))
	for i, e := range first {
		copied[i] = changes.Entry{Key: e.Key, Raw: bytes.Clone(e.Raw)}
	}
	b.Run("equal", func(b *testing.B) {
		b.ReportAllocs()
		var t changes.Tracker
		t.SetList("tools", first, 0)
		for b.Loop() {
			t.SetList("tools", copied, 1)
		}
	})
	b.Run("all changed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var t changes.Tracker
			t.SetList("tools", first, 0)
			t.SetList("tools", other, 1)
		}
	})
}
