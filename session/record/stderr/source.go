package stderr

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries are parts of paths to code that is not the user's.
var libraries = []string{"/node_modules/", "/site-packages/", "/dist-packages/", "/lib/python", "/pkg/mod/", "/go/src/runtime/", "/rustc/", "/.cargo/registry/"}

// maxStat bounds the files that are looked for.
const maxStat = 20

// Source finds the innermost place that lines name, as in a stack trace or the message
// of a syntax error, in a file that exists and is not part of a library. dir is the
// working directory of the server. The file is empty without such a place.
func Source(lines []string, dir string) (file string, line int) {
	frames := framesIn(lines)
	for _, f := range frames[:min(len(frames), maxStat)] {
		path := f.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		slashed := filepath.ToSlash(path)
		if slices.ContainsFunc(libraries, func(part string) bool { return strings.Contains(slashed, part) }) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, f.Line
		}
	}
	return "", 0
}
