package stderr

import (
	"slices"
	"strconv"

	"mcptea/internal/lazyregexp"
)

// Frame is a place in a source file.
type Frame struct {
	File string // as written: it may be relative to the working directory of the server
	Line int    // from 1
}

var (
	pythonFrame = lazyregexp.New(`^\s*File "([^"]+)", line (\d+)`)
	otherFrame  = lazyregexp.New(`(?:file://)?((?:[A-Za-z]:)?[\w@.+~/\\-]*\w\.(?:go|[cm]?[jt]sx?|rs|rb|php|java|kt|cs|swift|exs?|lua|c|cc|cpp|zig)):(\d+)\b`)
)

// Frames returns the places that a stack trace names, the innermost first.
func Frames(lines []string) []Frame {
	var frames, python []Frame
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

func appendFrame(frames []Frame, match []string) []Frame {
	line, err := strconv.Atoi(match[2])
	if err != nil || line < 1 {
		return frames
	}
	return append(frames, Frame{match[1], line})
}
