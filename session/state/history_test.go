package state

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestHistory_KeepsEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	f := NewHistory(path)
	if found, err := f.Load(); err != nil || len(found) != 0 {
		t.Fatalf("a file that does not exist: %v, %v", found, err)
	}
	raw := Sent{Time: time.Unix(1, 0).UTC()}
	raw.SetFrame("{\"a\":\"caf\xe9\x1b\"}\r")
	for _, e := range []Sent{{Method: "tools/call", Params: `{"name":"echo"}`, NoMeta: true}, raw} {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	found, err := NewHistory(path).Load()
	if err != nil || len(found) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	if e := found[0]; e.Method != "tools/call" || e.Params != `{"name":"echo"}` || !e.NoMeta {
		t.Errorf("got %+v", e)
	}
	if e := found[1]; e.FrameText() != raw.FrameText() || !e.Time.Equal(raw.Time) {
		t.Errorf("the frame came back as %q", e.FrameText())
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestHistory_RedactsSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	if err := NewHistory(path).Add(Sent{Method: "tools/call", Params: `{"arguments":{"token":"` + token + `"}}`}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), token) || !strings.Contains(string(text), `"redacted":true`) {
		t.Errorf("%s, %v", text, err)
	}
	// A frame that is not UTF-8 is kept in another member.
	var raw Sent
	raw.SetFrame("{\"token\":\"" + token + "\",\"x\":\"\xff\"}")
	if err := NewHistory(path).Add(raw); err != nil {
		t.Fatal(err)
	}
	kept, err := NewHistory(path).Load()
	if err != nil || len(kept) != 2 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if frame := kept[1].FrameText(); strings.Contains(frame, token) || !strings.Contains(frame, "\xff") || !kept[1].Redacted {
		t.Errorf("the frame is kept as %q, redacted %v", frame, kept[1].Redacted)
	}
}

func TestHistory_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	f := NewHistory(path)
	for range 2 * maxHistory / (maxSent / 2) {
		if err := f.Add(Sent{Method: "tools/call", Params: strings.Repeat("x", maxSent/2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(Sent{Method: "too large", Params: strings.Repeat("x", maxSent)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(Sent{Method: "newest"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxHistory+maxSent {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	found, err := f.Load()
	if err != nil || len(found) == 0 || found[len(found)-1].Method != "newest" {
		t.Errorf("%d entries, %v", len(found), err)
	}
	for _, e := range found {
		if e.Method == "too large" {
			t.Error("an entry above the maximum is kept")
		}
	}
}

func TestHistory_Bounds(t *testing.T) {
	if f := NewHistory(""); 2*f.half != 512<<10 {
		t.Errorf("a file may have %d bytes", 2*f.half)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	// An entry at the bound is kept, one byte more is not.
	path := filepath.Join(t.TempDir(), "one.jsonl")
	e := Sent{Method: "m"}
	if err := NewHistory(path).Add(e); err != nil {
		t.Fatal(err)
	}
	line := int(size(path)) - 1 // without the end of the line
	for over, want := range []int64{32<<10 + 1, 0} {
		path := filepath.Join(t.TempDir(), "one.jsonl")
		if err := NewHistory(path).Add(Sent{Method: strings.Repeat("m", 32<<10-line+1+over)}); err != nil || size(path) != want {
			t.Errorf("%d bytes beyond the bound: %d bytes are kept, %v", over, size(path), err)
		}
	}
	// A file at the bound stays, a larger one keeps its newest half.
	path = filepath.Join(t.TempDir(), "many.jsonl")
	f := bounded(path, 10*int64(line+1))
	for range 10 {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if size(path) != 2*f.half {
		t.Errorf("a file at the bound of %d bytes has %d", 2*f.half, size(path))
	}
	if err := f.Add(e); err != nil || size(path) > f.half || size(path) == 0 {
		t.Errorf("a file beyond the bound of %d bytes has %d, %v", 2*f.half, size(path), err)
	}
}

// bounded is a history of at most limit bytes.
func bounded(path string, limit int64) *History {
	h := NewHistory(path)
	h.half = limit / 2
	return h
}

// Two processes write at a time: whatever the file has of one is without a gap.
func TestHistory_TwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			f := bounded(path, 2000) // about 16 entries: it is trimmed all the time
			for i := range 500 {
				if err := f.Add(Sent{Method: fmt.Sprintf("writer-%d", w), Params: strconv.Itoa(i)}); err != nil {
					t.Error(err)
					return
				}
				found, err := f.Load()
				if err != nil {
					t.Error(err)
					return
				}
				last := ""
				for _, e := range found {
					n, _ := strconv.Atoi(e.Params)
					if e.Method != fmt.Sprintf("writer-%d", w) {
						continue
					}
					if before, _ := strconv.Atoi(last); last != "" && n != before+1 {
						t.Errorf("after entry %d of writer %d the next one in the file is %d", before, w, n)
						return
					}
					last = e.Params
				}
			}
		})
	}
	wg.Wait()
}

func TestHistory_DamagedLinesAreLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(path, []byte("oops\n{\"method\":\"ping\"}\n{\"method\":\"cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := NewHistory(path).Load()
	if err != nil || len(found) != 1 || found[0].Method != "ping" {
		t.Errorf("%v, %v", found, err)
	}
}

// What is not a file is not read: a FIFO would never end.
func TestHistory_NotAFile(t *testing.T) {
	dir := t.TempDir()
	for name, h := range map[string]*History{"a directory": NewHistory(dir), "a device": NewHistory(os.DevNull)} {
		if found, err := h.Load(); err == nil || !strings.Contains(err.Error(), "is not a file of mcptea") || found != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// An entry is kept up to a size, and left out beyond it.
func TestHistory_MaxEntry(t *testing.T) {
	for size, kept := range map[int]int{maxSent - 1000: 1, maxSent + 1: 0} {
		h := NewHistory(filepath.Join(t.TempDir(), "history.jsonl"))
		if err := h.Add(Sent{Method: "x", Params: strings.Repeat("x", size)}); err != nil {
			t.Fatal(err)
		}
		if found, err := h.Load(); err != nil || len(found) != kept {
			t.Errorf("%d bytes: %d entries are kept, %v", size, len(found), err)
		}
	}
}
