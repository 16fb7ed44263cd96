package stderr

import (
	"slices"
	"strconv"

	"mcptea/internal/lazyregexp"
)

// frame is a place in a source file.
type frame struct {
	File string // path as written; may be relative to the server's working directory
	Line int    // 1-based
}

var (
	pythonFrame = lazyregexp.New(`^\s*File "([^"]+)", line (\d+)`)
	otherFrame  = lazyregexp.New(`(?:file://)?((?:[A-Za-z]:)?[\w@.+~/\\-]*\w\.(?:go|[cm]?[jt]sx?|rs|rb|php|java|kt|cs|swift|exs?|lua|c|cc|cpp|zig)):(\d+)\b`)
)

// framesIn returns the places that a stack trace names, the innermost first.
func framesIn(lines []string) []frame {
	var frames, python []frame
	for _, l := range lines[max(0, len(lines)-maxLines):] {
		l = l[:min(len(l), maxLine)]
		if m := pythonFrame().FindStringSubmatch(l); m != nil {
			python = appendFrame(python, m)
		} else if m := otherFrame().FindStringSubmatch(l); m != nil {
			frames = appendFrame(frames, m)
		}
	}
	slices.Reverse(python) // Python writes the innermost one last
	return append(python, frames...)
}

func appendFrame(frames []frame, match []string) []frame {
	line, err := strconv.Atoi(match[2])
	if err != nil || line < 1 {
		return frames
	}
	return append(frames, frame{match[1], line})
}

// FilesIn returns the files of the frames that a stack trace names, as written, the innermost first.
func FilesIn(lines []string) (files []string) {
	for _, f := range framesIn(lines) {
		files = append(files, f.File)
	}
	return files
}
