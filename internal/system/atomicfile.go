package system

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// ReplaceFile calls fill with a file of mode 0600, and renames it to path when it is complete. Until then, and
// after an error, an existing file is kept. To a pipe or a device, fill writes directly.
func ReplaceFile(path string, fill func(*os.File) error) error {
	if IsStream(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(fill(f), f.Close())
	}
	f, err := TempFile(path)
	if err != nil {
		return err
	}
	if err = errors.Join(fill(f), f.Close()); err == nil {
		err = RenameFile(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error is more informative
	}
	return err
}

// TempFile creates a file with mode 0600 in the directory of another file, which it will replace. Errors name
// the other file.
func TempFile(path string) (*os.File, error) {
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

// WriteFile is like ReplaceFile, with the output of write.
func WriteFile(path string, write func(io.Writer) error) error {
	return ReplaceFile(path, func(f *os.File) error { return write(f) })
}

// WriteFileBytes is like ReplaceFile, with bytes.
func WriteFileBytes(path string, text []byte) error {
	return ReplaceFile(path, func(f *os.File) error {
		_, err := f.Write(text)
		return err
	})
}
