package store

import "testing"

// A million frames take so many bytes each; a row is a cache line.
func TestRow_Size(t *testing.T) {
	if rowSize != 64 {
		t.Errorf("a row has %d bytes", rowSize)
	}
}
