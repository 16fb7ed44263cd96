package jsonrpc

import (
	"bytes"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// Scan classifies one frame. It checks the whole frame against the JSON grammar in one
// pass, decodes nothing below the top level and does not allocate, except for escaped
// member names ("\u0069d") and more than 64 levels.
//
// The order of the checks is: UTF-8, JSON, array or scalar, envelope.
func Scan(frame []byte) Envelope {
	var e Envelope
	c := cursor{b: frame, isLenient: true}
	if bytes.HasPrefix(frame, bom) {
		e.Flaws |= FlawBOM
		c.i = len(bom)
	}
	c.space()
	if c.i >= len(frame) {
		e.Fault, e.At = FaultEmpty, len(frame)
		return e
	}
	var whole bool
	first := frame[c.i]
	start := c.i
	if first == '{' {
		whole = c.envelope(&e)
	} else {
		whole = c.value()
	}
	e.classify(&c, whole, first)
	if e.Kind == Batch && isEmptyArray(frame[start:]) {
		e.Flaws |= FlawEmptyBatch
	}
	return e
}

// classify sets the kind or the fault.
func (e *Envelope) classify(c *cursor, whole bool, first byte) {
	if !whole {
		e.Fault, e.At = FaultNotJSON, c.i
	} else if c.space(); c.i < len(c.b) {
		e.Fault, e.At = FaultTrailingBytes, c.i
	}
	// A byte above 0x7f outside of a string is a fault of the grammar, so only
	// frames with such a string, or with a fault, are checked for UTF-8.
	if c.nonASCII || e.Fault != FaultNone {
		if at := InvalidUTF8(c.b); at >= 0 {
			e.Fault, e.At = FaultNotUTF8, at
		}
	}
	e.Names = c.names
	e.Special = c.nonASCII || c.escaped || e.Fault != FaultNone
	switch {
	case e.Fault != FaultNone:
	case first == '[':
		e.Kind = Batch
	case first != '{':
		e.Fault = FaultScalar
	default:
		e.classifyObject(c.b)
	}
	e.classifyDepth(c)
}

// classifyDepth makes members with values deeper than [MaxDepth] opaque: no span leads to their values. A
// batch with such a value is not a message, nor is a message with such an id.
func (e *Envelope) classifyDepth(c *cursor) {
	if c.deepAt == 0 {
		return
	}
	e.Flaws |= FlawTooDeep
	if e.Fault == FaultNone {
		e.At = c.deepAt
		if e.Kind == Batch || c.deepMembers&(memberID|memberVersion) != 0 {
			e.Kind, e.Fault = Invalid, FaultTooDeep
		}
	}
	if c.deepMembers&memberID != 0 {
		e.ID, e.IDType = IDSpan{}, IDOther
	}
	if c.deepMembers&memberParams != 0 {
		e.Params = Span{}
	}
	if c.deepMembers&memberResult != 0 {
		e.Result = Span{}
	}
	if c.deepMembers&memberError != 0 {
		e.Error = Span{}
	}
}

// ReadFault returns the reason why the values of a frame cannot be read: its fault, or [FaultTooDeep]
// for a message with a value that is nested too deeply.
func (e *Envelope) ReadFault() Fault {
	if e.Fault == FaultNone && e.Flaws&FlawTooDeep != 0 {
		return FaultTooDeep
	}
	return e.Fault
}

// InvalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func InvalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func isEmptyArray(b []byte) bool {
	c := cursor{b: b, i: 1}
	c.space()
	return c.i < len(b) && b[c.i] == ']'
}

// The members of the envelope, as bits for the duplicate check.
const (
	memberVersion = 1 << iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
)

func memberOf(name []byte) int {
	switch string(name) { // compiled without a copy
	case "jsonrpc":
		return memberVersion
	case "id":
		return memberID
	case "method":
		return memberMethod
	case "params":
		return memberParams
	case "result":
		return memberResult
	case "error":
		return memberError
	}
	return 0
}

// envelope scans the top-level object at the cursor.
func (c *cursor) envelope(e *Envelope) bool {
	c.i++
	c.above = 1
	c.space()
	if c.i < len(c.b) && c.b[c.i] == '}' {
		c.i++
		e.Flaws |= FlawNoVersion
		return true
	}
	seen := 0
	for {
		name, ok := c.memberName()
		if !ok {
			return false
		}
		start := c.i
		ok = c.value()
		member := memberOf(name)
		if c.deepLast >= start {
			c.deepMembers |= member
		}
		if member != 0 && seen&member != 0 {
			e.Flaws |= FlawDuplicateMember
		}
		seen |= member
		if !ok {
			return false
		}
		e.setMember(member, c.b, Span{start, c.i})
		c.space()
		if c.i >= len(c.b) {
			return false
		}
		switch c.b[c.i] {
		case ',':
			c.i++
			c.space()
			continue
		case '}':
			c.i++
			if seen&memberVersion == 0 {
				e.Flaws |= FlawNoVersion
			}
			return true
		}
		return false
	}
}

// memberName scans a name and its colon. The name is unquoted and aliases the frame,
// unless it has escapes.
func (c *cursor) memberName() ([]byte, bool) {
	start := c.i
	if c.i >= len(c.b) || c.b[c.i] != '"' || !c.str() {
		return nil, false
	}
	name := c.b[start+1 : c.i-1]
	if c.escaped && bytes.IndexByte(name, '\\') >= 0 {
		if s, ok := Unquote(c.b[start:c.i]); ok {
			name = []byte(s)
		}
	}
	return name, c.colon()
}

// setMember sets one member of the envelope.
func (e *Envelope) setMember(member int, b []byte, at Span) {
	first := b[at.Start]
	switch member {
	case memberVersion:
		e.Flaws &^= FlawVersion
		if raw := at.Of(b); string(raw) != `"2.0"` && string(meaning(raw)) != `"2.0` {
			e.Flaws |= FlawVersion
		}
	case memberID:
		e.ID.at, e.IDType = at, typeOfID(at.Of(b))
	case memberMethod:
		e.Method.at = at
		if first == '"' {
			e.Method.at = Span{at.Start + 1, at.End - 1}
		}
	case memberParams:
		e.Params = at
		e.Flaws &^= FlawParamsType
		if first != '{' && first != '[' {
			e.Flaws |= FlawParamsType
		}
	case memberResult:
		e.Result = at
	case memberError:
		e.Error = at
	default:
		e.Flaws |= FlawExtraMember
	}
}

// classifyObject sets the kind of a complete JSON object.
func (e *Envelope) classifyObject(b []byte) {
	if e.IDType != IDAbsent && e.IDType != IDString && e.IDType != IDInteger {
		e.Flaws |= FlawIDType
	}
	// The span of an empty method ("") is empty.
	method := e.Method.at
	hasMethod := method.Start > 0
	response := e.Result.Present() || e.Error.Present()
	switch {
	case hasMethod && b[method.Start-1] != '"':
		e.Fault, e.At = FaultMethodType, method.Start
		e.Method = MethodSpan{}
	case hasMethod:
		if response {
			e.Flaws |= FlawMixed
		}
		e.Kind = Notification
		if e.IDType != IDAbsent {
			e.Kind = Request
		}
	case e.Result.Present() && e.Error.Present():
		e.Fault, e.At = FaultBothMembers, max(e.Result.Start, e.Error.Start)
	case response:
		e.classifyResponse(b)
	default:
		e.Fault = FaultNoMember
	}
}

func (e *Envelope) classifyResponse(b []byte) {
	if e.IDType == IDAbsent {
		e.Flaws |= FlawNoID
	}
	if e.Result.Present() {
		e.Kind = Response
		return
	}
	e.SetError(b, e.Error)
}

// SetError turns an envelope into an error response. at is the place of the error object in the frame.
func (e *Envelope) SetError(frame []byte, at Span) {
	e.Kind, e.Error, e.Result = ErrorResponse, at, Span{}
	code, ok := Member(at.Of(frame), "code")
	if ok {
		e.code, ok = Integer(code)
	}
	if !ok {
		e.Flaws |= FlawErrorShape
	}
}
