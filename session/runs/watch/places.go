package watch

import (
	"strconv"
	"strings"

	"mcptea/internal/lazyregexp"
)

// A Place is a source position in the output of a build.
type Place struct {
	File string // path as printed; may be relative
	Line int    // 1-based
	Text string // message; may be empty
	Row  int    // 0-based line of the output
}

var (
	// Go, C, ESLint: main.go:12:3: undefined: x
	colons = lazyregexp.New(`^\s*((?:[A-Za-z]:)?[^\s:()]*[\w)]\.\w+):(\d+)(?::\d+)?(?::|\s+-|\s|$)\s*(.*)$`)
	// tsc: src/a.ts(3,5): error TS2304: Cannot find name
	parentheses = lazyregexp.New(`^\s*(\S+\.\w+)\((\d+),\d+\):\s*(.*)$`)
	// rustc:  --> src/main.rs:3:5
	arrow = lazyregexp.New(`^\s*-->\s+(\S+):(\d+):\d+\s*$`)
	// Python: File "server.py", line 3
	python = lazyregexp.New(`^\s*File "([^"]+)", line (\d+)`)
	// ANSI color sequences
	colored = lazyregexp.New("\x1b\\[[0-9;]*m")
)

const (
	maxPlaces = 1000
	maxLine   = 4 << 10 // bytes of a line that are parsed
)

// placesIn returns the source positions in the output of a build, in order.
func placesIn(output []byte) []Place {
	var found []Place
	before := "" // previous line: rustc prints the message before the position
	row := -1
	for line := range strings.Lines(string(output)) {
		row++
		line = strings.TrimRight(line[:min(len(line), maxLine)], "\r\n")
		if strings.Contains(line, "\x1b[") {
			line = colored().ReplaceAllString(line, "")
		}
		p, ok := placeIn(line, before)
		before = strings.TrimSpace(line)
		if ok && len(found) < maxPlaces {
			p.Row = row
			found = append(found, p)
		}
	}
	return found
}

func placeIn(line, before string) (Place, bool) {
	var m []string
	text := ""
	switch {
	case strings.Contains(line, "-->"):
		m, text = arrow().FindStringSubmatch(line), before
	case strings.HasPrefix(strings.TrimSpace(line), "File "):
		m = python().FindStringSubmatch(line)
	default:
		if m = parentheses().FindStringSubmatch(line); m == nil {
			m = colons().FindStringSubmatch(line)
		}
		if m != nil {
			text = m[3]
		}
	}
	if m == nil {
		return Place{}, false
	}
	n, err := strconv.Atoi(m[2])
	if err != nil || n < 1 {
		return Place{}, false
	}
	return Place{File: m[1], Line: n, Text: text}, true
}
