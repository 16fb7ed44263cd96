package dialog

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/display"
)

// A completion holds the possible completions of the last word of a line.
type completion struct {
	line  string   // the line with the common prefix of all names
	names []string // names that start with the word; a folder ends with /
	more  bool     // the folder has more names than were read
}

// maxNames bounds the names of a folder that are read.
const maxNames = 20_000

// completePath completes the last word of a command line as a path. A relative path starts in dir. It puts a
// backslash before characters that a shell would interpret.
func completePath(_ context.Context, dir, line string) completion {
	from, word := lastWord(line)
	folder, prefix := filepath.Split(word)
	at := Home(folder)
	if !filepath.IsAbs(at) {
		at = filepath.Join(cmp.Or(dir, "."), at)
	}
	c := completion{line: line}
	f, err := os.Open(at)
	if err != nil {
		return c
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(maxNames)
	c.more = len(entries) == maxNames
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || prefix == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(at, name)); err == nil && info.IsDir() {
			name += "/"
		}
		c.names = append(c.names, name)
	}
	if len(c.names) == 0 {
		return c
	}
	slices.Sort(c.names)
	whole := common(c.names)
	c.line = line[:from] + escaped(folder+whole)
	if len(c.names) == 1 && !strings.HasSuffix(whole, "/") {
		c.line += " "
	}
	return c
}

// lastWord returns the last word of a line and its start. A quotation without an end stays unchanged.
func lastWord(line string) (from int, word string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == ' ' || c == '\t':
			from = i + 1
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return from, b.String()
}

// escaped returns a word with a backslash before characters that a shell would interpret.
func escaped(word string) string {
	var b strings.Builder
	for _, r := range word {
		if strings.ContainsRune(" \t'\"\\$`&;|<>()*?#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// common returns the common prefix of names.
func common(names []string) string {
	first, last := names[0], names[len(names)-1]
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return strings.ToValidUTF8(first[:n], "")
}

// says describes the remaining choices of a completion.
func (c *completion) says() string {
	const most = 12
	switch {
	case len(c.names) == 0:
		return "No file begins like this."
	case len(c.names) == 1:
		return ""
	}
	text := strings.Join(c.names[:min(len(c.names), most)], "  ")
	if left := len(c.names) - most; left > 0 {
		text += "  and " + strconv.Itoa(left) + " more"
	}
	if c.more {
		text += "; the folder has more than are looked at"
	}
	return display.Sanitize(text)
}
