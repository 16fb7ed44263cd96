package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const (
	// renameTimeout bounds the wait for other programs that have the file open: a file
	// cannot be replaced here while one reads it.
	renameTimeout  = 2 * time.Second
	renameInterval = 5 * time.Millisecond
)

func rename(from, to string) error {
	for deadline := time.Now().Add(renameTimeout); ; time.Sleep(renameInterval) {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(deadline) {
			return err
		}
	}
}
