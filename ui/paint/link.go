package paint

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// linkEnd ends a link.
const linkEnd = "\x1b]8;;\x07"

// linkOf returns the target of a sequence that starts a link (OSC 8), or "" if the sequence ends a
// link. ok is false for other sequences.
func linkOf(sequence string) (target string, ok bool) {
	rest, ok := strings.CutPrefix(sequence, "\x1b]8;")
	if !ok {
		return "", false
	}
	_, target, _ = strings.Cut(rest, ";")
	return strings.TrimRight(target, "\a\x1b\\"), true
}

// Link is like Put, but links the text to an address, which a terminal opens on a click. The
// address must come from the program itself, never from a peer, because the text could hide the
// target. Link omits an address that a terminal could misread.
func (r *Row) Link(st Style, address, text string) {
	if !isAddress(address) || r.Left() <= 0 || text == "" {
		r.Put(st, text)
		return
	}
	r.buf = append(r.buf, ansi.SetHyperlink(address)...)
	r.Put(st, text)
	r.buf = append(r.buf, linkEnd...)
}

// isAddress reports whether a text can be the target of a link. It must be printable ASCII, and not
// longer than terminals accept.
func isAddress(address string) bool {
	const most = 2083 // limit of VTE
	return address != "" && len(address) <= most && display.CleanASCII(address) && strings.IndexByte(address, ' ') < 0
}

// fileHost returns the name of this computer for file addresses. With it, a terminal on another
// computer, over ssh, does not open one of its own files.
var fileHost = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
})

// FileAddress returns the URL of a file on this computer. Like ls and gcc, it includes the host. It
// returns "" if the path is not absolute.
func FileAddress(path string) string {
	if !filepath.IsAbs(path) || strings.HasPrefix(filepath.ToSlash(path), "//") {
		return ""
	}
	at := filepath.ToSlash(path)
	if at[0] != '/' { // path with a Windows volume
		at = "/" + at
	}
	return (&url.URL{Scheme: "file", Host: fileHost(), Path: at}).String()
}

// LinkPlace is like Put, but turns a place in a file into a link. The text names the place by the
// path, or the end of the path, and the line number; these words become the link. file must be
// absolute, and the program itself must have found it.
func (r *Row) LinkPlace(st Style, text, file string, line int) {
	start, end := placeIn(text, file, line)
	r.Put(st, text[:start])
	if end > start {
		r.Link(st, FileAddress(file), text[start:end])
	}
	r.Put(st, text[end:])
}

// Linked returns a safe text as a link to an address, for a stream that is a terminal; see
// [Row.Link].
func Linked(text, address string) string {
	if !isAddress(address) || text == "" {
		return text
	}
	return ansi.SetHyperlink(address) + text + linkEnd
}

// LinkedPlace returns a safe text in which a place in a file is a link, for a stream that is a
// terminal; see [Row.LinkPlace].
func LinkedPlace(text, file string, line int) string {
	start, end := placeIn(text, file, line)
	return text[:start] + Linked(text[start:end], FileAddress(file)) + text[end:]
}

// PlaceOf returns the place in the user's file that an error names: the absolute path and the line.
// file is "" if the error names no line.
func PlaceOf(err error) (file string, line int) {
	var at interface {
		error
		Place() (path string, line int)
	}
	if !errors.As(err, &at) {
		return "", 0
	}
	path, line := at.Place()
	if file, err = filepath.Abs(path); err != nil || path == "" || line < 1 {
		return "", 0
	}
	return file, line
}

// placeIn returns the range of a text that names a line of a file, in the style of compilers and
// stack traces.
func placeIn(text, file string, line int) (start, end int) {
	if file == "" || line < 1 {
		return 0, 0
	}
	name, number := filepath.Base(file), strconv.Itoa(line)
	for from := 0; from < len(text); {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		at := from + i
		from = at + len(name)
		begin := 1 + strings.LastIndexAny(text[:at], " \t\"'`([<")
		if written := filepath.ToSlash(text[begin:from]); !strings.HasSuffix("/"+strings.TrimPrefix(filepath.ToSlash(file), "/"), "/"+strings.TrimPrefix(written, "/")) {
			continue
		}
		for _, sign := range []string{":", `", line `, "', line ", ", line ", "("} {
			rest, ok := strings.CutPrefix(text[from:], sign+number)
			if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') {
				return begin, from + len(sign+number)
			}
		}
	}
	return 0, 0
}
