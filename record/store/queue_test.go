package store

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// slowSink waits for a token before each Write.
type slowSink struct {
	tokens chan struct{}
	got    bytes.Buffer
}

func (s *slowSink) Write(_ time.Time, b []byte) {
	<-s.tokens
	s.got.Write(b)
}

// summed keeps the sum of what is written, which is large, after the tokens are closed.
type summed struct {
	tokens chan struct{}
	sum    hash.Hash
}

func (s *summed) Write(_ time.Time, b []byte) {
	<-s.tokens
	s.sum.Write(b)
}

// gotSink hands on what is written.
type gotSink chan string

func (s gotSink) Write(_ time.Time, b []byte) { s <- string(b) }

func (s gotSink) WriteScanned(_ time.Time, b []byte, _ []jsonrpc.Envelope) { s <- string(b) }

// What a reader does not take is passed on all the same, also when Run had nothing to do.
func TestQueue_PassesOnBesideWriteThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue()
		go q.Run()
		synctest.Wait()
		got := make(gotSink, 1)
		for _, text := range []string{"first", "second"} {
			q.PutBeside(got, time.Now(), []byte(text), nil, func([]byte) {
				if passed := <-got; passed != text { // else all wait for each other, which synctest reports
					t.Errorf("%q was passed on, not %q", passed, text)
				}
			})
			synctest.Wait()
		}
		q.Close()
	})
}

// TestQueue_KeepsOrderBeyondMemory puts more than fits into memory while nothing is
// taken out, with calls in between.
func TestQueue_KeepsOrderBeyondMemory(t *testing.T) {
	q := NewQueue()
	sink := &summed{make(chan struct{}), fnv.New128a()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.Run()
	}()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // repeatable on purpose
	piece := make([]byte, 512<<10)
	for i := range piece {
		piece[i] = byte(random.Uint32())
	}
	want, size := fnv.New128a(), 0
	var order []string
	for i := 0; size < 2*maxQueued; i++ {
		b := piece[:random.IntN(len(piece))]
		want.Write(b)
		size += len(b)
		q.Put(sink, time.Time{}, b) // it does not wait for the sink
		q.Call(func() { order = append(order, fmt.Sprint(i)) })
	}
	if q.spill == nil {
		t.Error("everything is in memory")
	}
	close(sink.tokens)
	q.Sync()
	if !bytes.Equal(sink.sum.Sum(nil), want.Sum(nil)) {
		t.Error("the sink got other bytes")
	}
	for i, o := range order {
		if o != fmt.Sprint(i) {
			t.Fatalf("call %d is %s", i, o)
		}
	}
	// It is in memory again.
	q.Put(sink, time.Time{}, []byte("more"))
	want.Write([]byte("more"))
	q.Close()
	<-done
	if !bytes.Equal(sink.sum.Sum(nil), want.Sum(nil)) || q.Err() != nil || q.spill != nil {
		t.Errorf("err %v, spill %v", q.Err(), q.spill)
	}
}

func TestQueue_ReportsWhatDoesNotFit(t *testing.T) {
	q := NewQueue()
	q.spill = without(10, -1)
	q.later = []item{{call: func() {}}}
	q.Put(&slowSink{}, time.Time{}, make([]byte, 100))
	if q.Err() == nil {
		t.Error("bytes were left out without an error")
	}
}

// TestWriter_EndsWithNoteOnFullDisk has a disk that is full at the end of a recording.
func TestWriter_EndsWithNoteOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	w, err := NewWriter(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"` + strings.Repeat("x", 100) + `"}}`)
	for range 50 {
		w.Frame(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Ending: "\n"})
	}
	w.journal.flushNow()
	// What follows is aside, and cannot be moved to the file.
	w.journal.overflow = without(0, 0)
	w.journal.overflow.size = 10
	w.journal.err = errBroken
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil {
		t.Error("no error")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	last := lines[len(lines)-1]
	if !strings.Contains(last, `"k":"note"`) || !strings.Contains(last, "the recording stops here") || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("the last line is %s", last)
	}
	if len(text) > len(before) {
		t.Errorf("the file grows from %d to %d bytes", len(before), len(text))
	}
	if kept := strings.Join(lines[:len(lines)-1], ""); !strings.HasPrefix(string(before), kept) || len(lines) < 45 {
		t.Errorf("%d lines are left", len(lines))
	}
}

// Many small Puts behind a recording that does not go on are bounded, too.
func TestQueue_LaterBound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would read what follows
	q := NewQueue()
	q.later = make([]item, maxLater-1, maxLater) // memory that is not touched
	for i, want := range []error{nil, errSpillFull, errSpillFull} {
		q.Put(&slowSink{}, time.Time{}, []byte("x"))
		if err := q.Err(); !errors.Is(err, want) || len(q.later) != maxLater {
			t.Errorf("after %d: %v, %d wait", i+1, err, len(q.later))
		}
	}
}

// noted keeps the lines with what was put with them.
type noted struct {
	t       *testing.T
	scanned int
	lines   int
}

func (s *noted) Write(_ time.Time, b []byte) { s.lines += bytes.Count(b, []byte("\n")) }

func (s *noted) WriteScanned(_ time.Time, b []byte, scanned []jsonrpc.Envelope) {
	s.scanned += len(scanned)
	for line := range bytes.Lines(b) {
		s.lines++
		if want := jsonrpc.Scan(bytes.TrimSuffix(line, []byte("\n"))); scanned[0] != want {
			s.t.Errorf("%s: %+v", line, scanned[0])
		}
		scanned = scanned[1:]
	}
}

// What is put with lines comes with them; beyond memory the lines alone.
func TestQueue_Scanned(t *testing.T) {
	q := NewQueue()
	sink := &noted{t: t}
	const lines = 400_000 // more than fits into memory
	for i := 0; i < lines; {
		var text []byte
		var scanned []jsonrpc.Envelope
		for range 1 + i%50 {
			line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i)
			scanned = append(scanned, jsonrpc.Scan(line))
			text = append(append(text, line...), '\n')
			i++
		}
		if i%3 == 0 {
			q.Put(sink, time.Time{}, text)
		} else {
			q.PutScanned(sink, time.Time{}, text, scanned)
		}
		clear(text)
		clear(scanned)
	}
	if q.size > maxQueued || q.spill == nil {
		t.Errorf("%d bytes are in memory", q.size)
	}
	q.Close()
	q.Run()
	if sink.lines < lines || sink.scanned == 0 || sink.scanned >= lines {
		t.Errorf("%d lines, %d of them scanned", sink.lines, sink.scanned)
	}
}
