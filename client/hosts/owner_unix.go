//go:build unix

package hosts

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner and the group of a file to the owner and the group of another file.
func keepOwner(f *os.File, info fs.FileInfo) error {
	want, ok := info.Sys().(*syscall.Stat_t)
	now, err := f.Stat()
	if !ok || err != nil {
		return err
	}
	// A new file has the group of its directory on BSD, on macOS, and in directories with the setgid bit.
	if is, ok := now.Sys().(*syscall.Stat_t); ok && is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
