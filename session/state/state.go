// Package state stores small files in the state directory for later sessions: frames that the user wrote,
// targets, saved responses and arguments, and consents. A file has one entry per line and a bounded size, and
// only the user can read it. Several processes may use it concurrently.
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mcptea/internal/system"
)

// file is a file of lines. Nothing is read or written until one of its methods is called.
type file struct {
	path         string
	max          int64  // maximum size in bytes; mcptea writes no larger file
	reads, keeps string // begin the errors, as in "cannot read the history"
}

// read returns the content; none of a file that does not exist.
func (f file) read() ([]byte, error) {
	text, _, err := system.ReadRegular(f.path, f.max)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %s is not a file of mcptea: %w", f.reads, f.path, err)
	}
	return text, nil
}

// update replaces the content by what change makes of it, while no other process does
// the same.
func (f file) update(change func(text []byte) ([]byte, error)) error {
	var unread error
	err := system.UpdateFile(f.path, f.path+".lock", func() (text []byte, err error) {
		if text, unread = f.read(); unread != nil {
			return nil, unread
		}
		return change(text)
	})
	if err != nil && unread == nil {
		err = fmt.Errorf("%s: %w", f.keeps, err)
	}
	return err
}

// withNewest puts an entry before the others, without those that it replaces, and returns the lines of the newest ones. An
// entry with more than size bytes is left out.
func withNewest[T any](entry T, others []T, replaced func(T) bool, most, size int) (text []byte) {
	others = slices.DeleteFunc(others, replaced)
	for _, e := range append([]T{entry}, others[:min(len(others), most-1)]...) {
		if line, err := json.Marshal(e); err == nil && len(line) <= size {
			text = append(append(text, line...), '\n')
		}
	}
	return text
}

// entries reads the lines. One that cannot be read, or that is not valid, is left out.
func entries[T any](text []byte, valid func(*T) bool) []T {
	var found []T
	for line := range bytes.Lines(text) {
		var e T
		if json.Unmarshal(line, &e) == nil && valid(&e) {
			found = append(found, e)
		}
	}
	return found
}
