package lint

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// IsPlainText reports whether a line is not meant as a message. A line that begins like JSON is
// meant as one, unless it begins with a time or a level in brackets, like a line of a log.
func (c *Context) IsPlainText() bool {
	e := c.F.Envelope
	if e.Kind != jsonrpc.Invalid || e.Fault != jsonrpc.FaultNotJSON && e.Fault != jsonrpc.FaultTrailingBytes ||
		c.St.Link != Stdio || c.F.Part || c.IsLSPHeader() {
		return false
	}
	b := trimLine(c.F.Bytes)
	switch {
	case len(b) == 0 || b[0] == '{':
		return false
	case b[0] == '[':
		inner := bytes.TrimLeft(b[1:], " \t")
		return len(inner) > 0 && e.Fault == jsonrpc.FaultNotJSON && strings.IndexByte(`{["]`, inner[0]) < 0
	}
	return true
}

// trimLine returns the line without a byte order mark and leading space.
func trimLine(line []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(line, []byte(bom)), " \t")
}

// IsLSPHeader reports whether the frame is a header of the Language Server Protocol, on its own line or after a
// message.
func (c *Context) IsLSPHeader() bool {
	e := c.F.Envelope
	switch {
	case c.St.Link != Stdio || e.Kind != jsonrpc.Invalid:
		return false
	case e.Fault == jsonrpc.FaultTrailingBytes:
		return isContentLength(c.F.Bytes[min(e.At, len(c.F.Bytes)):])
	}
	return isContentLength(trimLine(c.F.Bytes))
}

func isContentLength(b []byte) bool {
	const name = "content-length:"
	if len(b) < len(name) || !strings.EqualFold(string(b[:len(name)]), name) {
		return false
	}
	number := bytes.TrimSpace(b[len(name):])
	return len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}

// A multiline collects a JSON value that one side writes over several lines. It scans each byte
// once.
type multiline struct {
	text  []byte // lines of the value so far, or nil if there is no value
	lines int
	depth int // depth of brackets
	// begun is the first line of the value if that line is a single bracket. It is nil for other
	// values, which are reported immediately.
	begun *Unfinished
}

// An Unfinished is the first line of a multi-line value that has not ended. The line has only the
// opening bracket.
type Unfinished struct {
	Row     int32
	Dir     transport.Direction
	At      int // offset of the byte that ends the line
	Bracket string
}

// maxMultiline bounds the bytes that are kept of a multi-line value.
const maxMultiline = 1 << 20

// addFrame adds the next line. It marks the line if the line belongs to the value. It also marks a
// line that shows that the previous value has no end.
func (s *multiline) addFrame(f *Frame, link Link) {
	if f.Envelope.Kind != jsonrpc.Invalid || link != Stdio {
		f.Unfinished = s.begun
		s.reset()
		return
	}
	if s.lines > 0 && s.add(f.Bytes) {
		f.Part = true
		if s.depth == 0 {
			if e := jsonrpc.Scan(s.text); isCompleteJSON(e) {
				f.Lines = s.lines
			} else {
				f.Unfinished = s.begun
			}
			s.reset()
		}
		return
	}
	f.Unfinished = s.begun
	s.reset()
	first := bytes.TrimLeft(f.Bytes, " \t")
	if f.Envelope.Fault != jsonrpc.FaultNotJSON || first[0] != '{' && first[0] != '[' {
		return
	}
	if !s.add(f.Bytes) || s.depth == 0 {
		s.reset()
	} else if first = bytes.TrimSpace(first); len(first) == 1 {
		s.begun, f.Begins = &Unfinished{f.Row, f.Dir, f.Envelope.At, string(first)}, true
	}
}

// Unfinished returns the multi-line values that have not ended.
func (st *State) Unfinished() []*Unfinished {
	var list []*Unfinished
	for i := range st.multiline {
		if begun := st.multiline[i].begun; begun != nil {
			list = append(list, begun)
		}
	}
	return list
}

// isCompleteJSON reports whether the frame is JSON, even if it is not a message.
func isCompleteJSON(e jsonrpc.Envelope) bool {
	return e.Kind != jsonrpc.Invalid || e.Fault == jsonrpc.FaultMethodType || e.Fault == jsonrpc.FaultNoMember || e.Fault == jsonrpc.FaultBothMembers
}

// reset drops the value.
func (s *multiline) reset() {
	if s.lines > 0 || s.depth != 0 {
		*s = multiline{}
	}
}

// add adds a line. It returns false if the line cannot be part of a value: it has words that are
// not JSON, closes more brackets than were opened, or ends within a string.
func (s *multiline) add(line []byte) bool {
	if len(s.text)+len(line) > maxMultiline {
		return false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			end, isClosed := jsonrpc.StringEnd(line, i)
			if !isClosed {
				return false
			}
			i = end - 1
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			if s.depth--; s.depth < 0 {
				return false
			}
		case c >= '0' && c <= '9', bytes.IndexByte([]byte(" \t\r,:-+.eE"), c) >= 0:
		default:
			n := literal(line[i:])
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	s.text = append(append(s.text, line...), '\n')
	s.lines++
	return true
}

// literal returns the length of the JSON literal at the start of b.
func literal(b []byte) int {
	for _, word := range []string{"true", "false", "null"} {
		if len(b) >= len(word) && string(b[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}
