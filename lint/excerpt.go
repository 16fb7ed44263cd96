package lint

import (
	"bytes"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// An Excerpt is the part of a frame that a finding shows. If the frame is too long, it starts at the place of
// the finding.
type Excerpt struct {
	Dir   transport.Direction
	Bytes []byte // start of the bytes; at most MaxExcerpt
	At    int    // index of the place in Bytes, or 0 for the whole frame
	// Before and After report whether the frame has more bytes before and after Bytes.
	Before, After bool
}

// MaxExcerpt bounds an excerpt, in bytes. It is a few screens.
const MaxExcerpt = 4 << 10

// ExcerptOf returns the excerpt of a frame around a place. The place is the offset if that is not
// negative and the pointer is empty, otherwise the JSON pointer. The bytes are a copy.
func ExcerptOf(frame []byte, pointer string, offset int) Excerpt {
	var e Excerpt
	if pointer != "" {
		at, _ := jsonrpc.Locate(frame, pointer) // for a missing member, the value that should contain it
		e.At = at.Start
	} else if offset > 0 {
		e.At = min(offset, len(frame))
	}
	if len(frame) <= MaxExcerpt {
		e.Bytes = bytes.Clone(frame)
		return e
	}
	from := runeStart(frame, min(e.At, len(frame)-1))
	to := runeStart(frame, min(from+MaxExcerpt, len(frame)))
	e.Bytes, e.At, e.Before, e.After = bytes.Clone(frame[from:to]), 0, from > 0, to < len(frame)
	return e
}

// Text returns at most most bytes of the excerpt. Marks show where it is cut.
func (e Excerpt) Text(most int) string {
	b, before, after := e.Bytes, e.Before, e.After
	if len(b) > most {
		from := runeStart(b, max(0, min(e.At, len(b)-most)))
		to := runeStart(b, min(from+most, len(b)))
		b, before, after = b[from:to], before || from > 0, after || to < len(b)
	}
	text := string(bytes.TrimSpace(b))
	if before {
		text = "…" + text
	}
	if after {
		text += "…"
	}
	return text
}

// runeStart returns the start of the character at an offset. A cut there leaves characters whole.
func runeStart(text []byte, at int) int {
	for n := 0; at > 0 && at < len(text) && !utf8.RuneStart(text[at]) && n < utf8.UTFMax; n++ {
		at--
	}
	return at
}

// Excerpts adds an excerpt of the frame to each finding, around the place of the finding. redact is
// applied to the frame before the excerpt is cut, once for all findings in the frame. It may return
// its argument.
func Excerpts(redact func(frame []byte) []byte) Option {
	return func(e *Engine) { e.excerpts = redact }
}

// excerpt returns the excerpt for a finding in the current event. It returns nil if the finding is
// about another event, or if the event has no bytes.
func (c *Context) excerpt(row int32, at Place) *Excerpt {
	e := c.engine
	dir, frame := transport.In, c.Body
	if c.F != nil {
		dir, frame = c.F.Dir, c.F.Bytes
	}
	if e.excerpts == nil || len(frame) == 0 || row != c.row() {
		return nil
	}
	if e.redacted == nil {
		e.redacted = e.excerpts(frame)
	}
	excerpt := ExcerptOf(e.redacted, at.path, at.offset)
	excerpt.Dir = dir
	return &excerpt
}
