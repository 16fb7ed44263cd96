package recent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcptea/session/atomicfile"
)

// The bounds of the file: the newest entries, each of at most maxEntry bytes.
const (
	maxEntries = 20
	maxEntry   = 8 << 10
	maxFile    = maxEntries * (maxEntry + 1)
)

// Entry is a target with the outcome of its newest session.
type Entry struct {
	Time time.Time `json:"time"`
	// Command are the flags and the target, as arguments of mcptea quoted for Bash. The
	// caller has replaced secrets by environment variables.
	Command string `json:"command"`
	// Dir is the working directory of mcptea.
	Dir string `json:"dir"`
	// Server is the name that the server gave itself; empty if it never connected.
	Server string `json:"server,omitempty"`
	// Outcome is a phrase such as "connected, 14 tools", and Failed says that it is about
	// a connection that failed or ended by itself.
	Outcome string `json:"outcome,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
}

// File is the list on disk. Several processes may use it at a time.
type File struct{ path string }

// New returns the list with a path. Nothing is read or written yet.
func New(path string) *File { return &File{path} }

// Load reads the entries, newest first. Lines that cannot be read are left out; a file
// that does not exist is empty.
func (f *File) Load() ([]Entry, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot read the recent targets: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("cannot read the recent targets: %s is not a file of mcptea", f.path)
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the recent targets: %w", err)
	}
	var found []Entry
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Command != "" {
			found = append(found, e)
		}
	}
	return found, nil
}

// Add puts an entry in front of the others, in the place of an older one with the same
// command and directory. One that is too large is not kept.
func (f *File) Add(e Entry) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("cannot keep the recent targets: %w", err)
	}
	unlock, err := atomicfile.Lock(f.path + ".lock")
	if err != nil {
		return fmt.Errorf("cannot keep the recent targets: %w", err)
	}
	defer unlock()
	entries, err := f.Load()
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(o Entry) bool { return o.Command == e.Command && o.Dir == e.Dir })
	var text []byte
	for _, e := range append([]Entry{e}, entries[:min(len(entries), maxEntries-1)]...) {
		if line, err := json.Marshal(e); err == nil && len(line) <= maxEntry {
			text = append(append(text, line...), '\n')
		}
	}
	if err := atomicfile.WriteBytes(f.path, text); err != nil {
		return fmt.Errorf("cannot keep the recent targets: %w", err)
	}
	return nil
}
