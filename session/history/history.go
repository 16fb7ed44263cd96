package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"mcptea/client/secret"
	"mcptea/session/atomicfile"
)

// The bounds of the file. When it is larger than maxFile, the newest entries of half
// that size stay.
const (
	maxEntry = 32 << 10 // in bytes, like the others
	maxFile  = 512 << 10
)

// Entry is a frame that was sent: a method and its params, or the bytes of the frame.
type Entry struct {
	Time   time.Time `json:"time"`
	Method string    `json:"method,omitempty"`
	Params string    `json:"params,omitempty"`
	// Frame is set instead of Method and Params; Bytes, in base64, when it is not
	// UTF-8.
	Frame string `json:"frame,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// ID is the kind of the id, as the composer numbers them.
	ID int `json:"id,omitempty"`
	// NoMeta says that the _meta of the revision was left out.
	NoMeta bool `json:"noMeta,omitempty"`
	// Redacted says that secrets were removed.
	Redacted bool `json:"redacted,omitempty"`
}

// SetFrame sets the bytes of the frame.
func (e *Entry) SetFrame(frame string) {
	if utf8.ValidString(frame) {
		e.Frame, e.Bytes = frame, nil
		return
	}
	e.Frame, e.Bytes = "", []byte(frame)
}

// FrameText returns the bytes of the frame; empty when the entry has a method.
func (e *Entry) FrameText() string {
	if e.Bytes != nil {
		return string(e.Bytes)
	}
	return e.Frame
}

// redact removes the secrets.
func (e *Entry) redact() {
	for _, text := range []*string{&e.Params, &e.Frame} {
		if clean := secret.Text(*text); clean != *text {
			*text, e.Redacted = clean, true
		}
	}
	if clean := secret.Text(string(e.Bytes)); clean != string(e.Bytes) {
		e.Bytes, e.Redacted = []byte(clean), true
	}
}

// File is a history on disk. Several processes may use it at a time.
type File struct {
	path string
	max  int64 // maxFile
}

// New returns the history with a path. Nothing is read or written yet.
func New(path string) *File { return &File{path, maxFile} }

// Load reads the entries, oldest first. Lines that cannot be read are left out; a file
// that does not exist is empty.
func (f *File) Load() ([]Entry, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the history: %w", err)
	}
	if over := len(text) - 2*int(f.max); over > 0 {
		text = text[over:] // its first line is not whole and is left out
	}
	var found []Entry
	for line := range bytes.Lines(text) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && (e.Method != "" || e.FrameText() != "") {
			found = append(found, e)
		}
	}
	return found, nil
}

// Add appends an entry with its secrets redacted. One that is too large is not kept.
func (f *File) Add(e Entry) error {
	e.redact()
	line, err := json.Marshal(e)
	if err != nil || len(line) > maxEntry {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("cannot keep the history: %w", err)
	}
	unlock, err := atomicfile.Lock(f.path + ".lock") // trim would lose the lines of other processes
	if err != nil {
		return fmt.Errorf("cannot keep the history: %w", err)
	}
	defer unlock()
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot keep the history: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	size := int64(0)
	if info, statErr := file.Stat(); statErr == nil {
		size = info.Size()
	}
	if err = errors.Join(err, file.Close()); err == nil && size > f.max {
		err = f.trim()
	}
	if err != nil {
		return fmt.Errorf("cannot keep the history: %w", err)
	}
	return nil
}

// trim replaces the file by its newest half. The caller has the lock.
func (f *File) trim() error {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	text = text[max(len(text)-int(f.max)/2, 0):]
	text = text[bytes.IndexByte(text, '\n')+1:]
	return atomicfile.WriteBytes(f.path, text)
}
