package state

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestResponses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "responses.jsonl")
	f := NewResponses(path)
	if all, err := f.Load(""); all != nil || err != nil {
		t.Fatalf("without a file: %v, %v", all, err)
	}
	for _, s := range []Saved{
		{"elicitation/create", "yes", []byte(`{"action":"accept"}`)},
		{"sampling/createMessage", "yes", []byte(`{"role":"assistant"}`)},
		{"elicitation/create", "no", []byte(`{"action":"decline"}`)},
		{"elicitation/create", "yes", []byte(`{"action":"accept","content":{}}`)},
	} {
		if err := f.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	all, err := f.Load("elicitation/create")
	if err != nil || len(all) != 2 || all[0].Name != "no" || string(all[1].Result) != `{"action":"accept","content":{}}` {
		t.Errorf("%s, %v", all, err)
	}
	if err := f.Delete("elicitation/create", "no"); err != nil {
		t.Fatal(err)
	}
	if all, _ := f.Load(""); len(all) != 2 {
		t.Errorf("%d are left", len(all))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.Save(Saved{"m", "large", []byte(`{"a":"` + strings.Repeat("x", maxResult) + `"}`)}); err == nil {
		t.Error("a large response was saved")
	}
}

func TestResponses_LinesThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "responses.jsonl")
	if err := os.WriteFile(path, []byte("no JSON\n{\"name\":\"x\",\"result\":7}\n{\"method\":\"m\",\"name\":\"x\",\"result\":{}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := NewResponses(path).Load("m"); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestResponses_Rename(t *testing.T) {
	f := NewArguments(filepath.Join(t.TempDir(), "arguments.jsonl"))
	for _, s := range []Saved{{"old", "a", []byte(`{"x":1}`)}, {"old", "b", []byte(`{"x":2}`)}, {"now", "b", []byte(`{"x":3}`)}, {"other", "a", []byte(`{}`)}} {
		if err := f.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := f.Rename("old", "now"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	now, _ := f.Load("now")
	old, _ := f.Load("old")
	if len(now) != 2 || string(now[0].Result) != `{"x":1}` || string(now[1].Result) != `{"x":3}` || len(old) != 1 || old[0].Name != "b" {
		t.Errorf("%s and %s", now, old)
	}
}
