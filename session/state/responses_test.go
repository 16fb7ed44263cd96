package state_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcptea/session/state"
)

func TestResponses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "responses.jsonl")
	f := state.NewResponses(path)
	if all, err := f.Load(""); all != nil || err != nil {
		t.Fatalf("without a file: %v, %v", all, err)
	}
	for _, s := range []state.Saved{
		{Method: "elicitation/create", Name: "yes", Result: []byte(`{"action":"accept"}`)},
		{Method: "sampling/createMessage", Name: "yes", Result: []byte(`{"role":"assistant"}`)},
		{Method: "elicitation/create", Name: "no", Result: []byte(`{"action":"decline"}`)},
		{Method: "elicitation/create", Name: "yes", Result: []byte(`{"action":"accept","content":{}}`)},
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
	if err := f.Save(state.Saved{Method: "m", Name: "large", Result: []byte(`{"a":"` + strings.Repeat("x", 256<<10) + `"}`)}); err == nil {
		t.Error("a large response was saved")
	}
}

func TestResponses_LinesThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "responses.jsonl")
	if err := os.WriteFile(path, []byte("no JSON\n{\"name\":\"x\",\"result\":7}\n{\"method\":\"m\",\"name\":\"x\",\"result\":{}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := state.NewResponses(path).Load("m"); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestResponses_Rename(t *testing.T) {
	f := state.NewArguments(filepath.Join(t.TempDir(), "arguments.jsonl"))
	for _, s := range []state.Saved{{Method: "old", Name: "a", Result: []byte(`{"x":1}`)}, {Method: "old", Name: "b", Result: []byte(`{"x":2}`)}, {Method: "now", Name: "b", Result: []byte(`{"x":3}`)}, {Method: "other", Name: "a", Result: []byte(`{}`)}} {
		if err := f.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := f.Rename("old", "now", nil); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	now, _ := f.Load("now")
	old, _ := f.Load("old")
	if len(now) != 2 || string(now[0].Result) != `{"x":1}` || string(now[1].Result) != `{"x":3}` || len(old) != 1 || old[0].Name != "b" {
		t.Errorf("%s and %s", now, old)
	}
}
