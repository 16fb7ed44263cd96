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

// programs returns an environment whose PATH has one folder with programs.
func programs(t *testing.T, names ...string) []string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + folder}
}

// systemPrograms are one edit away from launchers.
var systemPrograms = []string{"mv", "nm", "ip", "gio", "pod2man", "cmp", "patch", "dd", "gh", "kettles", "docked"}

func TestNearestCommand_Typo(t *testing.T) {
	env := programs(t, append(systemPrograms, launchers...)...)
	for typed, want := range map[string]string{
		"nod": "node", "ndoe": "node", "nodee": "node", "pyhton3": "python3", "pythn3": "python3", "pythno": "python", "doker": "docker",
		"dokcer": "docker", "podmn": "podman", "dneo": "deno", "xnp": "npx", "nxp": "npx", "nmp": "npm", "dotnte": "dotnet",
		"crago": "cargo", "poetyr": "poetry", "gradel": "gradle", "bnu": "bun", "yran": "yarn", "pnmp": "pnpm", "compser": "composer",
		"nix": "", "code": "", "watch": "", "buf": "", "nvm": "", "tsc": "", "dd1": "", "kettle": "", "cmd": "", "uvv": "", "ov": "", "gh": "", "og": "",
		"pip": "", "pip3": "", "javac": "", "": "", "./nod": "", "nod x": "",
	} {
		if got := nearestCommand(typed, env); got != want {
			t.Errorf("%q is missing: %q is suggested, want %q", typed, got, want)
		}
	}
	if got := nearestCommand("nod", programs(t, "nodd", "no")); got != "" {
		t.Errorf("without node, %q is suggested", got)
	}
}

// A missing launcher is not a misspelled one, whatever else is on the PATH.
func TestNearestCommand_Launcher(t *testing.T) {
	for _, missing := range launchers {
		var others []string
		for _, name := range append(systemPrograms, launchers...) {
			if name != missing {
				others = append(others, name)
			}
		}
		env := programs(t, others...)
		for _, typed := range []string{missing, strings.ToUpper(missing), missing + "3.12", missing + "-9"} {
			if got := nearestCommand(typed, env); got != "" {
				t.Errorf("%s is missing: %q is suggested", typed, got)
			}
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
