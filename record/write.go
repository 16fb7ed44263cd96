package record

import (
	"encoding/base64"
	"iter"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// previewSize is the number of bytes of an unreadable frame shown in "txt".
const previewSize = 120

// AppendEvent appends the line of an event returned by [Decoder.Decode], with a new sequence number. A frame
// need not be scanned. It appends nothing for events that are never in a file and for unknown kinds.
func AppendEvent(dst []byte, seq int64, e *Event) []byte {
	switch e.Kind {
	case KindUnknown, KindProblem:
		return dst
	case KindFrame:
		f := e.Frame
		if f.Time = e.Time; f.Envelope == (jsonrpc.Envelope{}) {
			f.Envelope = jsonrpc.Scan(f.Bytes)
		}
		dst, _ = AppendFrame(dst, seq, e.ConnBeside(), &f)
		return dst
	}
	beside := e.ConnBeside()
	if e.Kind == KindConnection {
		beside = 0
	}
	c := codec{dst: appendHead(dst, seq, e.Time, kindNames[e.Kind], beside)}
	if e.Kind == KindHTTP {
		x := *e.Exchange
		exchange(&c, &x, e.Time)
	} else {
		written := *e
		written.members(&c)
	}
	return append(c.dst, "}\n"...)
}

// AppendHeader appends the first line.
func AppendHeader(dst []byte, h Header) []byte {
	c := codec{dst: strconv.AppendInt(append(dst, `{"mcptea":`...), Version, 10)}
	h.members(&c)
	return append(c.dst, "}\n"...)
}

// AppendFrame appends the line of a frame and returns the position of its bytes, relative to the start of the
// line. beside is the number of an additional connection, or 0 for the session's.
func AppendFrame(dst []byte, seq int64, beside uint16, f *transport.Frame) ([]byte, Payload) {
	dst, p := appendFrameHead(dst, seq, beside, f)
	if p.Base64 {
		dst = base64.StdEncoding.AppendEncode(dst, f.Bytes)
	} else {
		dst = append(dst, f.Bytes...)
	}
	return append(dst, p.tail()...), p
}

// tail returns the end of the line.
func (p Payload) tail() string {
	if p.Base64 {
		return "\"}\n"
	}
	return "}\n"
}

// pieceSize is the number of bytes of a frame encoded at a time: a multiple of the base64 group.
const pieceSize = 3 << 18

// FrameParts returns the line of a large frame in parts, without a copy of the frame, and its size in bytes. A
// part is valid until the next one. The parts can be read repeatedly.
func FrameParts(seq int64, beside uint16, f *transport.Frame) (parts iter.Seq[[]byte], size int, p Payload) {
	head, p := appendFrameHead(nil, seq, beside, f)
	parts = func(yield func([]byte) bool) {
		if !yield(head) {
			return
		}
		if !p.Base64 {
			_ = yield(f.Bytes) && yield([]byte(p.tail()))
			return
		}
		var piece []byte
		for raw := range slices.Chunk(f.Bytes, pieceSize) {
			if piece = base64.StdEncoding.AppendEncode(piece[:0], raw); !yield(piece) {
				return
			}
		}
		yield([]byte(p.tail()))
	}
	return parts, len(head) + p.stored + len(p.tail()), p
}

// appendFrameHead appends the line of a frame up to its bytes.
func appendFrameHead(dst []byte, seq int64, beside uint16, f *transport.Frame) (head []byte, p Payload) {
	start := len(dst)
	kind := nameOut
	if f.Dir == transport.In {
		kind = nameIn
	}
	dst = appendHead(dst, seq, f.Time, kind, beside)
	if f.Exchange != 0 {
		dst = appendInt(dst, "x", int64(f.Exchange))
	}
	if f.EventID != "" {
		dst = appendText(dst, "ev", f.EventID)
	}
	if f.EventName != "" {
		dst = appendText(dst, "en", f.EventName)
	}
	verbatim := isVerbatim(f.Bytes, &f.Envelope)
	if verbatim {
		dst = appendEnvelope(dst, f)
	}
	if f.Ending != "\n" {
		dst = appendText(dst, "nl", f.Ending)
	}
	if f.Truncated {
		dst = append(dst, `,"part":true`...)
	}
	if f.Side != transport.Both {
		dst = appendText(dst, "side", f.Side.String())
	}
	if f.Cause.Present() {
		dst = appendInt(dst, "of", int64(f.Cause.Row())+1)
	}
	return appendPayloadHead(dst, start, f.Bytes, verbatim)
}

// appendPayloadHead appends the text before a payload to a line that starts at start.
func appendPayloadHead(dst []byte, start int, payload []byte, verbatim bool) ([]byte, Payload) {
	dst = appendInt(dst, "n", int64(len(payload)))
	if verbatim {
		dst = append(dst, `,"msg":`...)
		return dst, Payload{Offset: len(dst) - start, stored: len(payload)}
	}
	dst = appendText(dst, "txt", string(payload[:min(len(payload), previewSize)]))
	dst = append(dst, `,"b64":"`...)
	return dst, Payload{Offset: len(dst) - start, stored: base64.StdEncoding.EncodedLen(len(payload)), Base64: true}
}

// appendEnvelope repeats id, method and error code before the payload, for tools that read line by
// line.
func appendEnvelope(dst []byte, f *transport.Frame) []byte {
	e := &f.Envelope
	// An id that is an object could contain the names that a reader searches for.
	if e.ID.Present() && e.IDType != jsonrpc.IDOther {
		dst = append(dst, `,"id":`...)
		dst = append(dst, e.ID.Of(f.Bytes).Shown()...)
	}
	if e.Method.Present() {
		// The token is part of a valid JSON frame, so its quotes are the bytes around it.
		dst = append(dst, `,"m":`...)
		dst = append(dst, f.Bytes[e.Method.Span().Start-1:e.Method.Span().End+1]...)
	}
	if code, ok := e.ErrorCode().Number(); ok {
		dst = appendInt(dst, "e", code)
	}
	return dst
}

func appendHead(dst []byte, seq int64, t time.Time, kind string, beside uint16) []byte {
	dst = append(dst, `{"s":`...)
	dst = strconv.AppendInt(dst, seq, 10)
	dst = appendInt(dst, "t", t.UnixNano())
	dst = append(dst, `,"k":"`...)
	dst = append(dst, kind...)
	dst = append(dst, '"')
	if beside != 0 {
		dst = appendInt(dst, "c", int64(beside))
	}
	return dst
}

func appendInt(dst []byte, name string, n int64) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, n, 10)
}

func appendText(dst []byte, name, text string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return append(dst, jsonrpc.Quote(text)...)
}
