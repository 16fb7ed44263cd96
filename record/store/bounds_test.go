package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// Of too many connections the oldest quarter is forgotten.
func TestConnections_Max(t *testing.T) {
	s := create(t)
	for _, tt := range []struct{ open, kept, oldest int }{{1000, 1000, 1}, {1001, 751, 251}} {
		for n := len(s.Connections()) + 1; n <= tt.open; n++ {
			s.connection(&record.Connection{What: record.ConnectionOpened, Number: uint16(n), Beside: true}, time.Time{})
		}
		list := s.Connections()
		if len(list) != tt.kept || int(list[0].Number) != tt.oldest || int(list[len(list)-1].Number) != tt.open {
			t.Errorf("of %d connections %d are remembered from %d on", tt.open, len(list), list[0].Number)
		}
	}
}

// The other side of further frames is not remembered; the row says that it was changed.
func TestChanges_Max(t *testing.T) {
	s := create(t)
	for i := range 99_999 {
		s.changes[int64(-1-i)] = change{}
	}
	for i, kept := range []bool{true, false} {
		row := out(s, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		s.changed(&record.Event{Kind: record.KindChange, Change: &record.Change{Row: row, What: record.Dropped, Why: "time limit"}}, 0, 0)
		if c, ok := s.Change(row); !ok || (c.Why != "") != kept || len(s.changes) != 100_000 {
			t.Errorf("with %d changes one more is remembered: %q, there are %d", 99_999+i, c.Why, len(s.changes))
		}
		if r, _ := s.Row(row); r.Changed != record.Dropped {
			t.Errorf("the row is %v", r.Changed)
		}
	}
}

func TestNames_Max(t *testing.T) {
	n := newNames()
	for i := len(n.list); i < 4096; i++ {
		if at := n.index(fmt.Appendf(nil, "method/%d", i)); int(at) != i {
			t.Fatalf("name %d has number %d", i, at)
		}
	}
	if at := n.index([]byte("method/4096")); n.list[at] != ManyMethods || len(n.list) != 4096 || len(n.known) > 4096 {
		t.Errorf("one name more is %s; there are %d", n.list[at], len(n.list))
	}
	if at := n.index([]byte("method/4095")); at != 4095 {
		t.Errorf("a known name has number %d", at)
	}
	n = newNames()
	for size, want := range map[int]bool{256: true, 257: false} {
		name := strings.Repeat("x", size)
		if got := n.list[n.index([]byte(name))] == name; got != want {
			t.Errorf("a name of %d bytes is remembered: %t", size, got)
		}
	}
}

// Of too many marks the oldest are forgotten.
func TestMarks_Max(t *testing.T) {
	m := marks{list: make([]record.Mark, 9_999)}
	for i := range m.list {
		m.list[i] = record.Mark{Row: int32(i), Marked: true}
	}
	for _, tt := range []struct{ row, oldest int32 }{{9_999, 0}, {10_000, 1}} {
		m.set(record.Mark{Row: tt.row, Marked: true})
		if len(m.list) != 10_000 || m.list[0].Row != tt.oldest || m.index(tt.row) != 9_999 {
			t.Errorf("with a mark of row %d there are %d, the oldest one is of row %d", tt.row, len(m.list), m.list[0].Row)
		}
	}
	if maxMarksFile != 32<<20 {
		t.Errorf("%d bytes of a file of marks are read", maxMarksFile)
	}
}

// Further problems are counted.
func TestProblems_Max(t *testing.T) {
	s := &Store{source: &source{}}
	for _, tt := range []struct{ count, described int }{{20, 20}, {21, 20}} {
		for n := s.source.skipped; n < tt.count; n++ {
			s.source.problem(fmt.Sprint(n))
		}
		if texts, count := s.Problems(true); len(texts) != tt.described || count != tt.count {
			t.Errorf("of %d problems %d are described, %d counted", tt.count, len(texts), count)
		}
	}
}

// Of a long first line no more is read.
func TestReadHeader_Max(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	short := len(record.AppendHeader(nil, record.Header{Tool: "x"})) - 1
	for _, size := range []int{1 << 20, 1<<20 + 1} {
		line := record.AppendHeader(nil, record.Header{Tool: strings.Repeat("x", size-short)})
		if err := os.WriteFile(path, line, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if h, n, err := readHeader(file); n != 1<<20 || len(h.Tool) != size-short || err != nil {
			t.Errorf("of a first line of %d bytes %d are read, %v", len(line), n, err)
		}
		_ = file.Close()
	}
}

// The frame of an HTTP exchange is looked for among the newest rows.
func TestSentWith_MaxBetween(t *testing.T) {
	s := create(t)
	row := over(s, 5, transport.Out, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	for range 999 {
		in(s, `{"jsonrpc":"2.0","method":"notifications/message"}`)
	}
	if got := s.sentWith(5); got != row {
		t.Errorf("with 999 rows between: row %d", got)
	}
	in(s, `{"jsonrpc":"2.0","method":"notifications/message"}`)
	if got := s.sentWith(5); got != None {
		t.Errorf("with 1000 rows between: row %d", got)
	}
}

// Further small items go to temporary storage.
func TestQueue_MaxQueuedItems(t *testing.T) {
	if maxQueued != 32<<20 {
		t.Errorf("%d bytes wait in memory", maxQueued)
	}
	q := NewQueue()
	q.spill = without(10, -1)
	q.items = make([]item, 1<<18-1) // memory that is not touched
	q.Put(&slowSink{}, time.Time{}, nil)
	if len(q.items) != 1<<18 || len(q.later) != 0 {
		t.Errorf("%d items wait in memory, %d elsewhere", len(q.items), len(q.later))
	}
	q.Put(&slowSink{}, time.Time{}, make([]byte, 5))
	if len(q.items) != 1<<18 || len(q.later) != 1 || q.Err() != nil {
		t.Errorf("%d items wait in memory, %d elsewhere, %v", len(q.items), len(q.later), q.Err())
	}
}

// On a large disk so much is left free, and what is kept in memory beside a recording is
// bounded.
func TestJournal_MaxFree(t *testing.T) {
	for free, stops := range map[int64]bool{1 << 30: false, 1<<30 - 1: true} {
		s := create(t)
		j := s.journal
		if j.maxAside != 128<<20 {
			t.Errorf("%d bytes are kept beside a recording", j.maxAside)
		}
		j.space = func(*os.File) (int64, int64, bool) { return free, 1 << 40, true }
		j.mu.Lock()
		j.checked = j.flushed - spaceInterval
		j.bound()
		j.mu.Unlock()
		if _, why := s.NotKept(); (why != nil) != stops {
			t.Errorf("with %d bytes free: %v", free, why)
		}
	}
}

// TestConnection_LastNumber has more connections than there are numbers: none gets 0, the number
// of what is of the session.
func TestConnection_LastNumber(t *testing.T) {
	for number, want := range map[uint16]uint16{0: 1, 1: 2, 65534: 65535, 65535: 65535} {
		if got := nextConn(number); got != want {
			t.Errorf("after %d: %d, want %d", number, got, want)
		}
	}
	s, err := Create(Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.numbered = 65534
	for range 3 {
		if got := s.Beside(record.Connection{}).Conn(); got != 65535 {
			t.Errorf("the connection has number %d", got)
		}
	}
}
