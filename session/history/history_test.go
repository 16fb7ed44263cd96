package history

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestFile_KeepsEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	f := New(path)
	if found, err := f.Load(); err != nil || len(found) != 0 {
		t.Fatalf("a file that does not exist: %v, %v", found, err)
	}
	raw := Entry{Time: time.Unix(1, 0).UTC()}
	raw.SetFrame("{\"a\":\"caf\xe9\x1b\"}\r")
	for _, e := range []Entry{{Method: "tools/call", Params: `{"name":"echo"}`, NoMeta: true}, raw} {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	found, err := New(path).Load()
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

func TestFile_RedactsSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	if err := New(path).Add(Entry{Method: "tools/call", Params: `{"arguments":{"token":"` + token + `"}}`}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), token) || !strings.Contains(string(text), `"redacted":true`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestFile_IsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	f := New(path)
	for range 2 * maxFile / (maxEntry / 2) {
		if err := f.Add(Entry{Method: "tools/call", Params: strings.Repeat("x", maxEntry/2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(Entry{Method: "too large", Params: strings.Repeat("x", maxEntry)}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(Entry{Method: "newest"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxFile+maxEntry {
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

func TestFile_DamagedLinesAreLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := os.WriteFile(path, []byte("oops\n{\"method\":\"ping\"}\n{\"method\":\"cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := New(path).Load()
	if err != nil || len(found) != 1 || found[0].Method != "ping" {
		t.Errorf("%v, %v", found, err)
	}
}
