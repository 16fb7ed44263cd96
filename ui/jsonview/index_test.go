package jsonview

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// The index of a large result of small values takes less memory than its text.
func TestParse_SmallIndex(t *testing.T) {
	raw := []byte(`{"items":[` + strings.Repeat(`{"id":1234567,"name":"the measurement of something","value":12345.6},`, 50_000) + `{}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	doc, err := Parse(raw)
	runtime.ReadMemStats(&after)
	if err != nil || doc.Len() != 250_005 {
		t.Fatalf("%d lines, %v", doc.Len(), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(raw))/2 {
		t.Errorf("the index of %d bytes has taken %d bytes", len(raw), took)
	}
}

// Long values among short ones, in many containers: each value is found by where it is, and
// knows its place.
func TestParse_LongAmongShort(t *testing.T) {
	long := `"` + strings.Repeat("x", 1<<16) + `"`
	var b strings.Builder
	b.WriteString("[")
	const n = 300
	for i := range n {
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, `%s,`, long)
		case 1:
			fmt.Fprintf(&b, `[[%d],%d],`, i, i)
		case 2:
			fmt.Fprintf(&b, `{"k":%s,"i":%d},`, long, i)
		default:
			fmt.Fprintf(&b, `%d,`, i)
		}
	}
	b.WriteString("0]")
	doc, err := Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.children(0); got != n+1 {
		t.Errorf("%d children", got)
	}
	for i := range n {
		l, ok := doc.find(fmt.Sprintf("/%d", i))
		if !ok || doc.Path(l) != fmt.Sprintf("$[%d]", i) || doc.lineAt(doc.off(l)) != l || doc.depth(l) != 1 {
			t.Fatalf("value %d is on line %d, %s", i, l, doc.Path(l))
		}
		pointer, want := fmt.Sprintf("/%d", i), fmt.Sprint(i)
		switch i % 5 {
		case 0:
			want = long
		case 1:
			pointer += "/1"
		case 2:
			pointer += "/i"
		}
		if l, ok = doc.find(pointer); !ok || string(doc.Value(l)) != want {
			t.Fatalf("%s is %.20s", pointer, doc.Value(l))
		}
	}
}
