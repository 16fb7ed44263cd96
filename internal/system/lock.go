package system

import (
	"bytes"
	"errors"
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

// lock takes a lock, which is a separate file next to files that are read, changed and replaced. It waits for
// other processes, and for other callers in this one. When a process ends, its locks are released. On a file
// system without locks, it does nothing.
func lock(path string) (unlock func(), err error) {
	f, err := locked(path, time.Now().Add(lockTimeout))
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil // closing the file releases the lock
}

// locked opens a file and takes its lock.
func locked(path string, deadline time.Time) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for TryLockFile(f, true) {
		if time.Now().After(deadline) {
			_ = f.Close()
			return nil, fmt.Errorf("cannot lock %s within %s: locked by another process", path, lockTimeout)
		}
		time.Sleep(lockInterval)
	}
	return f, nil
}

// WithLock calls do while it holds the lock of a user's file. The lock is a file next to it, which is removed
// afterwards.
func WithLock(path string, do func() error) error {
	lockPath := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock")
	deadline := time.Now().Add(lockTimeout)
	for {
		f, err := locked(lockPath, deadline)
		if err != nil {
			return err
		}
		if !isAt(f, lockPath) { // the previous holder has removed it in the meantime
			_ = f.Close()
			continue
		}
		defer func() {
			err := os.Remove(lockPath)
			_ = f.Close()
			if err != nil { // Windows removes no open file
				_ = os.Remove(lockPath)
			}
		}()
		return do()
	}
}

// Try creates a lock file and locks it without waiting: release is nil if another process, or another caller,
// holds it. When a process ends, its locks are released.
func Try(path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if TryLockFile(f, true) {
		return nil, f.Close()
	}
	return func() { _ = f.Close() }, nil
}

// isAt reports whether an open file is still the file at the path.
func isAt(f *os.File, path string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(open, there)
}

// UpdateFile replaces a file by the text that change returns, while it holds the lock lockPath.
// It makes the directory of the file.
func UpdateFile(path, lockPath string, change func() ([]byte, error)) error {
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
	return WriteFileBytes(path, text)
}

// ErrChanged is the error of a file that another program has changed since it was read.
var ErrChanged = errors.New("the file has changed since it was read; try again")

// ReplaceUnchanged is like [ReplaceFile], but returns [ErrChanged] unless read still returns the content before. It
// holds the lock of [WithLock] from the comparison to the replacement.
func ReplaceUnchanged(path string, before []byte, read func() ([]byte, error), write func(f *os.File) error) error {
	return WithLock(path, func() error { return ReplaceCompared(path, before, read, write) })
}

// ReplaceCompared is like [ReplaceUnchanged] without the lock, for files of other programs.
func ReplaceCompared(path string, before []byte, read func() ([]byte, error), write func(f *os.File) error) error {
	return ReplaceFile(path, func(f *os.File) error {
		if err := write(f); err != nil {
			return err
		}
		now, err := read()
		if err == nil && !bytes.Equal(now, before) {
			err = ErrChanged
		}
		return err
	})
}
