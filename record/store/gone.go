package store

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// goneInterval is the minimum time between two checks of the file name. A check follows a write.
const goneInterval = 2 * time.Second

// A GoneError reports that the path of the recording no longer leads to the recorded file.
type GoneError struct{ path string }

// Error describes what happened to the file.
func (e *GoneError) Error() string {
	return fmt.Sprintf("%s was deleted, moved or replaced while it was written; the recording is no longer there", e.path)
}

// isGone reports whether the path of an open file leads to no file, or to a different one.
func isGone(file *os.File) bool {
	opened, err := file.Stat()
	if err != nil {
		return false // the file was closed
	}
	named, err := os.Stat(file.Name())
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(opened, named)
}

// goneError returns the [GoneError] of the file, or nil while the file still has its name.
func (j *journal) goneError() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.gone {
		return nil
	}
	return &GoneError{j.file.Name()}
}
