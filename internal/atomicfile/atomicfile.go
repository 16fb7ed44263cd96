// Package atomicfile writes files as a whole or not at all.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Replace calls fill for a file with mode 0600, which gets its name when it is complete: a
// file of that name is kept until then, and after an error.
func Replace(path string, fill func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".mcptea-*")
	if err != nil {
		return err
	}
	if err = errors.Join(fill(f), f.Close()); err == nil {
		err = Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error says more
	}
	return err
}

// Write is Replace with what write writes.
func Write(path string, write func(io.Writer) error) error {
	return Replace(path, func(f *os.File) error { return write(f) })
}

// WriteBytes is Replace with bytes.
func WriteBytes(path string, text []byte) error {
	return Replace(path, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}
