package stderr

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// libraries lists parts of paths to code that is not the user's.
var libraries = []string{"/node_modules/", "/site-packages/", "/dist-packages/", "/lib/python", "/pkg/mod/", "/go/src/runtime/", "/rustc/", "/.cargo/registry/"}

// maxStat bounds the files whose existence is checked.
const maxStat = 20

// An Origin is the place where a server ran, whose output names files.
type Origin struct {
	// Dir is the working directory of the server. Outside of a recording, "" means the id of mcptea.
	Dir string
	// Recording is the file from which the output and Dir were read, or "" for a server that mcptea
	// has started. Others may have written it, so only files below Dir count.
	Recording string
}

// Source is a place in a file of the user.
type Source struct {
	File string // absolute, or "" without a place
	Line int
	// Ran is the folder in which the server ran according to a recording, or "" if that is the
	// folder of the recording. The user is asked before a file in it is opened.
	Ran string
}

// SourceOf returns the innermost place that the lines name, as in a stack trace or the message of a syntax
// error, if its file exists and is not part of a library.
func SourceOf(lines []string, from Origin) Source {
	frames := framesIn(lines)
	find, ran := from.started, ""
	if from.Recording != "" {
		folder, ok := realFolder(from.Dir)
		if !ok {
			return Source{}
		}
		if file, err := filepath.Abs(from.Recording); err != nil || !isFolder(filepath.Dir(file), folder) {
			ran = folder
		}
		find = func(path string) string { return below(folder, from.Dir, path) }
	}
	for _, f := range frames[:min(len(frames), maxStat)] {
		path := find(f.File)
		slashed := filepath.ToSlash(path)
		if path == "" || slices.ContainsFunc(libraries, func(part string) bool { return strings.Contains(slashed, part) }) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return Source{File: path, Line: f.Line, Ran: ran}
		}
	}
	return Source{}
}

// started returns the absolute path of a file named by a server that mcptea started, or "" if it cannot be
// determined.
func (from Origin) started(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(from.Dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return path
}

// realFolder returns the path of a folder without symbolic links; false if it is not absolute or
// does not exist. A folder of another computer (\\host\share) does not count: Windows would log in
// there.
func realFolder(dir string) (string, bool) {
	if !filepath.IsAbs(dir) || strings.HasPrefix(filepath.ToSlash(filepath.VolumeName(dir)), "//") {
		return "", false
	}
	folder, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	return folder, true
}

// isFolder reports whether a path leads to folder, which has no symbolic links.
func isFolder(path, folder string) bool {
	at, ok := realFolder(path)
	return ok && at == folder
}

// below returns the path of a file without symbolic links if it is inside a folder, both by its name and by
// where its links lead, or "". dir is the folder as recorded, folder the same without links. It does not touch
// files whose name is outside.
func below(folder, dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !isBelow(dir, path) && !isBelow(folder, path) {
		return ""
	}
	at, err := filepath.EvalSymlinks(path)
	if err != nil || !isBelow(folder, at) {
		return ""
	}
	return at
}

// isBelow reports whether a path is inside a folder, judging only by names.
func isBelow(folder, path string) bool {
	within, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(within)
}
