//go:build unix

package hosts

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file that replaces another one has its group, also in a directory that passes on a group of its own.
func TestKeepOwner_GroupOfTheDirectory(t *testing.T) {
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	other := os.Getegid()
	for _, g := range groups {
		if g != other {
			other = g
		}
	}
	if os.Geteuid() == 0 {
		other = os.Getegid() + 4711 // root may choose any
	}
	dir := t.TempDir()
	old, err := os.Create(filepath.Join(dir, "old"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	if err := os.Chown(dir, -1, other); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	want, err := old.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := keepOwner(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if g, w := got.Sys().(*syscall.Stat_t).Gid, want.Sys().(*syscall.Stat_t).Gid; g != w {
		t.Errorf("the group is %d, want %d", g, w)
	}
}
