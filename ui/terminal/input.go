// Package terminal handles the terminal except for painting: it reads its input, lends it to the user's editor,
// and draws pictures with its graphics: Kitty's protocol with Unicode placeholders, iTerm2's inline images, or
// sixel.
//
// A screen of cells has no pixels, and rewrites the cells that have changed. So each picture has cells that
// differ from all others. With Kitty, they are the placeholders in which the terminal draws the picture. With
// iTerm2 and sixel, they are blanks in a color that identifies the picture and its row; [PictureOutput] finds
// them when the screen is written, and writes the pixels of these rows after them.
//
// When a picture is shown for the first time, the terminal is asked for its capabilities.
//
// Tests: ui/parts/graphics_test.go, ui/inspector/graphics_test.go
package terminal

import (
	"bytes"
	"os"

	"github.com/charmbracelet/x/term"
)

// The sequences around pasted text (bracketed paste).
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// A pasteInput removes control sequences from pasted text in a terminal's input. Bubble Tea decodes pasted text
// like keys: a string sequence (OSC, DCS, APC, PM, SOS) that does not end within the paste would swallow the
// end of the paste and every key after it. No text field keeps these bytes, so nothing is lost.
type pasteInput struct {
	term.File
	pasting bool
	matched int    // outside of a paste: bytes of pasteStart seen so far
	rest    int    // in a paste: missing bytes of the current UTF-8 sequence
	held    []byte // in a paste: bytes that may be the start of pasteEnd
}

// newInput returns the input of a terminal without the control sequences in pasted text.
func newInput(f *os.File) term.File { return &pasteInput{File: f} }

// Name returns the name of the file. Bubble Tea can only cancel reading an input that has a name; otherwise it
// loses the first key after an editor or another program.
func (in *pasteInput) Name() string {
	if f, ok := in.File.(interface{ Name() string }); ok {
		return f.Name()
	}
	return ""
}

// Read reads the input of the terminal. It returns 0 bytes and no error if everything that was read is held
// back or left out.
func (in *pasteInput) Read(p []byte) (int, error) {
	n := copy(p, in.held)
	in.held = in.held[:0]
	more, err := in.File.Read(p[n:])
	out := p[:0]
	for i := 0; i < n+more; i++ {
		c := p[i]
		switch {
		case !in.pasting:
			in.follow(c)
			out = append(out, c)
		case c == pasteEnd[0]:
			left := p[i : n+more]
			if len(left) < len(pasteEnd) && bytes.HasPrefix([]byte(pasteEnd), left) && err == nil {
				in.held = append(in.held, left...)
				return len(out), nil
			}
			in.rest = 0
			if bytes.HasPrefix(left, []byte(pasteEnd)) {
				in.pasting = false
				out = append(out, pasteEnd...)
				i += len(pasteEnd) - 1
			}
		case in.isText(c):
			out = append(out, c)
		}
	}
	return len(out), err
}

// follow detects the start of a paste, which may arrive in several reads.
func (in *pasteInput) follow(c byte) {
	switch c {
	case pasteStart[in.matched]:
		in.matched++
	case pasteStart[0]:
		in.matched = 1
	default:
		in.matched = 0
	}
	if in.matched == len(pasteStart) {
		in.pasting, in.matched, in.rest = true, 0, 0
	}
}

// isText reports whether a byte is part of the text. A byte from 0x80 to 0x9f
// outside of a UTF-8 sequence is a C1 control.
func (in *pasteInput) isText(c byte) bool {
	switch {
	case c < 0x80:
		in.rest = 0
	case c < 0xc0:
		if in.rest == 0 {
			return false
		}
		in.rest--
	case c >= 0xf0:
		in.rest = 3
	case c >= 0xe0:
		in.rest = 2
	default:
		in.rest = 1
	}
	return true
}
