//go:build unix && !linux

package store

import (
	"errors"
	"os"
)

// unnamedFile creates a file in the temporary directory and removes its name.
func unnamedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "mcptea-*") // 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func anonymousFile() (*os.File, error) { return nil, errors.ErrUnsupported }
