package recordings

import (
	"fmt"
	"strings"
	"testing"
)

func TestSummary_Bounds(t *testing.T) {
	r := &reader{requests: map[requestKey]*samples{}}
	for i := range 100 {
		r.counted(requestKey{method: fmt.Sprint(i)})
	}
	if len(r.requests) != 100 || r.counted(requestKey{method: "7"}).Method != "7" {
		t.Errorf("of 100 kinds of requests %d are told apart", len(r.requests))
	}
	if one, other := r.counted(requestKey{method: "one"}), r.counted(requestKey{method: "other"}); one != other || one.Method != "others" || len(r.requests) != 101 {
		t.Errorf("further kinds are counted as %q and %q; there are %d", one.Method, other.Method, len(r.requests))
	}
	if at, beyond := cut(strings.Repeat("x", 200)), cut(strings.Repeat("x", 201)); at != strings.Repeat("x", 200) || beyond != at+"…" {
		t.Errorf("names of %d and %d bytes", len(at), len(beyond))
	}
	if maxRead != 32<<20 || maxCache != 64<<20 || maxLive != 8 {
		t.Errorf("%d bytes are read, %d bytes of summaries, %d live recordings", maxRead, maxCache, maxLive)
	}
}
