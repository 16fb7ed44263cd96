package recordings

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/record/store"
)

// Suffix ends the names of recordings in the directory.
const Suffix = ".mcptea.jsonl"

// Recording is a file of the directory.
type Recording struct {
	Path     string    `json:"path"`     // path of the file
	Size     int64     `json:"size"`     // bytes
	Modified time.Time `json:"modified"` // time of the last change to the file
	Live     bool      `json:"live"`     // a process is writing it
	// Tap is the active tap that writes it, if any.
	Tap *Tap `json:"tap,omitempty"`
	// Error is why the file cannot be read as a recording.
	Error   string   `json:"error,omitempty"`
	Err     error    `json:"-"`
	Summary *Summary `json:"summary,omitempty"` // content, once the file was read

	stale bool // the file has changed since the summary was made
}

// Tap is an active tap.
type Tap struct {
	PID    int    `json:"pid"`              // process id
	Name   string `json:"name,omitempty"`   // name of the server in its host
	Listen string `json:"listen,omitempty"` // URL that the host connects to, over HTTP
}

// List returns the recordings of a directory without summaries: those being written first, then the newest. It
// returns none if the directory does not exist.
func List(dir string) ([]Recording, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Recording
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), Suffix) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted in the meantime, or not readable
		}
		path := filepath.Join(dir, e.Name())
		list = append(list, Recording{Path: path, Size: info.Size(), Modified: info.ModTime(), Live: store.InUse(path)})
	}
	sortList(list)
	return list, nil
}

func sortList(list []Recording) {
	slices.SortStableFunc(list, func(a, b Recording) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.Modified.Compare(a.Modified), cmp.Compare(b.Path, a.Path))
	})
}

// withTaps adds the active taps to a list by the path of the recording, including taps that record to other
// directories.
func withTaps(list []Recording, taps map[string]Tap) []Recording {
	for path, tap := range taps {
		if i := slices.IndexFunc(list, func(r Recording) bool { return r.Path == path }); i >= 0 {
			list[i].Tap = &tap
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			continue // the recording was removed or not yet created
		}
		list = append(list, Recording{Path: path, Size: info.Size(), Modified: info.ModTime(), Live: true, Tap: &tap})
	}
	sortList(list)
	return list
}

func rank(r Recording) int {
	if r.Live {
		return 0
	}
	return 1
}

// Limits determines which recordings are kept. The zero value keeps all.
type Limits struct {
	// Keep is the number of recordings that are kept, the newest; 0 is not a limit.
	Keep int
	// Age is the maximum age of a recording since its last write, or 0 for no limit.
	Age time.Duration
	// Size is the number of bytes of all that are kept; 0 is not a limit.
	Size int64
	// Always is the number of the newest recordings that are kept whatever their size
	// and age.
	Always int
}

// DefaultLimits are the limits of the inspector. It deletes recordings beyond them before it adds
// one.
var DefaultLimits = Limits{Keep: 100, Size: 1 << 30, Always: 3}

// Exceeding returns the recordings of a list that exceed the limits, except those being written.
func (l Limits) Exceeding(list []Recording, now time.Time) []Recording {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Recording) int { return b.Modified.Compare(a.Modified) })
	var exceeding []Recording
	total := int64(0)
	for i, r := range list {
		beyond := l.Keep > 0 && i >= l.Keep || l.Age > 0 && now.Sub(r.Modified) > l.Age || l.Size > 0 && total+r.Size > l.Size
		if beyond && !r.Live && i >= l.Always {
			exceeding = append(exceeding, r)
			continue
		}
		total += r.Size
	}
	return exceeding
}

// Delete deletes a recording and its file of marks, unless the recording is being written.
func Delete(path string) error {
	if store.InUse(path) {
		return errors.New("it is being written")
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	if err := os.Remove(path + store.MarksSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
