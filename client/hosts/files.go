package hosts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"mcptea/internal/system"
)

// ErrChanged is the error for a file that has changed since it was read.
var ErrChanged = errors.New("the file has changed since it was read")

// errRemoved is the error for a file that is not there any more.
var errRemoved = errors.New("the file has been removed since it was read")

// readFile reads a regular file of at most limit bytes. It never waits: a pipe or a device
// is an error.
func readFile(path string, limit int64) ([]byte, fs.FileMode, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, err
	case info.IsDir():
		return nil, 0, syscall.EISDIR
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("not a regular file")
	case info.Size() > limit:
		return nil, 0, fmt.Errorf("the file has %d bytes, more than the maximum of %d", info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("the file has more than %d bytes", limit)
	}
	return data, info.Mode(), err
}

// sum is the SHA-256 of the content of a file.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// replaceFile replaces the content of a file, if it is the one that is expected.
func replaceFile(path string, before, after []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return system.ReplaceFile(path, func(f *os.File) error {
		_, err := f.Write(after)
		if err = errors.Join(err, os.Chmod(f.Name(), info.Mode().Perm()), keepOwner(f, info), f.Sync()); err != nil {
			return err
		}
		now, _, err := readFile(path, maxFileBytes)
		if err == nil && !bytes.Equal(now, before) {
			err = ErrChanged
		}
		return err
	})
}

const (
	lockTimeout  = 3 * time.Second
	lockInterval = 50 * time.Millisecond
	// lockStale is the age of the lock of a program that has ended.
	lockStale = 10 * time.Second
)

// lockFile locks a file with a directory beside it, path.lock, which a program touches while
// it has the lock, as the npm package proper-lockfile does.
func lockFile(path string) (unlock func(), err error) {
	dir := path + ".lock"
	for deadline := time.Now().Add(lockTimeout); ; time.Sleep(lockInterval) {
		if err = os.Mkdir(dir, 0o700); err == nil {
			return func() { _ = os.Remove(dir) }, nil
		}
		if info, statErr := os.Stat(dir); statErr == nil && time.Since(info.ModTime()) > lockStale {
			_ = os.Remove(dir)
			continue
		}
		if !os.IsExist(err) || time.Now().After(deadline) {
			return nil, fmt.Errorf("cannot lock the file: %w", err)
		}
	}
}
