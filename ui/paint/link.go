package paint

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// linkEnd ends a link.
const linkEnd = "\x1b]8;;\x07"

// linkOf is the target of a sequence that begins a link (OSC 8), or "" for one that ends it; ok is false for
// another sequence.
func linkOf(sequence string) (target string, ok bool) {
	rest, ok := strings.CutPrefix(sequence, "\x1b]8;")
	if !ok {
		return "", false
	}
	_, target, _ = strings.Cut(rest, ";")
	return strings.TrimRight(target, "\a\x1b\\"), true
}

// Link is Put of a text that leads to an address: a terminal opens it when the user clicks on it. The
// address is one of the program, never of a peer: a text that is another one than its address could hide where
// it leads. An address that a terminal could read as something else is not written.
func (r *Row) Link(st Style, address, text string) {
	if !isAddress(address) || r.Left() <= 0 || text == "" {
		r.Put(st, text)
		return
	}
	r.buf = append(r.buf, ansi.SetHyperlink(address)...)
	r.Put(st, text)
	r.buf = append(r.buf, linkEnd...)
}

// isAddress reports whether a text can be the target of a link: printable ASCII of a length that terminals
// take.
func isAddress(address string) bool {
	const most = 2083 // VTE
	return address != "" && len(address) <= most && display.CleanASCII(address) && strings.IndexByte(address, ' ') < 0
}
