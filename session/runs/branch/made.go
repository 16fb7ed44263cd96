package branch

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/record/recordings"
	"mcptea/record/store"
)

// Made is a branch that was made before.
type Made struct {
	Name   string
	Path   string // path of its recording, or "" if it was not recorded
	Until  int    // frame, as in [Options]
	Begun  time.Time
	Counts string // counts of equal and different responses, or "" for a branch of another process
}

// Name returns the name of a branch after n others: A, B, …, Z, A1.
func Name(n int) string {
	name := string(rune('A' + n%26))
	if n >= 26 {
		name += strconv.Itoa(n / 26)
	}
	return name
}

// Made returns the data about the branch that is kept after its end.
func (b *Branch) Made() Made {
	st := b.State()
	m := Made{Name: b.Name, Until: b.Until, Counts: st.Counts.Counts()}
	if b.session != nil {
		m.Path, m.Begun = b.session.Store().Path(), time.Unix(0, b.session.Store().Header().Time)
	}
	return m
}

// Find returns the branches of a recording whose own recordings are in a directory, oldest
// first. A recording that cannot be read is left out.
func Find(dir, file string) (found []Made) {
	list, err := recordings.List(dir)
	if err != nil {
		return nil
	}
	for _, r := range list {
		s, err := store.Open(r.Path)
		if err != nil {
			continue
		}
		h := s.Header()
		_ = s.Close() // closing after reading cannot lose data
		name, number, _ := strings.Cut(h.Branch, "#")
		if name != filepath.Base(file) {
			continue
		}
		until, _ := strconv.Atoi(number) // 0 for all frames
		found = append(found, Made{Path: r.Path, Until: until, Begun: time.Unix(0, h.Time)})
	}
	slices.SortStableFunc(found, func(a, b Made) int { return a.Begun.Compare(b.Begun) })
	for i := range found {
		found[i].Name = Name(i)
	}
	return found
}
