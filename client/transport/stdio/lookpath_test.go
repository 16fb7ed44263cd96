package stdio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The explanation of a program that cannot be found does not depend on the system.
func TestResolve_Missing(t *testing.T) {
	for _, c := range []struct{ command, dir, want string }{
		{"./does-not-exist", "", `cannot start "./does-not-exist": no such file or directory`},
		{"mcptea-no-such-command", "", `cannot start "mcptea-no-such-command": executable file not found in $PATH`},
		{"mcptea", "/no/such/dir", "cannot use the working directory /no/such/dir: no such file or directory"},
	} {
		_, err := Resolve(c.command, os.Environ(), c.dir)
		var failed *StartError
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.command, err)
		}
	}
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "server")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{file: syscall.ENOEXEC, dir: syscall.EISDIR, file + "-2": os.ErrNotExist} {
		if got := missing(path, exec.ErrNotFound); !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if got := missing(file, os.ErrPermission); got != os.ErrPermission {
		t.Errorf("another error becomes %v", got)
	}
}

func TestCommandName(t *testing.T) {
	for _, c := range []struct{ file, system, want string }{
		{"node.exe", "windows", "node"},
		{"npx.CMD", "windows", "npx"},
		{"python3.12", "windows", "python3.12"},
		{"node.exe", "linux", "node.exe"},
	} {
		if got := commandName(c.file, c.system); got != c.want {
			t.Errorf("commandName(%q, %q) = %q, want %q", c.file, c.system, got, c.want)
		}
	}
}
