package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
)

// The newest findings are returned as they were found, whatever their order: compared with a
// list of all.
func TestMarks_NewestAsFound(t *testing.T) {
	const most = 600 // more than a chunk
	rules := []*lint.Entry{{ID: "J001"}, {ID: "J004"}}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	m := newMarks(most)
	// Ten rows are an exchange, of which the second is the response.
	rootOf := func(row int32) int32 {
		if row%10 < 2 {
			return store.None
		}
		return row - row%10
	}
	var kept []lint.Finding
	for n := range 5000 {
		f := lint.Finding{
			Rule: rules[random.IntN(2)], Severity: lint.Severity(random.IntN(3)), Fault: lint.Side(random.IntN(3)), By: record.Caller(random.IntN(2)),
			Row: int32(400 + n/3 - random.IntN(5)*random.IntN(100)), Time: time.Unix(0, 1_800_000_000_000_000_000+int64(n)), Times: n, Offset: random.IntN(2) - 1,
			Revision: revision.Revision(pick("", "2025-11-25")), Path: pick("", "/id", "/result"), Hint: pick("", "Send it."),
			Message: pick("", "a", "aa", "aaa", "id 7", "id 77", "the id é", "the id è", fmt.Sprintf("The id %d is not that of a request.", n), strings.Repeat("x", 1<<16)+pick("", "y")),
		}
		if random.IntN(4) == 0 {
			f.Related = []int32{f.Row, int32(n)}
		}
		m.add(&f, rootOf(f.Row))
		kept = append(kept, f)
		if len(kept) > most {
			kept = kept[1:]
		}
		if n%97 != 0 {
			continue
		}
		want := map[int32][]lint.Finding{}
		for _, f := range kept {
			want[f.Row] = append(want[f.Row], f)
		}
		for row := range int32(400 + n/3 + 2) {
			if got := m.all(row); !reflect.DeepEqual(got, want[row]) {
				t.Fatalf("after %d findings row %d has %d findings, want %d", n+1, row, len(got), len(want[row]))
			}
		}
		var inner int
		for root := int32(0); root < int32(400+n/3+2); root += 10 {
			inner += len(m.inner[root])
			var all []lint.Finding
			for row := root; row < root+10; row++ {
				all = append(all, want[row]...)
			}
			got, want := m.worst(func(*lint.Entry) bool { return true }, root, root+1), lint.Worst(all)
			if (got == nil) != (want == nil) || got != nil && got.of.severity != want.Severity {
				t.Fatalf("after %d findings the gravest of the exchange %d is %v, want %v", n+1, root, got, want)
			}
		}
		if direct := len(slices.DeleteFunc(slices.Collect(maps.Keys(want)), func(row int32) bool { return rootOf(row) != store.None })); inner != len(want)-direct {
			t.Fatalf("%d frames in between are known, want %d", inner, len(want)-direct)
		}
		if len(m.newest) != len(want) {
			t.Fatalf("%d rows are known, want %d", len(m.newest), len(want))
		}
	}
}

// A frame that is wrong in many places does not take the place of other ones, and a flood takes
// that of its oldest frames: what has just come has a mark.
func TestMarks_Bounds(t *testing.T) {
	rule := &lint.Entry{ID: "J001"}
	l := linterAlone(t)
	s := l.s
	for n := range 51 {
		l.found(lint.Finding{Rule: rule, Times: n})
	}
	if n := len(s.FindingsAt(0)); n != 50 {
		t.Errorf("of 51 findings of a row %d are kept", n)
	}
	const last = 200_000
	for row := range int32(last) {
		l.found(lint.Finding{Rule: rule, Row: row + 1})
	}
	if len(s.FindingsAt(0)) != 0 || len(s.FindingsAt(1)) != 1 || len(s.FindingsAt(last)) != 1 || len(s.ErrorRows()) != last {
		t.Errorf("findings of %d rows are kept: the first has %d, the newest %d", len(s.ErrorRows()), len(s.FindingsAt(0)), len(s.FindingsAt(last)))
	}
	for n := range 1300 {
		l.found(lint.Finding{Rule: rule, Row: last + 1, Path: fmt.Sprint(n)})
	}
	if n := len(l.marks.kinds); n > 1024 {
		t.Errorf("%d kinds are kept", n)
	}
}

// linterAlone is the linter of a session without frames. It does not run.
func linterAlone(t *testing.T) *linter {
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	l := &linter{s: &Session{store: st}, groups: map[groupKey]*Group{}, marks: newMarks(maxMarks)}
	l.s.linter = l
	return l
}

// Findings by row are at least three times smaller than the findings, also where each
// message is another one.
func TestMarks_Small(t *testing.T) {
	const n = 50_000
	rule := &lint.Entry{ID: "J030"}
	for name, message := range map[string]func(row int32) string{
		"one message":  func(int32) string { return strings.Clone(`The response has neither "result" nor "error".`) },
		"other ids":    func(row int32) string { return fmt.Sprintf("Response id %d matches no pending request.", row) },
		"other places": func(row int32) string { return fmt.Sprintf("%d has no member \"name\", which each tool has.", row) },
	} {
		finding := func(row int32) lint.Finding {
			return lint.Finding{
				Rule: rule, Fault: lint.Server, Row: row, Time: time.Unix(0, int64(row)), Offset: -1, Revision: revision.R20251125,
				Path: strings.Clone("/id"), Message: message(row), Hint: strings.Clone("Return the id of the request."), Times: int(row) + 1,
			}
		}
		var plain map[int32][]lint.Finding
		before := sessiontest.HeldHeap(func() {
			plain = map[int32][]lint.Finding{}
			for row := range int32(n) {
				plain[row] = append(plain[row], finding(row))
			}
		})
		runtime.KeepAlive(plain)
		var m marks
		held := sessiontest.HeldHeap(func() {
			m = newMarks(maxMarks)
			for row := range int32(n) {
				f := finding(row)
				m.add(&f, store.None)
			}
		})
		if runtime.KeepAlive(&m); held*3 > before {
			t.Errorf("%s: %d bytes for each finding, %d without marks", name, held/n, before/n)
		}
		t.Logf("%s: %d bytes for each finding, %d without marks", name, held/n, before/n)
	}
}
