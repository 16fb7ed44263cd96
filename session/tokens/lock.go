package tokens

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	lockName = "authorizations.lock"
	// lockTimeout bounds the wait for another mcptea that changes the file, which
	// takes it no longer than to read and write it.
	lockTimeout  = 10 * time.Second
	lockInterval = 10 * time.Millisecond
)

// errLocked says that another process holds the lock.
var errLocked = errors.New("locked by another process")

// change reads the file, lets do change what is in it, and writes it back, while
// no other process does the same.
func (s *Store) change(do func(*document)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := s.lock()
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

// lock takes the lock of the file. Where the file system has no locks, it goes
// without.
func (s *Store) lock() (unlock func(), err error) {
	path := filepath.Join(s.dir, lockName)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(lockTimeout); ; time.Sleep(lockInterval) {
		switch err := tryLock(f); {
		case err == nil || !errors.Is(err, errLocked):
			return func() { _ = f.Close() }, nil // which gives the lock back
		case time.Now().After(deadline):
			_ = f.Close()
			return nil, fmt.Errorf("cannot lock %s within %s: %w", path, lockTimeout, errLocked)
		}
	}
}
