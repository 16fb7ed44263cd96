//go:build unix

package system

import (
	"fmt"
	"os"
	"syscall"
)

// CheckOwner reports an error for a file or a directory that other users can write, or have
// made.
func CheckOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("%s is writable by every user (mode %#o)", path, info.Mode().Perm())
	}
	me := os.Geteuid()
	if st, ok := info.Sys().(*syscall.Stat_t); ok && me != 0 && st.Uid != 0 && int(st.Uid) != me {
		return fmt.Errorf("%s belongs to another user (uid %d)", path, st.Uid)
	}
	return nil
}
