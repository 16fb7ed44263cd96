package jsonrpc

import "fmt"

// Error is the error object of a response (JSON-RPC 2.0 §5.1).
type Error struct {
	Code    int64
	NoCode  bool // the error has no integer code; Code is 0
	Message string
	Data    []byte // raw JSON, nil when absent
}

// Error returns the code and the message.
func (e *Error) Error() string {
	if e.NoCode {
		return "the server returned an error without an integer code: " + e.Message
	}
	return fmt.Sprintf("the server returned error %d: %s", e.Code, e.Message)
}

// ParseError returns the error of an error response. A message that is not a
// string is kept as raw JSON, and so is an error that is neither an object nor a string,
// whose text is the message. Data refers to frame.
func ParseError(frame []byte, envelope Envelope) *Error {
	object := envelope.Error.Of(frame)
	e := &Error{Code: envelope.Code, NoCode: envelope.Flaws&FlawErrorShape != 0}
	if m, ok := Member(object, "message"); ok {
		if e.Message, ok = Unquote(m); !ok {
			e.Message = string(m)
		}
	} else if len(object) > 0 && object[0] != '{' {
		if e.Message, ok = Unquote(object); !ok {
			e.Message = string(object)
		}
	}
	e.Data, _ = Member(object, "data")
	return e
}
