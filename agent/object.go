package agent

import (
	"bytes"
	"errors"

	"mcptea/client/jsonrpc"
)

// An object is a JSON object of the agent. It reaches the server unchanged: with the same numbers,
// order of members and escapes. It is nil if the member is missing or null.
type object []byte

var errNoObject = errors.New("it must be a JSON object")

// UnmarshalJSON keeps a copy of an object.
func (o *object) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte("null")) {
		*o = nil
		return nil
	}
	if len(text) == 0 || text[0] != '{' {
		return errNoObject
	}
	*o = bytes.Clone(text)
	return nil
}

// MarshalJSON returns the object.
func (o object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// text returns the object, which is {} if it is missing.
func (o object) text() string {
	if o == nil {
		return "{}"
	}
	return string(o)
}

// namedParams returns params with a name and arguments, which are missing if they are nil.
func namedParams(name string, arguments object) []byte {
	text := `{"name":` + jsonrpc.Quote(name)
	if arguments != nil {
		text += `,"arguments":` + string(arguments)
	}
	return []byte(text + "}")
}
