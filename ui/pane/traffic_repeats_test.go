package pane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/lint"
	"mcptea/record"
	"mcptea/ui/keys"
)

// ErrorRows are those with a finding that is an error.
func (b *trafficBench) ErrorRows() (rows []int32) {
	for row, found := range b.found {
		if worst := lint.Worst(found); worst != nil && worst.Severity == lint.Error {
			rows = append(rows, row)
		}
	}
	return rows
}

// WorstIn is the gravest finding about some frames.
func (b *trafficBench) WorstIn(root, response int32) (*lint.Finding, int) {
	all := slices.Concat(b.found[root], b.found[response])
	return lint.Worst(all), len(all)
}

// pings are so many pings with their responses, from an id on.
func (b *trafficBench) pings(from, n int) {
	for id := from; id < from+n; id++ {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
}

func (b *trafficBench) callOf(id int) {
	b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
	b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id))
}

// once fails unless each of the first rows is in the list once, and says how many rows it has.
func (b *trafficBench) once(rows int) (shown int) {
	b.t.Helper()
	list := strings.Fields(b.rows())
	seen := map[string]bool{}
	for _, row := range list {
		if seen[row] {
			b.t.Fatalf("frame %s is there twice: %v", row, list)
		}
		seen[row] = true
	}
	if rows > 0 && len(seen) != rows {
		b.t.Errorf("%d rows, not %d: %v", len(seen), rows, list)
	}
	return len(list)
}

// Equal exchanges after one another are one row, which opens, as the exchanges in it do.
func TestRepeats_OneRowThatOpens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		b := newExchangeBench(t)
		b.callOf(1)
		b.pings(2, 40)
		b.callOf(50)
		b.pings(51, 4) // too few
		b.callOf(60)
		if got := b.rows(); got != "1 3 83 85 87 89 91 93" {
			t.Fatalf("closed: %s", got)
		}
		b.p.SelectNear(2)
		b.sees(b.screen(size[0], size[1]), "3▸", "ping ×40", "✓ each in 1.0 ms", "a ", "47 exchanges, 94 frames")
		b.p.SelectNear(2)
		if label := b.p.Commands()[slices.IndexFunc(b.p.Commands(), func(c keys.Command) bool { return c.ID == "fold.toggle" })]; label.Does() != "unfold" {
			t.Errorf("space is for %q", label.Does())
		}
		b.Press("space")
		if n := b.once(0); n != 47 {
			t.Errorf("open: %d rows", n)
		}
		for _, root := range []int32{2, 4, 80} { // also the first and the last of them
			b.p.SelectNear(root)
			b.Press("space")
		}
		if n := b.once(0); n != 50 {
			t.Errorf("with three open: %d rows", n)
		}
		b.p.SelectNear(2)
		b.Press("space")
		if got := b.rows(); got != "1 3 83 85 87 89 91 93" {
			t.Errorf("closed again: %s", got)
		}
	}
}

// All are in the list once they are open, and each place has its row.
func TestRepeats_EachFrameOnce(t *testing.T) {
	b := newExchangeBench(t)
	id, roots := 1, []int32(nil)
	for _, n := range []int{3, 7, 130, 5, 260, 1} { // of which 130 and 260 are several rows
		b.pings(id, n)
		b.callOf(id + n)
		id += n + 1
	}
	b.refresh()
	total := b.s.Snapshot().Rows
	for row := int32(0); int(row) < total; row += 2 {
		roots = append(roots, row)
	}
	closed := b.once(0)
	if closed >= len(roots)/10 {
		t.Errorf("%d rows while they are closed", closed)
	}
	for _, root := range roots { // a frame selected from elsewhere is visible
		b.p.Select(root)
		if got := b.p.Selected(); got != root {
			t.Fatalf("row %d is selected, not %d", got, root)
		}
	}
	if n := b.once(len(roots)); n != len(roots) {
		t.Errorf("%d rows of %d exchanges", n, len(roots))
	}
	b.filter.Set("method:ping")
	b.refresh()
	if n := b.once(0); n != len(roots)-6 {
		t.Errorf("%d rows pass the filter", n)
	}
}

// A row that is selected stays, also when the others that it is folded with come later.
func TestRepeats_SelectionStays(t *testing.T) {
	b := newExchangeBench(t)
	b.pings(1, 4)
	b.refresh()
	b.p.Select(4)
	b.pings(5, 6)
	b.refresh()
	if got := b.p.Selected(); got != 4 {
		t.Errorf("row %d is selected", got)
	}
	c := newExchangeBench(t)
	c.pings(1, 20)
	c.refresh()
	if got := c.p.Len(); got != 1 || !c.p.Following() || c.p.Selected() != 0 {
		t.Errorf("%d rows, %d is selected", got, c.p.Selected())
	}
	c.out(`{"jsonrpc":"2.0","id":90,"method":"ping"}`)
	c.sees(c.screen(120, 12), "ping ×21", "1 of 21 pending")
	c.in(`{"jsonrpc":"2.0","id":90,"error":{"code":-32603,"message":"no"}}`)
	c.sees(c.screen(120, 12), "ping ×21", "✗ 1 of 21 failed")
}

// The next error is also that of an exchange in a closed row, and a finding on a middle frame.
func TestRepeats_NextError(t *testing.T) {
	b := newExchangeBench(t)
	b.callOf(1) // frames 1 and 2
	b.pings(2, 10)
	b.out(`{"jsonrpc":"2.0","id":30,"method":"ping"}`) // frame 23
	b.in(`{"jsonrpc":"2.0","id":30,"error":{"code":-32603,"message":"no"}}`)
	b.pings(31, 10)
	b.out(`{"jsonrpc":"2.0","id":60,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`) // frame 45
	b.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
	b.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
	b.in(`{"jsonrpc":"2.0","id":60,"result":{"content":[]}}`)
	b.callOf(61)
	b.found[46] = []lint.Finding{{Rule: &lint.Entry{ID: "N001"}, Severity: lint.Error}}
	b.refresh()
	b.p.Motion(keys.Top)
	var found []int32
	for range 5 {
		if b.do("match.next") != "" {
			break
		}
		found = append(found, b.p.Selected()+1)
	}
	if !slices.Equal(found, []int32{23, 45}) {
		t.Errorf("the errors are %v", found)
	}
	found = nil
	b.p.Motion(keys.Bottom)
	for range 5 {
		if b.do("match.previous") != "" {
			break
		}
		found = append(found, b.p.Selected()+1)
	}
	if !slices.Equal(found, []int32{45, 23}) {
		t.Errorf("backward they are %v", found)
	}
}

// A mark on the row is on the frames of all.
func TestRepeats_Mark(t *testing.T) {
	b := newExchangeBench(t)
	b.pings(1, 6)
	b.refresh()
	b.do("mark")
	b.Finish()
	for row := range int32(12) {
		if !b.s.MarkAt(row).Marked {
			t.Errorf("row %d has no mark", row)
		}
	}
}

// Another connection begins another row, below the rule of its restart.
func TestRepeats_Restart(t *testing.T) {
	b := newExchangeBench(t)
	b.s.Connection(record.Connection{What: record.ConnectionOpened})
	b.pings(1, 6)
	b.s.Connection(record.Connection{What: record.ConnectionOpened})
	b.pings(1, 6)
	if got := b.rows(); got != "1 13" {
		t.Errorf("%s", got)
	}
}
