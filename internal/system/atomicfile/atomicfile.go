// Package atomicfile writes files as a whole or not at all.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Replace calls fill for a file with mode 0600, which gets its name when it is complete: a
// file of that name is kept until then, and after an error. A pipe or a device stays what it
// is, and is written to.
func Replace(path string, fill func(*os.File) error) error {
	if IsStream(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fill(f), f.Close())
	}
	f, err := Temp(path)
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

// Temp creates a file with mode 0600 beside another one, whose name it is to get. An error names
// that one.
func Temp(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mcptea-*"+filepath.Ext(path))
	if of, ok := errors.AsType[*os.PathError](err); ok {
		of.Path = path
	}
	return f, err
}

// IsStream reports a pipe or a device, such as /dev/stdout.
func IsStream(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeDevice) != 0
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
