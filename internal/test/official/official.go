// Package official finds the official schemas of MCP, which are not part of this repository.
package official

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Schemas returns the folder shared/schema here or further up, with a file for each protocol
// version. A test that needs it is skipped where it is absent.
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
