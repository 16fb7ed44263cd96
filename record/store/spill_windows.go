package store

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unnamedFile creates a file that the system deletes when it is closed.
func unnamedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "mcptea-*")
	if err != nil {
		return nil, err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return nil, err
	}
	path, err := windows.UTF16PtrFromString(filepath.Clean(name))
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil,
		windows.CREATE_ALWAYS, windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), name), nil
}
