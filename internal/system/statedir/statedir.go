// Package statedir says where the program keeps its files.
package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// errNoHome is why [Path] has no directory.
var errNoHome = errors.New("neither XDG_STATE_HOME nor HOME is set")

// Path returns the directory for persistent files: mcptea under the state directory
// of the XDG base directory specification. Without a home directory there is
// none: other users may have prepared any path in a shared one.
func Path() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		base = ""
	}
	if base == "" && runtime.GOOS == "windows" {
		base = os.Getenv("LOCALAPPDATA")
	}
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return "", errNoHome
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "mcptea"), nil
}
