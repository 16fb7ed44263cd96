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

// completion is what the last word of a line can become.
type completion struct {
	line  string   // with what all names have in common
	names []string // that begin like the word; a folder ends with /
	more  bool     // the folder has more names than are read
}

// maxNames is how many names of a folder are read.
const maxNames = 20_000

// completePath completes the last word of a command line as a path. A relative one begins in a folder. What a
// shell would read in a name is behind a backslash.
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

// lastWord is the last word of a line, and where it begins. A quotation is left as it is: it has no end yet.
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

// escaped is a word with a backslash before what a shell reads.
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

// common is what all names begin with.
func common(names []string) string {
	first, last := names[0], names[len(names)-1]
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return strings.ToValidUTF8(first[:n], "")
}

// says is what a completion says where it leaves a choice.
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
