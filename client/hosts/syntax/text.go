package syntax

import (
	"bytes"
	"strings"
)

// Text is the text of a file.
type Text []byte

// LineStart returns the offset of the line of an offset.
func (t Text) LineStart(at int) int { return bytes.LastIndexByte(t[:at], '\n') + 1 }

// NextLine returns the offset after the line end that follows an offset.
func (t Text) NextLine(at int) int {
	i := bytes.IndexByte(t[at:], '\n')
	if i < 0 {
		return len(t)
	}
	return at + i + 1
}

// LineEnd returns the offset of the line end that follows an offset.
func (t Text) LineEnd(at int) int {
	i := bytes.IndexByte(t[at:], '\n')
	if i < 0 {
		return len(t)
	}
	if at+i > at && t[at+i-1] == '\r' {
		i--
	}
	return at + i
}

// Indentation returns the blanks before an offset. ok is false if the line has anything else before it.
func (t Text) Indentation(at int) (indent string, ok bool) {
	before := string(t[t.LineStart(at):at])
	return before, strings.Trim(before, " \t") == ""
}
