package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// lockTimeout bounds the wait for another mcptea, which holds a lock no longer than
	// it takes to read and write a small file.
	lockTimeout  = 10 * time.Second
	lockInterval = 10 * time.Millisecond
)

// lock takes the lock that is a file of its own, beside files that are read, changed and
// replaced. It waits for other processes, and other callers in this one. The lock of a
// process that ends is given back. Where the file system has no locks, it does without.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(lockTimeout); TryLock(f, true); time.Sleep(lockInterval) {
		if time.Now().After(deadline) {
			_ = f.Close()
			return nil, fmt.Errorf("cannot lock %s within %s: locked by another process", path, lockTimeout)
		}
	}
	return func() { _ = f.Close() }, nil // which gives the lock back
}

// Update replaces a file by the text that change returns, while it holds the lock lockPath.
// It makes the directory of the file.
func Update(path, lockPath string, change func() ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lock(lockPath)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := change()
	if err != nil {
		return err
	}
	return WriteBytes(path, text)
}
