package hosts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"mcptea/internal/system"
)

// errRemoved is the error for a file that no longer exists.
var errRemoved = errors.New("the file has been removed since it was read")

// sum returns the SHA-256 of the content of a file.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// replaceFile replaces the content of a file, if the file still has the expected content.
func replaceFile(path string, before, after []byte) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	read := func() ([]byte, error) {
		now, _, err := system.ReadRegular(path, maxFileBytes)
		return now, err
	}
	return system.ReplaceCompared(path, before, read, func(f *os.File) error {
		_, err := f.Write(after)
		return errors.Join(err, os.Chmod(f.Name(), info.Mode().Perm()), keepOwner(f, info), f.Sync())
	})
}

const (
	lockTimeout  = 3 * time.Second
	lockInterval = 50 * time.Millisecond
	// lockStale is the age of the lock of a program that has ended.
	lockStale = 10 * time.Second
)

// lockFile locks a file with a directory next to it, path.lock, which a program touches while it holds the
// lock, like the npm package proper-lockfile.
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
