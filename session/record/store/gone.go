package store

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// goneInterval is how long the name of the file is left alone: it is looked at after a write, not for
// each of them.
const goneInterval = 2 * time.Second

// GoneError is why what is recorded is not under the name of the recording.
type GoneError struct{ path string }

// Error says what became of the file, as far as it is known.
func (e *GoneError) Error() string {
	return fmt.Sprintf("%s was deleted, moved or replaced while it was written; what is recorded is not there", e.path)
}

// isGone reports whether there is no file with the name of an open one, or another one.
func isGone(file *os.File) bool {
	own, err := file.Stat()
	if err != nil {
		return false // it was closed
	}
	named, err := os.Stat(file.Name())
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(own, named)
}

// goneError is the [GoneError] of a file, nil while it has its name.
func (j *journal) goneError() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.gone {
		return nil
	}
	return &GoneError{j.file.Name()}
}
