package jsonrpc

import (
	"slices"
	"strconv"
)

// Code is the code of an error: an integer (JSON-RPC 2.0 §5.1). The zero Code is not a number: it stands for an
// error without a code, such as {"error":"invalid_token"} in the body of an HTTP response.
type Code struct {
	number int64
	is     bool
}

// CodeOf returns the code with a number, which may be 0.
func CodeOf(number int64) Code { return Code{number, true} }

// Number returns the number, and whether there is a code.
func (c Code) Number() (number int64, ok bool) { return c.number, c.is }

// Is reports whether the code is one of the numbers.
func (c Code) Is(numbers ...int64) bool { return c.is && slices.Contains(numbers, c.number) }

// String returns the number, or "" if there is no code.
func (c Code) String() string {
	if !c.is {
		return ""
	}
	return strconv.FormatInt(c.number, 10)
}

// Phrase names an error by its code: "error -32601", or "error without a code".
func (c Code) Phrase() string {
	if !c.is {
		return "error without a code"
	}
	return "error " + c.String()
}

// IsError reports whether a message is an error response of JSON-RPC 2.0 (§5): it has "jsonrpc":"2.0", and its error is
// an object with an integer code. {"error":"invalid_token"} of an API over HTTP is not.
func (e *Envelope) IsError() bool {
	const malformed = FlawNoVersion | FlawVersion | FlawErrorShape
	return e.Kind == ErrorResponse && e.Flaws&malformed == 0
}

// Error is the error object of a response (JSON-RPC 2.0 §5.1).
type Error struct {
	Code    Code
	Message string
	Data    []byte // raw JSON, nil when absent
}

// Error returns the code and the message.
func (e *Error) Error() string {
	if !e.Code.is {
		return "the server returned an error without an integer code: " + e.Message
	}
	return "the server returned error " + e.Code.String() + ": " + e.Message
}

// ParseError returns the error of an error response. A message that is not a
// string is kept as raw JSON, and so is an error that is neither an object nor a string,
// whose text is the message. Data refers to frame.
func ParseError(frame []byte, envelope Envelope) *Error {
	object := envelope.Error.Of(frame)
	e := &Error{Code: envelope.ErrorCode()}
	if m, ok := Member(object, "message"); ok {
		if e.Message, ok = Unquote(m); !ok {
			e.Message = string(m)
		}
	} else if _, numbered := e.Code.Number(); len(object) > 0 && (object[0] != '{' || !numbered) {
		if e.Message, ok = Unquote(object); !ok {
			e.Message = string(object) // the whole value
		}
	}
	e.Data, _ = Member(object, "data")
	return e
}
