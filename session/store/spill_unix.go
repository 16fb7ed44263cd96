//go:build unix

package store

import (
	"errors"
	"os"
)

// spill makes a file without a name: it is gone when the process is, however
// that ends.
func spill() (*os.File, error) {
	f, err := os.CreateTemp("", "mcptea-*") // 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
