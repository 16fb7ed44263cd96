package store

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

func TestMemory_FramesTakeNoMemory(t *testing.T) {
	raced.Never(t, "measures memory")
	s := create(t)
	const frames, perFrame = 200_000, 40
	held := sessiontest.HeldHeap(func() {
		for i := range frames {
			in(s, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"line %d"}}`, i))
		}
	})
	t.Logf("%.1f bytes for each frame", float64(held)/frames)
	if held > frames*perFrame {
		t.Errorf("%d frames hold %d bytes, %d each, more than %d", frames, held, held/frames, perFrame)
	}
	if s.rows.first == 0 {
		t.Error("no rows were moved to the file")
	}
	runtime.KeepAlive(s)
}

func TestMemory_AnsweredRequestsAreSmall(t *testing.T) {
	raced.Never(t, "measures memory")
	tests := []struct {
		name     string
		n        int
		request  string // of a number
		response string
		most     int64
	}{
		{"pings", 200_000, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, `{"jsonrpc":"2.0","id":%d,"result":{}}`, 24 << 20},
		{"long ids", 100, `{"jsonrpc":"2.0","id":"` + long + `%d","method":"ping"}`, "", 2 << 20},
		{"long names", 100, `{"jsonrpc":"2.0","id":%d,"method":"x","params":{"name":"` + long + `"}}`, "", 2 << 20},
		{"long tokens", 100, `{"jsonrpc":"2.0","id":%d,"method":"x","params":{"_meta":{"progressToken":"` + long + `"}}}`, "", 2 << 20},
		{"long methods", 100, `{"jsonrpc":"2.0","id":%d,"method":"` + long + `"}`, "", 2 << 20},
		{"no responses", 120_000, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, "", 48 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := create(t)
			in(s, `{"jsonrpc":"2.0","method":"n"}`)
			held := sessiontest.HeldHeap(func() {
				for i := range tt.n {
					in(s, fmt.Sprintf(tt.request, i))
					if tt.response != "" {
						out(s, fmt.Sprintf(tt.response, i))
					}
				}
				s.journal.flushNow()
			})
			// The buffer in front of the file, and the newest rows.
			const fixed = 2<<20 + residentChunks*chunkSize*96
			if held > tt.most+fixed {
				t.Errorf("%d requests hold %d kB", tt.n, held>>10)
			}
			runtime.KeepAlive(s)
		})
	}
}

var long = strings.Repeat("x", 1<<20)

func TestCorrelate_ManyPendingRequests(t *testing.T) {
	raced.Never(t, "one goroutine appends tens of thousands of requests")
	s := create(t)
	const n = 75_000 // more than are held
	for i := range n {
		in(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	if got := s.Snapshot().Pending; got != n {
		t.Errorf("%d pending, want %d", got, n)
	}
	for i := range n {
		r := out(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		if row, _ := s.Row(r); row.Pair != int32(i) || row.Flags != 0 {
			t.Fatalf("the response to %d has request %d, flags %b", i, row.Pair, row.Flags)
		}
		if row, _ := s.Row(int32(i)); row.Pair != r || row.Flags&Pending != 0 {
			t.Fatalf("request %d has response %d, flags %b", i, row.Pair, row.Flags)
		}
	}
	if got := s.Snapshot().Pending; got != 0 {
		t.Errorf("%d pending", got)
	}
}

func TestIndex_OldRowsReadAndChange(t *testing.T) {
	s := create(t)
	const frames = (residentChunks + 3) * chunkSize
	first := out(s, `{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"name":"x"}}`)
	want := make([]Row, 0, frames)
	for i := range frames {
		b := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":-%d,"message":"m"}}`, i, i)
		row := s.Append(transport.Frame{
			Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.In, Time: time.Unix(0, int64(i)), Ending: "\r\n", Exchange: uint32(i),
		})
		r, _ := s.Row(row)
		want = append(want, r)
	}
	if s.rows.resident(first) {
		t.Fatal("the first row is still in memory")
	}
	for i, w := range want {
		if got, _ := s.Row(int32(i) + 1); got != w {
			t.Fatalf("row %d is %+v, was %+v", i+1, got, w)
		}
	}
	sc, at := s.NewScanner(), int32(1)
	sc.Rows(1, frames, func(i int32, r *Row) bool {
		if i != at || *r != want[i-1] || string(sc.ID(r)) != fmt.Sprint(i-1) {
			t.Fatalf("the scanner gives row %d: %+v, want %+v", i, *r, want[i-1])
		}
		at++
		return true
	})
	answer := in(s, `{"jsonrpc":"2.0","id":"first","result":{}}`)
	if r, _ := s.Row(first); r.Pair != answer || r.Flags&Pending != 0 {
		t.Errorf("the request has response %d, want %d; flags %b", r.Pair, answer, r.Flags)
	}
	if request, response := s.Related(answer); request != first || response != answer {
		t.Errorf("related: %d, %d", request, response)
	}
}
