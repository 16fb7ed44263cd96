// Package responses keeps results with which the user responds to requests of servers
// again and again, by method and name, in a file of the state directory.
package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcptea/session/atomicfile"
)

// The bounds of the file.
const (
	maxEntries = 200
	maxResult  = 256 << 10 // bytes of one result
	maxFile    = 8 << 20
)

// Saved is a result under a name.
type Saved struct {
	Method string          `json:"method"`
	Name   string          `json:"name"`
	Result json.RawMessage `json:"result"` // an object
}

// File is the list on disk, with mode 0600. Several processes may use it at a time.
type File struct{ path, what string }

// New returns the list with a path. Nothing is read or written yet.
func New(path string) *File { return &File{path, "response"} }

// NewArguments returns a list of arguments with which the user calls tools again: the
// result is an object of arguments.
func NewArguments(path string) *File { return &File{path, "arguments"} }

// Load reads the saved results of a method, in the order in which they were saved;
// those of all methods if it is empty. Lines that cannot be read are left out; a file
// that does not exist is empty.
func (f *File) Load(method string) ([]Saved, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile):
		err = fmt.Errorf("%s is not a file of mcptea", f.path)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(f.path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the saved %s: %w", f.what, err)
	}
	var found []Saved
	for line := range bytes.Lines(text) {
		var s Saved
		if json.Unmarshal(line, &s) == nil && s.Name != "" && len(s.Result) > 0 && s.Result[0] == '{' && (method == "" || s.Method == method) {
			found = append(found, s)
		}
	}
	return found, nil
}

// Save adds a result, in the place of one with the same method and name.
func (f *File) Save(s Saved) error {
	if len(s.Result) > maxResult {
		return fmt.Errorf("cannot save the %s: more than %d kB", f.what, maxResult>>10)
	}
	return f.change(s, func(all []Saved) ([]Saved, error) {
		if len(all) >= maxEntries {
			return nil, fmt.Errorf("cannot save the %s: %d are saved already; delete one", f.what, len(all))
		}
		return append(all, s), nil
	})
}

// Delete removes a result by its method and name.
func (f *File) Delete(method, name string) error {
	return f.change(Saved{Method: method, Name: name}, func(all []Saved) ([]Saved, error) { return all, nil })
}

func (f *File) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return nil, err
	}
	return atomicfile.Lock(f.path + ".lock")
}

// change writes the list without s and with what do makes of it.
func (f *File) change(s Saved, do func([]Saved) ([]Saved, error)) error {
	unlock, err := f.lock()
	if err != nil {
		return fmt.Errorf("cannot save the %s: %w", f.what, err)
	}
	defer unlock()
	all, err := f.Load("")
	if err != nil {
		return err
	}
	all, err = do(slices.DeleteFunc(all, func(o Saved) bool { return o.Method == s.Method && o.Name == s.Name }))
	if err != nil {
		return err
	}
	var text []byte
	for _, s := range all {
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("cannot save the %s: %w", f.what, err)
		}
		text = append(append(text, line...), '\n')
	}
	if err = atomicfile.WriteBytes(f.path, text); err != nil {
		return fmt.Errorf("cannot save the %s: %w", f.what, err)
	}
	return nil
}
