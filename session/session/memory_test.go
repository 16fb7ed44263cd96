package session

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

// A call that has ended is a row of the store: the session keeps neither its params
// nor its response.
func TestMemory_EndedCallsAreRows(t *testing.T) {
	raced.Never(t, "measures memory")
	const (
		calls   = 3_000
		message = 4 << 10 // bytes, in the params and in the result
		maximum = 512     // bytes of the heap for one call
	)
	synctest.Test(t, func(t *testing.T) {
		// Without the linter, which keeps params of ended requests up to its own limit.
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"demo-server"}}, Record: "off",
			Client: client.Config{Revision: revision.R20251125}, Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{})),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(context.Background()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := strings.Repeat("x", message)
		call := func(n int) {
			for i := range n {
				c := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"`+strconv.Itoa(i)+text+`"}}`))
				<-c.Done()
				if r, err := c.Outcome(); err != nil || r.Err() != nil {
					t.Fatalf("call %d: %v, %v", i, err, r.Err())
				}
			}
		}
		heap := func() int64 {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		call(500) // what is bounded is full
		before := heap()
		call(calls)
		if grown := (heap() - before) / calls; grown > maximum {
			t.Errorf("%d bytes are kept of a call, want at most %d", grown, maximum)
		}
		if n := s.Running(); n != 0 {
			t.Errorf("%d calls are running", n)
		}
		if row := s.store.Snapshot().Rows; row < 2*calls {
			t.Errorf("%d rows", row)
		}
	})
}
