package phrase

import (
	"os"
	"strings"
)

// ShortPath returns a path with ~ for the home directory that it is in; home may be empty.
func ShortPath(home, path string) string {
	rest, ok := strings.CutPrefix(path, home)
	if !ok || home == "" || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return "~" + rest
}
