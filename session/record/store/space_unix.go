//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// space is how large the file system of a file is and how much of it may still
// be written, in bytes; ok is false where that is not known.
func space(f *os.File) (free, total int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil || st.Blocks == 0 {
		return 0, 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), true //nolint:unconvert,gosec // the types differ between systems
}
