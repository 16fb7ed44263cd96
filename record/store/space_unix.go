//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// space returns the free and the total bytes of a file's file system. ok is false if they are unknown.
func space(f *os.File) (free, total int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil || st.Blocks == 0 {
		return 0, 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), true //nolint:unconvert,gosec // the types differ between systems
}
