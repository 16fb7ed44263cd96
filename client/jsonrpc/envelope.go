package jsonrpc

import "bytes"

// Kind is the kind of a frame (JSON-RPC 2.0 §4–§6).
type Kind uint8

// The kinds of frames. Invalid is the zero value: bytes that are not a JSON-RPC
// message.
const (
	Invalid Kind = iota
	Request
	Notification
	Response      // response with a result
	ErrorResponse // response with an error
	Batch         // a JSON array; see [Elements]
)

var kindNames = [...]string{"invalid", "request", "notification", "response", "error", "batch"}

// String returns the name of the kind in recordings and filters.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// IsResponse reports whether the frame is a response, with a result or an error.
func (k Kind) IsResponse() bool { return k == Response || k == ErrorResponse }

// IDType is the JSON type of an id: 1 and "1" are two ids, 1 and 1.0 are one.
type IDType uint8

// The types of ids; only strings and integers are valid.
const (
	IDAbsent IDType = iota
	IDString
	IDInteger
	IDFraction // a number that is not an integer
	IDNull
	IDOther // true, false, an object or an array
)

var idTypeNames = [...]string{"absent", "string", "integer", "fraction", "null", "other"}

// String returns the name of the type.
func (t IDType) String() string {
	if int(t) < len(idTypeNames) {
		return idTypeNames[t]
	}
	return "other"
}

// Fault is the reason why a frame is [Invalid].
type Fault uint8

// The faults, in the order of the checks.
const (
	FaultNone          Fault = iota
	FaultEmpty               // only white space
	FaultNotUTF8             // the bytes are not UTF-8
	FaultNotJSON             // not JSON text
	FaultTooDeep             // nested deeper than MaxDepth, in a batch or an id
	FaultScalar              // a JSON value that is neither object nor array
	FaultMethodType          // "method" is not a string
	FaultNoMember            // method, result and error are all missing
	FaultBothMembers         // both result and error
	FaultTrailingBytes       // bytes after the JSON value
)

var faultTexts = [...]string{
	"",
	"empty",
	"not UTF-8",
	"not JSON",
	"nested deeper than 1,000 levels",
	"neither object nor array",
	`"method" is not a string`,
	`without "method", "result" and "error"`,
	`both "result" and "error"`,
	"more bytes after the JSON value",
}

// String returns the fault in a few words, empty for FaultNone.
func (f Fault) String() string {
	if int(f) < len(faultTexts) {
		return faultTexts[f]
	}
	return "invalid"
}

// Flaws is a set of violations of JSON-RPC in a frame that can be classified.
type Flaws uint16

// The flaws.
const (
	FlawNoVersion       Flaws = 1 << iota // no "jsonrpc" member
	FlawVersion                           // "jsonrpc" is not the string "2.0"
	FlawExtraMember                       // a member that JSON-RPC does not define
	FlawDuplicateMember                   // a member twice; the last one counts
	FlawIDType                            // the id is neither a string nor an integer
	FlawParamsType                        // "params" is neither object nor array
	FlawErrorShape                        // "error" is not an object with an integer code
	FlawMixed                             // a method together with result or error
	FlawNoID                              // a response without id
	FlawEmptyBatch                        // an array without elements
	FlawBOM                               // a byte order mark before the value
	FlawTooDeep                           // a value nested deeper than MaxDepth; its member is opaque
)

var flawTexts = [...]string{
	`no "jsonrpc" member`,
	`"jsonrpc" is not "2.0"`,
	"a member that JSON-RPC does not define",
	"a duplicate member",
	"the id is neither a string nor an integer",
	`"params" is neither an object nor an array`,
	`"error" is not an object with an integer "code"`,
	"a method together with a result or an error",
	"a response without an id",
	"an empty batch",
	"a byte order mark",
	"a value nested deeper than 1,000 levels",
}

// Texts returns each flaw of the set in a few words.
func (f Flaws) Texts() []string {
	var texts []string
	for i, t := range flawTexts {
		if f&(1<<i) != 0 {
			texts = append(texts, t)
		}
	}
	return texts
}

// Span is a range of bytes in a frame, End exclusive. The zero Span is absent:
// no member can start at the first byte of a frame.
type Span struct{ Start, End int }

// Replace returns a frame with other bytes instead of the span; the frame itself if the span is
// absent or has these bytes already.
func (s Span) Replace(frame, with []byte) []byte {
	if !s.Present() || bytes.Equal(s.Of(frame), with) {
		return frame
	}
	out := make([]byte, 0, len(frame)-(s.End-s.Start)+len(with))
	return append(append(append(out, frame[:s.Start]...), with...), frame[s.End:]...)
}

// Present reports whether the span is not empty.
func (s Span) Present() bool { return s.End > s.Start }

// Of returns the bytes of the span. The result aliases frame.
func (s Span) Of(frame []byte) []byte {
	if s.Start < 0 || s.End > len(frame) || s.Start >= s.End {
		return nil
	}
	return frame[s.Start:s.End]
}

// Envelope is the result of [Scan]. Spans are offsets into the scanned bytes, so an
// Envelope holds no memory and may outlive them. In an Invalid frame the members
// before the fault are set: a response with one invalid byte still has its id.
type Envelope struct {
	Kind   Kind
	IDType IDType
	Fault  Fault
	Flaws  Flaws
	// Special reports whether a string may have an escape or a byte above 0x7f. For most frames it is false, so
	// all text is literal. A frame with a fault may have both in any case.
	Special bool
	// Names holds the names of the members below the top level.
	Names Names

	// At is the offset of the byte of the fault, or of the first bracket that is nested too deeply.
	At int

	ID     IDSpan
	Method MethodSpan
	Params Span
	Result Span
	Error  Span

	code int64 // see ErrorCode
}

// ErrorCode returns the code of an error response, or no code for other messages, and for an error without an
// integer code (FlawErrorShape).
func (e *Envelope) ErrorCode() Code {
	if e.Kind != ErrorResponse || e.Flaws&FlawErrorShape != 0 {
		return Code{}
	}
	return CodeOf(e.code)
}

// HasMethod reports whether the method equals method, as [Envelope.MethodName] would return it, without
// allocating a string. frame has the bytes that were scanned.
func (e Envelope) HasMethod(frame []byte, method string) bool {
	return string(e.MethodText(frame)) == method
}

// MethodName returns the unescaped method. frame is the bytes that were scanned.
func (e Envelope) MethodName(frame []byte) string { return string(e.MethodText(frame)) }

// MethodText is like MethodName, but returns bytes, which alias the frame unless the method has escapes.
func (e *Envelope) MethodText(frame []byte) []byte {
	at := e.Method.at
	raw := at.Of(frame)
	if !e.Special || bytes.IndexByte(raw, '\\') < 0 || frame[at.Start-1] != '"' {
		return raw
	}
	s, _ := Unquote(frame[at.Start-1 : at.End+1])
	return []byte(s)
}

// Names is a set of member names, stored as one bit for each name. Several names share a bit.
type Names uint64

const (
	nameBits = 62
	// nameTwice is the bit of a second name with the same bit.
	nameTwice Names = 1 << 62
	// literalTrue is the bit of a value that is true.
	literalTrue Names = 1 << 63
)

// nameBit returns the bit of a name, computed from its length, its first and its last letter. The factors are
// those, of the tried ones, that give the names of the protocol the most different bits.
func nameBit(name []byte) Names {
	if len(name) == 0 {
		return 1
	}
	return 1 << (uint32(len(name)*17+int(name[0])*34+int(name[len(name)-1])*3) % nameBits)
}

// add adds a name.
func (n *Names) add(name []byte) {
	bit := nameBit(name)
	if *n&bit != 0 {
		bit = nameTwice
	}
	*n |= bit
}

// MayHave reports false if no value of the top-level members has a member of such a name,
// at any depth.
func (e *Envelope) MayHave(name string) bool {
	return e.Special || e.Names&nameBit([]byte(name)) != 0
}

// MayBeTrue reports false if no value is true.
func (e *Envelope) MayBeTrue() bool { return e.Special || e.Names&literalTrue != 0 }

// MayRepeat reports false if no object of a message that is an object has two members of the
// same name.
func (e *Envelope) MayRepeat() bool {
	return e.Special || e.Flaws&(FlawDuplicateMember|FlawExtraMember) != 0 || e.Names&nameTwice != 0
}
