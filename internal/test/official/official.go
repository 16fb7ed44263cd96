// Package official finds the official schemas of MCP, which are not part of this repository.
package official

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Schemas returns the nearest folder shared/schema in this directory or above, with a file for each protocol
// version. If there is no such folder, the test is skipped.
func Schemas(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		found := filepath.Join(dir, "shared", "schema")
		if _, err := os.Stat(found); err == nil {
			return found
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("NOT CHECKED: nothing was compared with the official schemas, since no folder shared/schema is here or further up")
		}
		dir = up
	}
}
