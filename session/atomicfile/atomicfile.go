// Package atomicfile writes files as a whole or not at all.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write calls write for a file with mode 0600, which gets its name when it is complete:
// a file of that name is kept until then, and after an error.
func Write(path string, write func(io.Writer) error) error {
	return replace(path, 0o600, write)
}

func replace(path string, mode fs.FileMode, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".mcptea-*")
	if err != nil {
		return err
	}
	err = write(tmp)
	if mode != 0o600 && err == nil {
		err = os.Chmod(tmp.Name(), mode)
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the error says more
	}
	return err
}

// WriteBytes is Write of bytes.
func WriteBytes(path string, text []byte) error { return WriteMode(path, text, 0o600) }

// WriteMode is WriteBytes with another mode of the file.
func WriteMode(path string, text []byte, mode fs.FileMode) error {
	return replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
