package stdio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		{"tool.bat", "windows", "tool"},
		{"old.com", "windows", "old"},
		{"python3.12", "windows", "python3.12"},
		{"node.exe", "linux", "node.exe"},
	} {
		if got := commandName(c.file, c.system); got != c.want {
			t.Errorf("commandName(%q, %q) = %q, want %q", c.file, c.system, got, c.want)
		}
	}
}

// A missing command is compared with those on the PATH: the nearest one is meant, but for the commands that
// start most servers, which are meant rather than any other.
func TestNearestCommand(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"kattlez", "kettlez", "nodd", "node", "abc", "acbd", "xyz", "tokens"} {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "kettleB"), nil, 0o600); err != nil { // no program
		t.Fatal(err)
	}
	env := []string{"PATH=" + folder}
	for command, want := range map[string]string{
		"kettles": "kettlez", "kattles": "kattlez", "kxttlxs": "", "kettleA": "kettlez",
		"nod": "node", "noddy": "nodd", "nodf": "node", "ndoe": "node", "acb": "acbd", "xzy": "xyz", "adb": "", "axx": "", "tokexx": "tokens", "tokexxx": "", "": "", "./nod": "",
	} {
		if got := nearestCommand(command, env); got != want {
			t.Errorf("%q is missing: %q is suggested, want %q", command, got, want)
		}
	}
}

// The command that starts most servers of a language is meant where another one is as near.
func TestNearestCommand_CommonCommands(t *testing.T) {
	for _, name := range []string{"node", "npx", "npm", "python", "python3", "uv", "uvx", "docker", "podman", "deno", "bun", "bunx", "go", "java", "dotnet", "ruby", "pipx", "php"} {
		folder, typed := t.TempDir(), name+"0"
		for _, file := range []string{name[:len(name)-1] + "0", name} { // each is one edit away
			if runtime.GOOS == "windows" {
				file += ".exe"
			}
			if err := os.WriteFile(filepath.Join(folder, file), nil, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got := nearestCommand(typed, []string{"PATH=" + folder}); got != name {
			t.Errorf("%s is missing: %q is suggested, want %q", typed, got, name)
		}
	}
}

// A command with a slash is relative to the directory of the server, one without is looked for in the
// absolute folders of its PATH alone.
func TestResolve_Places(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	name := "server"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, folder := range []string{dir, other} {
		if err := os.MkdirAll(filepath.Join(folder, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "bin", name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(other)
	path := func(folders ...string) []string {
		return []string{"PATH=" + strings.Join(folders, string(os.PathListSeparator))}
	}
	in, elsewhere := filepath.Join(dir, "bin", name), filepath.Join(other, "bin", name)
	for _, c := range []struct {
		command string
		env     []string
		dir     string
		want    string // empty if it is not found
	}{
		{"bin/" + name, nil, dir, in},
		{"bin/" + name, nil, "", elsewhere},
		{elsewhere, nil, dir, elsewhere},
		{name, path(filepath.Join(dir, "bin")), "", in},
		{name, path("bin", filepath.Join(dir, "bin")), other, in},
		{name, path("bin"), other, ""},
	} {
		got, err := lookPath(c.command, c.env, c.dir)
		if got, _ := filepath.EvalSymlinks(got); c.want == "" && err == nil || c.want != "" && got != resolved(t, c.want) {
			t.Errorf("%s with %q in %s is %s, %v", c.command, c.env, c.dir, got, err)
		}
	}
}

func resolved(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
