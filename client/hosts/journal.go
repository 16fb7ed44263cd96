package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/internal/system"

	"mcptea/client/jsonrpc"
)

const recordVersion = 1

// record contains the data for undoing the wrapping of an entry.
type record struct {
	Version int       `json:"version"`
	Time    time.Time `json:"time"`
	File    string    `json:"file"`
	Host    string    `json:"host"`
	Name    string    `json:"name"`
	Pointer string    `json:"pointer"`
	Project string    `json:"project,omitempty"` // project for which an entry of the user's file is meant
	Before  string    `json:"before"`            // SHA-256 of the file
	After   string    `json:"after"`
	Scalar  string    `json:"scalar"` // command or URL, as written
	HadArgs bool      `json:"had_args"`
	URL     string    `json:"url,omitempty"`    // URL of the tap, for an entry with a URL
	Target  string    `json:"target,omitempty"` // target of the server at that time
	// Entry and Wrapped are the entry before and after, of one with a URL that runs mcptea tap URL.
	Entry   string `json:"entry,omitempty"`
	Wrapped string `json:"wrapped,omitempty"`

	path string // path of the record
}

const (
	recordSuffix = ".json"
	backupSuffix = ".backup"
)

func (r *record) backup() string { return strings.TrimSuffix(r.path, recordSuffix) + backupSuffix }

// Journal is a directory with a record of each wrapped entry, and the original file. The files have the
// mode 0600, since a configuration may contain secrets.
type Journal struct{ Dir string }

// records returns the records that a condition holds for, newest first.
func (j Journal) records(want func(*record) bool) []*record {
	names, _ := filepath.Glob(filepath.Join(j.Dir, "*"+recordSuffix))
	slices.Sort(names)
	slices.Reverse(names) // names start with the time
	var found []*record
	for _, name := range names {
		data, _, err := system.ReadRegular(name, maxFileBytes)
		r := &record{path: name}
		if err == nil && json.Unmarshal(data, r) == nil && r.Version == recordVersion && want(r) {
			found = append(found, r)
		}
	}
	return found
}

// is reports whether a record is about an entry.
func (r *record) is(s *Server) bool {
	return r.File == s.Source.File && r.Host == s.Host && r.Name == s.Name && r.Pointer == s.Source.Pointer
}

func (j Journal) recordsOf(s *Server) []*record {
	return j.records(func(r *record) bool { return r.is(s) })
}

// Mark marks the entries whose URL leads to a tap: it restores the URL of the server, and sets Tap to the URL
// of the tap. Entries with a command need no record.
func (j Journal) Mark(c *Configuration) {
	records := j.records(func(r *record) bool { return r.URL != "" })
	for _, s := range c.Servers {
		i := slices.IndexFunc(records, func(r *record) bool { return r.is(s) && r.URL == s.Written.URL })
		if i < 0 || s.Wrapped {
			continue
		}
		s.Wrapped, s.Tap = true, s.Written.URL
		s.Written.URL, s.Expanded.URL = records[i].Target, records[i].Target
		s.file.report(s, "F070", Info, s.node, "Recorded by mcptea. mcptea servers unwrap %s restores the entry.", s.ID())
	}
}

// Backup returns the original file, from before the newest wrapping of the entry HOST/NAME, or "".
func (j Journal) Backup(id string) string {
	found := j.records(func(r *record) bool { return r.Host+"/"+r.Name == id })
	if len(found) == 0 {
		return ""
	}
	return found[0].backup()
}

// Entry is a wrapped entry of a journal.
type Entry struct {
	ID, File string
	Dir      string // directory whose entries include this one: its project, or the directory of the file
}

// Entries returns the entries that were wrapped and not unwrapped, newest first. It does not detect changes
// that the user has made by hand.
func (j Journal) Entries() []Entry {
	var all []Entry
	for _, r := range j.records(func(*record) bool { return true }) {
		e := Entry{r.Host + "/" + r.Name, r.File, r.Project}
		if e.Dir == "" {
			e.Dir = filepath.Dir(r.File)
		}
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

// Unwrap returns the edit that takes mcptea out of an entry again. If the file has not
// changed since the entry was wrapped, the edit restores its bytes. The error is a
// [*RefusedError].
func (j Journal) Unwrap(s *Server) (*Edit, error) {
	records := j.recordsOf(s)
	now := sum(s.file.data)
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Before == now { // the edit was never written, or undone by hand
			j.drop(records[i])
			records = slices.Delete(records, i, i+1)
		}
	}
	for _, r := range records {
		if r.After != now {
			continue
		}
		if old, _, err := system.ReadRegular(r.backup(), maxFileBytes); err == nil && sum(old) == r.Before {
			return &Edit{Server: s, File: s.Source.File, Before: s.file.data, After: old, record: r}, nil
		}
	}
	var newest *record
	if len(records) > 0 {
		newest = records[0]
	}
	e, err := s.unwrap(newest)
	var refused *RefusedError
	if errors.As(err, &refused) && newest != nil {
		refused.Text += "; the original file is " + newest.backup()
	}
	return e, err
}

// Apply writes an edit. Of a wrapping, the backup and the record are written before the
// configuration; of an unwrapping, they are removed after it. The file is replaced as a
// whole and keeps its mode and owner; of a symbolic link the target is replaced.
func (j Journal) Apply(e *Edit) error {
	target, err := filepath.EvalSymlinks(e.File)
	if errors.Is(err, fs.ErrNotExist) {
		return errRemoved
	}
	if err != nil {
		return err
	}
	if e.Server.Host == "cline" { // the only host that locks its file
		unlock, err := lockFile(target)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if e.wraps {
		if err := j.write(e); err != nil {
			return fmt.Errorf("cannot write the backup: %w", err)
		}
	}
	if err := replaceFile(target, e.Before, e.After); err != nil {
		if e.wraps {
			j.drop(e.record)
		}
		return err
	}
	if !e.wraps && e.record != nil {
		j.drop(e.record)
	}
	return nil
}

// Kept reports whether a file still has the bytes of an edit: a running host may write
// its own copy.
func (e *Edit) Kept() bool {
	data, _, err := system.ReadRegular(e.File, maxFileBytes)
	return err == nil && bytes.Equal(data, e.After)
}

// write writes the backup, and then the record.
func (j Journal) write(e *Edit) error {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return err
	}
	r := e.record
	r.Time = time.Now()
	f, err := os.CreateTemp(j.Dir, r.Time.UTC().Format("20060102T150405.000000")+"-"+r.Host+"-*"+recordSuffix) // 0600
	if err != nil {
		return err
	}
	r.path = f.Name()
	data, err := jsonrpc.MarshalIndented(r, "  ")
	if err == nil {
		err = os.WriteFile(r.backup(), e.Before, 0o600)
	}
	if err == nil {
		_, err = f.Write(append(data, '\n'))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		j.drop(r)
	}
	return err
}

func (j Journal) drop(r *record) { _, _ = os.Remove(r.path), os.Remove(r.backup()) }
