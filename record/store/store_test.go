package store

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

func create(t testing.TB) *Store {
	t.Helper()
	s, err := Create(Options{Path: filepath.Join(t.TempDir(), "r.mcptea.jsonl")}, record.Header{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ticks gives each frame a time of its own.
var ticks atomic.Int64

func put(s *Store, dir transport.Direction, text string) int32 {
	b := []byte(text)
	clock := time.Unix(1780000000, ticks.Add(1e6))
	row := s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: dir, Time: clock, Ending: "\n"})
	return row
}

func out(s *Store, text string) int32 { return put(s, transport.Out, text) }
func in(s *Store, text string) int32  { return put(s, transport.In, text) }

func flags(t *testing.T, s *Store, i int32) Flags {
	t.Helper()
	r, ok := s.Row(i)
	if !ok {
		t.Fatalf("no row %d", i)
	}
	return r.Flags
}

func TestResponses_Correlated(t *testing.T) {
	s := create(t)
	a := out(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b := out(s, `{"jsonrpc":"2.0","id":"1","method":"ping"}`)
	d := out(s, `{"jsonrpc":"2.0","id":20,"method":"ping"}`)
	e := out(s, `{"jsonrpc":"2.0","id":"é/","method":"ping"}`)
	c := in(s, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`) // the server's own id 1
	rb := in(s, `{"jsonrpc":"2.0","id":"1","result":{}}`)
	rc := out(s, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	ra := in(s, `{"result":{"tools":[]},"jsonrpc":"2.0","id":1}`)
	rd := in(s, `{"jsonrpc":"2.0","id":2e1,"result":{}}`) // in another spelling
	re := in(s, `{"jsonrpc":"2.0","id":"\u00e9\/","result":{}}`)
	for _, pair := range [][2]int32{{a, ra}, {b, rb}, {c, rc}, {d, rd}, {e, re}} {
		request, _ := s.Row(pair[0])
		answer, _ := s.Row(pair[1])
		if request.Pair != pair[1] || answer.Pair != pair[0] {
			t.Errorf("request row %d pairs with %d, answer row %d with %d", pair[0], request.Pair, pair[1], answer.Pair)
		}
		if request.Flags&Pending != 0 {
			t.Errorf("row %d still waits", pair[0])
		}
	}
	if n := s.Snapshot().Pending; n != 0 {
		t.Errorf("%d pending", n)
	}
}

func TestForm_InvalidValuesKept(t *testing.T) {
	s := create(t)
	out(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	tests := []struct {
		name string
		row  int32
		want Flags
	}{
		{"another type of id", in(s, `{"jsonrpc":"2.0","id":"1","result":{}}`), UnknownID},
		{"a fraction", in(s, `{"jsonrpc":"2.0","id":1.5,"result":{}}`), UnknownID},
		{"a tool error", in(s, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`), ToolError},
		{"a second answer", in(s, `{"jsonrpc":"2.0","id":1,"result":{}}`), DuplicateResponse},
		{"an answer to a notification", in(s, `{"jsonrpc":"2.0","id":null,"result":{}}`), NoID},
		{"an id used twice", out(s, `{"jsonrpc":"2.0","id":1,"method":"ping"}`), DuplicateID},
	}
	for _, tt := range tests {
		if got := flags(t, s, tt.row); got&tt.want == 0 {
			t.Errorf("%s: flags %b lack %b", tt.name, got, tt.want)
		}
	}
	if got := s.Snapshot().Rows; got != 7 {
		t.Errorf("%d rows kept, want 7", got)
	}
}

func TestResponse_LateAfterCancel(t *testing.T) {
	s := create(t)
	r := out(s, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`)
	c := out(s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if row, _ := s.Row(c); row.Request() != r {
		t.Errorf("the cancellation belongs to row %d, want %d", row.Request(), r)
	}
	if len(s.Pending(9)) != 0 || flags(t, s, r)&Cancelled == 0 {
		t.Error("the cancelled request still waits")
	}
	late := in(s, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	if row, _ := s.Row(late); row.Flags&Late == 0 || row.Pair != r {
		t.Errorf("flags %b, pair %d", row.Flags, row.Pair)
	}
}

func TestProgress_BelongsToItsRequest(t *testing.T) {
	s := create(t)
	r := out(s, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"_meta":{"progressToken":"p3"},"name":"long"}}`)
	n := in(s, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p3","progress":2,"total":5,"message":"step 2"}}`)
	if row, _ := s.Row(n); row.Request() != r {
		t.Errorf("cause %d, want %d", row.Request(), r)
	}
	f := s.Pending(1)[0]
	if f.Progress != 2 || f.Total != 5 || !f.HasTotal || f.Message != "step 2" || f.Name != "long" {
		t.Errorf("got %+v", f)
	}
}

func TestBatch_ElementsPaired(t *testing.T) {
	s := create(t)
	r := out(s, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	in(s, `[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	row, _ := s.Row(r)
	if row.Pair != 1 || row.Flags&Pending != 0 || s.Snapshot().Pending != 0 {
		t.Errorf("pair %d, flags %b, %d pending", row.Pair, row.Flags, s.Snapshot().Pending)
	}
}

func TestConnection_StartsAfresh(t *testing.T) {
	s := create(t)
	old := out(s, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Connection(record.Connection{What: record.ConnectionOpened})
	fresh := out(s, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answer := in(s, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if flags(t, s, old)&Abandoned == 0 || flags(t, s, fresh)&DuplicateID != 0 {
		t.Errorf("old %b, fresh %b", flags(t, s, old), flags(t, s, fresh))
	}
	if row, _ := s.Row(answer); row.Pair != fresh || row.Conn != 2 {
		t.Errorf("pair %d, connection %d", row.Pair, row.Conn)
	}
}

func TestRecording_ExactBytes(t *testing.T) {
	s := create(t)
	frames := []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `  {"a" : 1.00}`, "Server listening", "caf\xe9", "",
		"{\"a\":\n1}", strings.Repeat("long ", 300000),
	}
	for _, f := range frames {
		in(s, f)
	}
	for i, want := range frames { // before anything was flushed, and after
		got, err := s.Body(int32(i))
		if err != nil || string(got) != want {
			t.Errorf("frame %d: %d bytes, %v", i, len(got), err)
		}
		if head, err := s.Head(int32(i), 5); err != nil || string(head) != want[:min(5, len(want))] {
			t.Errorf("head of frame %d: %q, %v", i, head, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(s.Path()); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if got := readBack(t, s.Path()); strings.Join(got, "\x00") != strings.Join(frames, "\x00") {
		t.Errorf("the file gives back %d frames, not the same", len(got))
	}
}

func readBack(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := record.NewLines(t.Context(), bytes.NewReader(b))
	defer lines.Close()
	first, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.NewReader(first, lines)
	if err != nil {
		t.Fatal(err)
	}
	var frames []string
	for e, err := range r.Events() {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Kind == record.KindFrame:
			frames = append(frames, string(e.Frame.Bytes))
		case e.Kind == record.KindProblem:
			t.Error(e.Text)
		}
	}
	return frames
}

func TestFullDisk_SessionContinues(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	s := create(t)
	s.journal.mu.Lock()
	_ = s.journal.file.Close()
	s.journal.file = full
	s.journal.mu.Unlock()
	i := in(s, `{"jsonrpc":"2.0","method":"n"}`)
	s.journal.flushNow()
	if s.Failure() == nil {
		t.Fatal("a full disk goes unnoticed")
	}
	if b, err := s.Body(i); err != nil || string(b) != `{"jsonrpc":"2.0","method":"n"}` {
		t.Errorf("the frame is gone: %q %v", b, err)
	}
}

func TestScanner_BodiesInOrder(t *testing.T) {
	s := create(t)
	for i := range 5000 {
		in(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"i":%d}}`, i))
		if i%100 == 0 {
			in(s, "stray\xff")
		}
	}
	sc := s.NewScanner()
	seen, stray := 0, 0
	next := sc.Rows(0, 1<<30, func(_ int32, r *Row) bool {
		switch body := string(sc.Body(r)); {
		case body == fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"i":%d}}`, seen):
			seen++
		case body == "stray\xff":
			stray++
		default:
			t.Fatalf("body %q", body)
		}
		return true
	})
	if seen != 5000 || stray != 50 || next != 5050 {
		t.Errorf("%d, %d, next %d", seen, stray, next)
	}
}

func TestSubscribers_NotifiedOnce(t *testing.T) {
	s := create(t)
	ch, stop := s.Subscribe()
	defer stop()
	for range 100 {
		in(s, `{}`)
	}
	<-ch
	select {
	case <-ch:
		t.Error("a second token without news")
	default:
	}
}

func TestConcurrentUse(t *testing.T) {
	s := create(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				id := g*1000 + i
				r := out(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"m%d"}`, id, i%7))
				in(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
				_, _ = s.Body(r)
				_ = s.Snapshot()
			}
		})
	}
	wg.Wait()
	if n := s.Snapshot(); n.Pending != 0 || n.Rows != 4000 {
		t.Errorf("%+v", n)
	}
}

var benchFrame = []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-17","progress":17,"total":100,"message":"indexing files in the work tree, please wait a little while"},"x":"padding to 190"}`)

// BenchmarkAppend is what ingest costs for a frame: scan, index, correlate,
// record.
func BenchmarkAppend(b *testing.B) {
	s := create(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(benchFrame)))
	for b.Loop() {
		s.Append(transport.Frame{Bytes: benchFrame, Envelope: jsonrpc.Scan(benchFrame), Time: time.Now(), Dir: transport.In, Ending: "\n"})
	}
}

// BenchmarkAppendBaseline only writes the lines to a file, through the buffer
// of the standard library.
func BenchmarkAppendBaseline(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "plain"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w := bufio.NewWriterSize(f, flushSize)
	b.ReportAllocs()
	b.SetBytes(int64(len(benchFrame)))
	for b.Loop() {
		_, _ = w.Write(benchFrame)
		_ = w.WriteByte('\n')
	}
}
