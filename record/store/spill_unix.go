//go:build unix

package store

import (
	"errors"
	"os"
)

// removedFile creates a file in the temporary directory and removes its name.
func removedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "mcptea-*") // created with mode 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
