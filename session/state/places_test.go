package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcptea/session/state"
)

// The newest place of a recording or server is found; the file is bounded, and only its owner can read it.
func TestPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "places.jsonl")
	f := state.NewPlaces(path)
	if place, err := f.Find("x"); err != nil || place.Of != "" {
		t.Fatalf("without a file: %+v, %v", place, err)
	}
	const maxPlaces = 100
	for i := range maxPlaces + 5 {
		if err := f.Keep(state.Place{Of: fmt.Sprint(i), Tab: "tab.logs"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tab := range []string{"tab.tools", "tab.problems"} {
		if err := f.Keep(state.Place{Of: "50", Tab: tab}); err != nil {
			t.Fatal(err)
		}
	}
	for of, want := range map[string]string{"4": "", "5": "tab.logs", "50": "tab.problems", "104": "tab.logs"} {
		if place, err := f.Find(of); err != nil || place.Tab != want {
			t.Errorf("%s: %+v, %v; want %s", of, place, err, want)
		}
	}
	if err := f.Keep(state.Place{Of: "50", Filter: strings.Repeat("x", 5000)}); err != nil {
		t.Fatal(err)
	}
	if place, _ := f.Find("50"); place.Of != "" {
		t.Errorf("a place that is too large is kept: %.80v", place)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
