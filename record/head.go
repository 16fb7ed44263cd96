package record

import (
	"bytes"
	"math"
	"time"

	"mcptea/client/transport"
)

// head parses the line of a frame by position. It accepts only lines in the form of [AppendFrame]:
// the same members in the same order and spelling, with simple values and a verbatim payload. For
// other lines it returns false and leaves the event undefined; [Decoder.Decode] parses those by the
// grammar.
func (e *Event) head(line []byte) bool {
	h := headReader{line: line}
	if !h.skip(`{"s":`) {
		return false
	}
	e.Seq = h.number(math.MaxInt64)
	if !h.skip(`,"t":`) {
		return false
	}
	e.Time = time.Unix(0, h.number(maxTime))
	switch {
	case h.skip(`,"k":"in"`):
		e.Frame.Dir = transport.In
	case !h.skip(`,"k":"out"`):
		return false
	}
	e.Kind, e.Frame.Time, e.Frame.Ending = KindFrame, e.Time, "\n"
	for !h.failed {
		switch {
		case h.skip(`,"id":`):
			if h.peek() == '"' {
				h.text()
			} else {
				h.skip("-")
				h.number(math.MaxInt64)
			}
		case h.skip(`,"m":`):
			h.text()
		case h.skip(`,"e":`):
			h.skip("-")
			h.number(math.MaxInt64)
		case h.skip(`,"c":`):
			e.Conn, e.Beside = uint16(h.number(math.MaxUint16)), true
		case h.skip(`,"x":`):
			e.Frame.Exchange = uint32(h.number(math.MaxUint32))
		case h.skip(`,"ev":`):
			e.Frame.EventID = string(h.text())
		case h.skip(`,"en":`):
			e.Frame.EventName = string(h.text())
		case h.skip(`,"nl":`):
			e.Frame.Ending = string(h.text())
		case h.skip(`,"of":`):
			e.Frame.Cause = transport.RefTo(int32(h.number(math.MaxInt32))-1, 0)
		default:
			h.skipOr(`,"n":`)
			size := h.number(maxSize)
			h.skipOr(`,"msg":`)
			end := len(line) - 1
			if h.failed || int64(end-h.at) != size || line[end] != '}' {
				return false
			}
			e.Frame.Bytes, e.Payload = line[h.at:end], Payload{Offset: h.at, stored: end - h.at}
			return true
		}
	}
	return false
}

// A headReader reads the values of a line at fixed positions.
type headReader struct {
	line   []byte
	at     int
	failed bool // the line has another form
}

func (h *headReader) peek() byte {
	if h.at < len(h.line) {
		return h.line[h.at]
	}
	return 0
}

// skip skips a text if the text is next.
func (h *headReader) skip(text string) bool {
	if len(h.line)-h.at < len(text) || string(h.line[h.at:h.at+len(text)]) != text {
		return false
	}
	h.at += len(text)
	return true
}

func (h *headReader) skipOr(text string) {
	if !h.skip(text) {
		h.failed = true
	}
}

// number returns an integer of at most 18 digits, which is clamped.
func (h *headReader) number(most int64) int64 {
	n, from := int64(0), h.at
	for h.at < len(h.line) && h.line[h.at]-'0' <= 9 {
		n = n*10 + int64(h.line[h.at]-'0')
		h.at++
	}
	if digits := h.at - from; digits == 0 || digits > 18 && !(digits == 19 && h.line[from] == '1') || digits > 1 && h.line[from] == '0' {
		h.failed = true
	}
	return min(n, most)
}

// text returns a string without escapes, in ASCII.
func (h *headReader) text() []byte {
	if h.peek() != '"' {
		h.failed = true
		return nil
	}
	text := h.line[h.at+1:]
	n := bytes.IndexByte(text, '"')
	if n < 0 {
		h.failed = true
		return nil
	}
	text = text[:n]
	h.at += n + len(`""`)
	for _, ch := range text {
		if ch < ' ' || ch == '\\' || ch > '~' {
			h.failed = true
		}
	}
	return text
}
