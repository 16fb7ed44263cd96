//go:build unix

package session

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner reports an error for a directory that other users can write, or have
// made.
func checkOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("%s is writable by every user (mode %#o)", dir, info.Mode().Perm())
	}
	me := os.Geteuid()
	if st, ok := info.Sys().(*syscall.Stat_t); ok && me != 0 && st.Uid != 0 && int(st.Uid) != me {
		return fmt.Errorf("%s belongs to another user (uid %d)", dir, st.Uid)
	}
	return nil
}
