package state

import (
	"slices"
	"strings"
)

// maxAgreed bounds the agreements that are kept; the oldest are forgotten.
const maxAgreed = 1000

// Agreed is the file with the texts that the user has agreed to: one hash on each line, the newest
// last.
type Agreed struct{ file }

// NewAgreed returns the list with a path.
func NewAgreed(path string) *Agreed {
	const text = "cannot remember the agreement"
	return &Agreed{file{path, 1 << 20, text, text}}
}

// Load reads the hashes.
func (a *Agreed) Load() ([]string, error) {
	text, err := a.read()
	return strings.Fields(string(text)), err
}

// Has reports whether a hash is in the file; a file that cannot be read has none.
func (a *Agreed) Has(hash string) bool {
	kept, err := a.Load()
	return err == nil && slices.Contains(kept, hash)
}

// Add appends a hash, or makes it the newest.
func (a *Agreed) Add(hash string) error {
	return a.update(func(text []byte) ([]byte, error) {
		all := slices.DeleteFunc(strings.Fields(string(text)), func(other string) bool { return other == hash })
		all = append(all[max(0, len(all)-maxAgreed+1):], hash)
		return []byte(strings.Join(all, "\n") + "\n"), nil
	})
}
