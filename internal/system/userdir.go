package system

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// errNoHome reports that [StateDir] found no directory.
var errNoHome = errors.New("neither XDG_STATE_HOME nor HOME is set")

// StateDir returns the directory for persistent files: mcptea under the state directory
// of the XDG base directory specification. Without a home directory there is
// none: other users may have prepared any path in a shared one.
func StateDir() (string, error) {
	dir := under("XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
	if dir == "" {
		return "", errNoHome
	}
	return dir, nil
}

// HomeStateDir returns the directory for persistent files of programs that are started without XDG_STATE_HOME, or ""
// if it is StateDir. Hosts pass only some variables to a server.
func HomeStateDir() string {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) || runtime.GOOS == "windows" {
		return ""
	}
	dir := filepath.Join(home, ".local", "state", "mcptea")
	if stateDir, err := StateDir(); err != nil || filepath.Clean(stateDir) == dir {
		return ""
	}
	return dir
}

// ConfigDir returns the configuration directory: mcptea in the directory of the XDG base directory
// specification, or of Windows. It returns "" if there is no home directory.
func ConfigDir() string { return under("XDG_CONFIG_HOME", "APPDATA", ".config") }

// under returns the mcptea directory below a base directory: the value of the variable xdg, if it is absolute;
// on Windows, the value of the variable windows; otherwise home in the home directory. It returns "" if there
// is none.
func under(xdg, windows, home string) string {
	base := os.Getenv(xdg)
	if !filepath.IsAbs(base) {
		base = ""
	}
	if base == "" && runtime.GOOS == "windows" {
		base = os.Getenv(windows)
	}
	if base == "" {
		dir, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(dir) {
			return ""
		}
		base = filepath.Join(dir, home)
	}
	return filepath.Join(base, "mcptea")
}
