package tokens

import (
	"os"
	"path/filepath"

	"mcptea/session/atomicfile"
)

const lockName = "authorizations.lock"

// change reads the file, lets do change what is in it, and writes it back, while
// no other process does the same.
func (s *Store) change(do func(*document)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := atomicfile.Lock(filepath.Join(s.dir, lockName))
	if err != nil {
		return err
	}
	defer unlock()
	d, err := s.read()
	if err != nil {
		return err
	}
	do(&d)
	return s.write(d)
}
