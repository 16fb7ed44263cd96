package flow

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// Ahead is the position of the name or URI that a request is about, in the bytes of the request.
// [LookAhead] finds it on another goroutine, so the [Table] need not search. The zero value is
// unknown: the table searches.
type Ahead uint64

const (
	lookedAt Ahead = 1 << 63
	sizeBits       = 16
)

// LookAhead returns the [Ahead] of a frame. It does not depend on earlier frames, so it can be
// called on other goroutines; see [record.Lines.Ahead].
func LookAhead(e *record.Event) uint64 {
	f := &e.Frame
	if f.Envelope.Kind != jsonrpc.Request || f.Envelope.Special || f.Envelope.MayHave("_meta") {
		return 0
	}
	params := f.Envelope.Params.Of(f.Bytes)
	name := firstName(params)
	if name == nil || f.Envelope.MayRepeat() {
		name, _ = requestParams(params)
	}
	switch at := jsonrpc.SpanOf(f.Bytes, name); {
	case len(name) == 0 || name[0] != '"':
		return uint64(lookedAt)
	case len(name) > maxText:
		return 0
	default:
		return uint64(lookedAt) | uint64(at.Start+1)<<sizeBits | uint64(len(name)-len(`""`))
	}
}

// firstName returns the raw name if it is the first member of params, or nil. It is first in most
// requests. Its text has no escapes.
func firstName(params []byte) []byte {
	const before = `{"name":`
	if !bytes.HasPrefix(params, []byte(before+`"`)) {
		return nil
	}
	end := bytes.IndexByte(params[len(before)+1:], '"')
	return params[len(before) : len(before)+end+len(`""`)]
}

// name returns the name in the frame. ok is false for the zero Ahead.
func (a Ahead) name(frame []byte) (name []byte, ok bool) {
	at, size := int(a&^lookedAt>>sizeBits), int(a&(1<<sizeBits-1))
	return frame[at : at+size], a != 0
}
