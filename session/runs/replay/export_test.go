package replay

import (
	"testing"

	"mcptea/record/store"
)

// Align is for the tests, which are outside of the package.
var Align = align

// ReadFile reads the turns of a recording.
func ReadFile(t testing.TB, path string) *Transcript {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	turns, err := Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return turns
}
