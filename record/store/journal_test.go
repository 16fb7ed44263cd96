package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/record"
)

func createWith(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Create(o, record.Header{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// numbered is a frame of about a kilobyte.
func numbered(i int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"i":%d,"x":"%s"}}`, i, strings.Repeat("x", 1000))
}

func TestRecordLimit_BodiesStopRowsGoOn(t *testing.T) {
	raced.ByNight(t, "hundreds of megabytes through what other tests race too")
	for name, path := range map[string]string{"a recording": "r.jsonl", "without a recording": ""} {
		t.Run(name, func(t *testing.T) {
			if path != "" {
				path = filepath.Join(t.TempDir(), path)
			}
			s := createWith(t, Options{Path: path, Limit: 4 << 20})
			const frames = 40_000
			for i := range frames {
				in(s, numbered(i))
			}
			if !s.Halted() {
				t.Fatal("the limit was not noticed")
			}
			from, why := s.NotKept()
			var limit *LimitError
			if !errors.As(why, &limit) || from < 3000 || from > 4200 {
				t.Errorf("from row %d: %v", from, why)
			}
			if n := s.Snapshot().Rows; n != frames {
				t.Errorf("%d rows, want %d", n, frames)
			}
			for _, i := range []int{0, int(from) - 1, frames - 1, frames - 5000} {
				if b, err := s.Body(int32(i)); err != nil || string(b) != numbered(i) {
					t.Errorf("body %d: %d bytes, %v", i, len(b), err)
				}
			}
			if _, err := s.Body(from + 100); !errors.Is(err, ErrNotKept) {
				t.Errorf("a body past the limit: %v", err)
			}
			if failure := s.Failure(); (failure != nil) != (path != "") {
				t.Errorf("failure: %v", failure)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if path == "" {
				return
			}
			if got := readBack(t, path); len(got) != int(from) || got[from-1] != numbered(int(from)-1) {
				t.Errorf("%d frames in the file, want %d", len(got), from)
			}
			text, _ := os.ReadFile(path)
			if len(text) > 5<<20 || !strings.Contains(string(text[len(text)-300:]), fmt.Sprintf("frames from #%d on", from+1)) {
				t.Errorf("%d bytes, ending in %s", len(text), text[len(text)-300:])
			}
		})
	}
}

func TestRecordLimit_FullDisk(t *testing.T) {
	raced.Never(t, "hundreds of megabytes from one goroutine")
	s := create(t)
	free := int64(1 << 40)
	s.journal.space = func(*os.File) (int64, int64, bool) { return free, 1 << 40, true }
	big := strings.Repeat("x", 1<<20)
	for i := range 200 {
		if i == 100 {
			free = 1 << 20
		}
		in(s, big)
	}
	_, why := s.NotKept()
	var limit *LimitError
	if !errors.As(why, &limit) || limit.free != 1<<20 {
		t.Errorf("stopped because of %v", why)
	}
}

// fullThenFree gives a store a file that cannot be written, until free is called.
func fullThenFree(t *testing.T, s *Store) (free func()) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	j := s.journal
	j.mu.Lock()
	j.flush()
	file := j.file
	j.file = full
	j.mu.Unlock()
	return func() {
		j.mu.Lock()
		j.file, j.tried = file, j.tried.Add(-2*retryInterval)
		j.mu.Unlock()
		_ = full.Close()
	}
}

func TestDiskFull_RecoversCompletely(t *testing.T) {
	s := create(t)
	numbered := func(i int) string { // some are written without a copy
		if i%1000 == 0 {
			return `{"id":` + strconv.Itoa(i) + `,"x":"` + strings.Repeat("x", 2*keepBuffer) + `"}`
		}
		return numbered(i)
	}
	in(s, numbered(0))
	free := fullThenFree(t, s)
	const frames = 3000
	for i := 1; i < frames; i++ {
		in(s, numbered(i))
	}
	if s.Failure() == nil {
		t.Error("the failure is not reported")
	}
	for i := 1; i < frames; i++ { // the first is in the file that was taken away
		if b, err := s.Body(int32(i)); err != nil || string(b) != numbered(i) {
			t.Fatalf("body %d meanwhile: %d bytes, %v", i, len(b), err)
		}
	}
	free()
	in(s, numbered(frames))
	s.journal.flushNow()
	if err := s.Failure(); err != nil {
		t.Errorf("after recovery: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readBack(t, s.Path()); len(got) != frames+1 || got[frames] != numbered(frames) {
		t.Errorf("%d frames in the file, want %d", len(got), frames+1)
	}
}

func TestDiskFull_MemoryIsBounded(t *testing.T) {
	raced.Never(t, "measures memory")
	s := create(t)
	s.journal.maxAside = 8 << 20
	in(s, numbered(0))
	free := fullThenFree(t, s)
	defer free()
	const frames = 60_000
	held := sessiontest.HeldHeap(func() {
		for i := 1; i < frames; i++ {
			in(s, numbered(i))
		}
	})
	if held > 8<<20+recentSize+residentChunks*chunkSize*96+4<<20 {
		t.Errorf("%d MB are held", held>>20)
	}
	if err := s.Failure(); err == nil || !strings.Contains(err.Error(), "frames from #2 on") {
		t.Errorf("failure: %v", err)
	}
	if b, err := s.Body(frames - 1); err != nil || string(b) != numbered(frames-1) {
		t.Errorf("the newest body: %d bytes, %v", len(b), err)
	}
	if n := s.Snapshot().Rows; n != frames {
		t.Errorf("%d rows", n)
	}
}

func TestCreate_WithoutTemporaryDirectory(t *testing.T) {
	raced.Never(t, "one goroutine appends until rows leave memory")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	s := createWith(t, Options{})
	for i := range 2 * residentChunks * chunkSize {
		b := benchFrame
		s.Append(transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Dir: transport.In, Ending: "\n"})
		_ = i
	}
	if b, err := s.Body(5); err != nil || string(b) != string(benchFrame) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if r, ok := s.Row(5); !ok || int(r.Size) != len(benchFrame) || s.rows.resident(5) {
		t.Errorf("row 5: %+v", r)
	}
	if s.Failure() != nil {
		t.Error(s.Failure())
	}
}

// A program that is killed loses at most what it recorded in the last 10 ms.
func TestWriter_WritesWithin10Milliseconds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	synctest.Test(t, func(t *testing.T) {
		w, err := NewWriter(Options{Path: path}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			w.Event(&record.Event{Kind: record.KindNote, Time: time.Now(), Text: fmt.Sprintf("note %d", i)})
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), fmt.Sprintf("note %d", i)) {
				t.Errorf("note %d is not in the file after 10 ms: %v", i, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// What is appended can be read at once, wherever it is on its way to the file.
func TestJournal_ReadPending(t *testing.T) {
	const text = "abcdefghijklmnopqrstuvwxyz"
	file, err := os.Create(filepath.Join(t.TempDir(), "j"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text[:7]); err != nil {
		t.Fatal(err)
	}
	j := newJournal(file, nil, 0)
	t.Cleanup(func() { _ = file.Close() })
	j.flushed, j.buf = 7, append(j.buf, text[20:]...)
	j.pending.blocks, j.pending.size = [][]byte{[]byte(text[7:12]), []byte(text[12:13]), []byte(text[13:20])}, 13
	for from := range text {
		for to := from; to <= len(text); to++ {
			p := make([]byte, to-from)
			if err := j.read(p, int64(from)); err != nil || string(p) != text[from:to] {
				t.Errorf("%d to %d: %q, %v", from, to, p, err)
			}
		}
	}
	if err := j.read(make([]byte, 2), int64(len(text))-1); err == nil {
		t.Error("bytes after the end are read")
	}
}

// What was handed over is in the file, without any time for a timer; a disk that hesitates is
// waited for no longer than was said.
func TestHandOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	synctest.Test(t, func(t *testing.T) {
		s, err := Create(Options{Path: path}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		for i := range 3 {
			s.Append(transport.Frame{Time: begin, Bytes: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"shown/%d"}`, i), Ending: "\n"})
			s.HandOver(time.Second)
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), fmt.Sprintf("shown/%d", i)) {
				t.Errorf("frame %d is not in the file: %v", i, err)
			}
		}
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("it took %v of a disk that does not hesitate", waited)
		}
		j := s.journal
		j.mu.Lock()
		j.pending.blocks, j.pending.size = [][]byte{[]byte("x")}, 1 // a write that does not end
		j.mu.Unlock()
		s.HandOver(time.Second)
		if waited := time.Since(begin); waited != time.Second {
			t.Errorf("it waited %v for a disk that hesitates", waited)
		}
		j.mu.Lock()
		j.pending.blocks, j.pending.size = nil, 0
		j.mu.Unlock()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A recording whose file is deleted, moved or replaced says so at the next write, and nothing else: one
// that was moved goes on where it is.
func TestWriter_FileIsGone(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(path string) error
		gone   bool
		at     string // where the recording is then; empty if it is lost
	}{
		"as it was": {func(string) error { return nil }, false, "r"},
		"deleted":   {os.Remove, true, ""},
		"moved":     {func(path string) error { return os.Rename(path, path+"2") }, true, "r2"},
		"replaced": {func(path string) error {
			return errors.Join(os.Rename(path, path+"2"), os.WriteFile(path, []byte("x"), 0o600))
		}, true, "r2"},
	} {
		path := filepath.Join(t.TempDir(), "r")
		synctest.Test(t, func(t *testing.T) {
			w, err := NewWriter(Options{Path: path}, record.Header{})
			if err != nil {
				t.Fatal(err)
			}
			note := func(text string) {
				w.Event(&record.Event{Kind: record.KindNote, Time: time.Now(), Text: text})
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
			}
			note("first")
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			note("second") // too early to look again
			if err := w.Failure(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			time.Sleep(goneInterval)
			note("third")
			err = w.Failure()
			if gone := errors.As(err, new(*GoneError)); gone != tt.gone || gone && err.Error() != path+" was deleted, moved or replaced while it was written; the recording is no longer there" {
				t.Errorf("%s: %v", name, err)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		if tt.at == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), tt.at))
		if err != nil || !strings.Contains(string(text), "third") || strings.Contains(string(text), "stops here") {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}
