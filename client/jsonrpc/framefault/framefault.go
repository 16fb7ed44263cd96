// Package framefault makes invalid or unexpected frames out of valid ones, as faulty
// servers send them. The demo server and the faults of a tap share it.
//
// A fault of --fault that changes a message is a row here; one of a response of HTTP is a row in
// session/intercept/httpfault.go. The help, the completion and the tap use both tables.
package framefault

import (
	"bytes"
	"fmt"

	"mcptea/client/jsonrpc"
)

// Fault is one mistake that a peer can make in a message.
type Fault struct {
	Name    string // name in kebab-case, as on the command line
	Summary string // effect on a frame, in a few words
	apply   func(frame []byte) [][]byte
}

// Apply returns the lines or bodies that are sent instead of a frame, in order. It does not change the frame,
// but the result may contain it.
func (f Fault) Apply(frame []byte) [][]byte { return f.apply(frame) }

// All returns all faults, in the order of display. The caller owns the slice.
func All() []Fault { return append([]Fault(nil), faults...) }

// Named returns the fault with a name.
func Named(name string) (Fault, bool) {
	for _, f := range faults {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

var faults = []Fault{
	{"wrong-id", "another id", otherID},
	{"string-id", "the id as a string", stringID},
	{"no-version", `no "jsonrpc" member`, withoutVersion},
	{"bad-json", "a trailing comma", trailingComma},
	{"not-utf8", "a byte that is not UTF-8", latin1},
	{"result-and-error", "a result and an error at once", bothMembers},
	{"duplicate-answer", "the message twice", func(frame []byte) [][]byte { return [][]byte{frame, frame} }},
	{"batch", "an array of two messages", inBatch},
	{"cut", "only the first half of the message", func(frame []byte) [][]byte { return [][]byte{frame[:len(frame)/2]} }},
	{"pretty", "the message spread over several lines", func(frame []byte) [][]byte { return [][]byte{indent(frame)} }},
	{"blank-lines", "blank lines around the message", func(frame []byte) [][]byte {
		return [][]byte{{}, []byte("  "), frame, {}}
	}},
	{"banner", "a line of text before the message", func(frame []byte) [][]byte {
		return [][]byte{[]byte("[debug] about to send a frame"), frame}
	}},
	{"content-length", "the header of a language server before the message", func(frame []byte) [][]byte {
		return [][]byte{append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(frame)), frame...)}
	}},
}

func trailingComma(frame []byte) [][]byte {
	end := bytes.LastIndexByte(frame, '}')
	if end < 0 {
		return [][]byte{append(bytes.Clone(frame), ',')}
	}
	return [][]byte{append(append(bytes.Clone(frame[:end]), ','), frame[end:]...)}
}

func latin1(frame []byte) [][]byte {
	return [][]byte{insertMember(frame, "\"note\":\"caf\xe9\"")}
}

func withoutVersion(frame []byte) [][]byte {
	for _, member := range []string{`"jsonrpc":"2.0",`, `,"jsonrpc":"2.0"`} {
		if bytes.Contains(frame, []byte(member)) {
			return [][]byte{bytes.Replace(frame, []byte(member), nil, 1)}
		}
	}
	return [][]byte{frame}
}

func otherID(frame []byte) [][]byte {
	id := jsonrpc.IDOf("1000000")
	if n, ok := jsonrpc.Integer(jsonrpc.Scan(frame).ID.Of(frame).Shown()); ok {
		id = jsonrpc.IntID(n + 1000000)
	}
	return [][]byte{withID(frame, id)}
}

func stringID(frame []byte) [][]byte {
	id := jsonrpc.Scan(frame).ID.Of(frame).ID()
	if !id.Present() || id.Type() == jsonrpc.IDString {
		return [][]byte{frame}
	}
	return [][]byte{withID(frame, jsonrpc.StringID(id.String()))}
}

// withID replaces the id. A frame without an id is returned unchanged.
func withID(frame []byte, id jsonrpc.ID) []byte {
	at := jsonrpc.Scan(frame).ID
	if !at.Present() {
		return frame
	}
	return append(append(bytes.Clone(frame[:at.Span().Start]), id.String()...), frame[at.Span().End:]...)
}

func bothMembers(frame []byte) [][]byte {
	return [][]byte{insertMember(frame, `"error":{"code":-32603,"message":"and yet it failed"}`)}
}

// insertMember puts a member before the closing brace.
func insertMember(frame []byte, member string) []byte {
	end := bytes.LastIndexByte(frame, '}')
	if end < 0 {
		return frame
	}
	changed := append(append(bytes.Clone(frame[:end]), ','), member...)
	return append(changed, frame[end:]...)
}

func inBatch(frame []byte) [][]byte {
	note := jsonrpc.EncodeNotification("notifications/message", []byte(`{"level":"info","data":"two in one"}`))
	return [][]byte{jsonrpc.EncodeBatch(note, frame)}
}

// indent splits a frame into lines, one for each member of the envelope.
func indent(frame []byte) []byte {
	return bytes.ReplaceAll(frame, []byte(`,"`), []byte(",\n  \""))
}
