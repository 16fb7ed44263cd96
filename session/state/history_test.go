package state_test

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

	"mcptea/session/state"
)

func TestHistory_KeepsEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	f := state.NewHistory(path)
	if found, err := f.Load(); err != nil || len(found) != 0 {
		t.Fatalf("a file that does not exist: %v, %v", found, err)
	}
	raw := state.Sent{Time: time.Unix(1, 0).UTC()}
	raw.SetFrame("{\"a\":\"caf\xe9\x1b\"}\r")
	for _, e := range []state.Sent{{Method: "tools/call", Params: `{"name":"echo"}`, NoMeta: true}, raw} {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	found, err := state.NewHistory(path).Load()
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
	if err := state.NewHistory(path).Add(state.Sent{Method: "tools/call", Params: `{"arguments":{"token":"` + token + `"}}`}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), token) || !strings.Contains(string(text), `"redacted":true`) {
		t.Errorf("%s, %v", text, err)
	}
	// A frame that is not UTF-8 is kept in another member.
	var raw state.Sent
	raw.SetFrame("{\"token\":\"" + token + "\",\"x\":\"\xff\"}")
	if err := state.NewHistory(path).Add(raw); err != nil {
		t.Fatal(err)
	}
	kept, err := state.NewHistory(path).Load()
	if err != nil || len(kept) != 2 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if frame := kept[1].FrameText(); strings.Contains(frame, token) || !strings.Contains(frame, "\xff") || !kept[1].Redacted {
		t.Errorf("the frame is kept as %q, redacted %v", frame, kept[1].Redacted)
	}
}

// The bytes of an entry, and those of a history.
const (
	maxSent    = 32 << 10
	maxHistory = 512 << 10
)

func TestHistory_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	f := state.NewHistory(path)
	for range 2 * maxHistory / (maxSent / 2) {
		if err := f.Add(state.Sent{Method: "tools/call", Params: strings.Repeat("x", maxSent/2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(state.Sent{Method: "too large", Params: strings.Repeat("x", maxSent)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(state.Sent{Method: "newest"}); err != nil {
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
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	// An entry at the bound is kept, one byte more is not.
	path := filepath.Join(t.TempDir(), "one.jsonl")
	e := state.Sent{Method: "m"}
	if err := state.NewHistory(path).Add(e); err != nil {
		t.Fatal(err)
	}
	line := int(size(path)) - 1 // without the end of the line
	for over, want := range []int64{32<<10 + 1, 0} {
		path := filepath.Join(t.TempDir(), "one.jsonl")
		if err := state.NewHistory(path).Add(state.Sent{Method: strings.Repeat("m", 32<<10-line+1+over)}); err != nil || size(path) != want {
			t.Errorf("%d bytes beyond the bound: %d bytes are kept, %v", over, size(path), err)
		}
	}
	// A file at the bound stays, a larger one keeps its newest half.
	path = filepath.Join(t.TempDir(), "many.jsonl")
	f := state.NewHistory(path)
	e.Method = strings.Repeat("m", maxHistory/32-line) // 32 of them, each with the end of its line
	for range 32 {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if size(path) != maxHistory {
		t.Errorf("a file at the bound of %d bytes has %d", maxHistory, size(path))
	}
	if err := f.Add(e); err != nil || size(path) > maxHistory/2 || size(path) == 0 {
		t.Errorf("a file beyond the bound of %d bytes has %d, %v", maxHistory, size(path), err)
	}
}

// Two processes write at a time: whatever the file has of one is without a gap.
func TestHistory_TwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			f := state.NewHistory(path) // about 16 entries: it is trimmed all the time
			for i := range 60 {
				if err := f.Add(state.Sent{Method: fmt.Sprintf("writer-%d", w), Params: strconv.Itoa(i), Broken: strings.Repeat("x", maxSent-200)}); err != nil {
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
	found, err := state.NewHistory(path).Load()
	if err != nil || len(found) != 1 || found[0].Method != "ping" {
		t.Errorf("%v, %v", found, err)
	}
}

// What is not a file is not read: a FIFO would never end.
func TestHistory_NotAFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 16<<20+1); err != nil { // takes no space
		t.Fatal(err)
	}
	for name, h := range map[string]*state.History{"a large file": state.NewHistory(large), "a directory": state.NewHistory(dir), "a device": state.NewHistory(os.DevNull)} {
		if found, err := h.Load(); err == nil || !strings.Contains(err.Error(), "is not a file of mcptea") || found != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// An entry is kept up to a size, and left out beyond it.
func TestHistory_MaxEntry(t *testing.T) {
	for size, kept := range map[int]int{maxSent - 1000: 1, maxSent + 1: 0} {
		h := state.NewHistory(filepath.Join(t.TempDir(), "history.jsonl"))
		if err := h.Add(state.Sent{Method: "x", Params: strings.Repeat("x", size)}); err != nil {
			t.Fatal(err)
		}
		if found, err := h.Load(); err != nil || len(found) != kept {
			t.Errorf("%d bytes: %d entries are kept, %v", size, len(found), err)
		}
	}
}
