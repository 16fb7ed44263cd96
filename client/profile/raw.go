package profile

import (
	"bytes"
	"errors"
	"fmt"

	"mcptea/client/jsonrpc"
)

// Raw is JSON as written, without a line break: over stdio a line break would begin a message that the
// file does not show. The zero value is not JSON. In a file it is JSON, or a string with the exact bytes
// if those contain spaces.
type Raw struct{ text []byte }

// maxRaw bounds a value of a file, in bytes: hosts send some hundred.
const maxRaw = 64 << 10

// NewRaw returns a copy of JSON. It returns an error if the text is not JSON, is too long or contains a line
// break; [jsonrpc.OneLine] removes line breaks between tokens.
func NewRaw(text []byte) (Raw, error) {
	switch at := bytes.IndexAny(text, "\r\n"); {
	case len(text) > maxRaw:
		return Raw{}, fmt.Errorf("it has %d bytes, and at most %d are allowed", len(text), maxRaw)
	case at >= 0:
		return Raw{}, fmt.Errorf("it contains a line break at byte %d", at)
	}
	if reason := jsonrpc.InvalidReason(text); reason != "" {
		return Raw{}, errors.New("it is " + reason)
	}
	return Raw{bytes.Clone(text)}, nil
}

// Bytes returns the JSON, or nil. It must not be changed.
func (r Raw) Bytes() []byte { return r.text }

// IsZero reports whether there is no JSON.
func (r Raw) IsZero() bool { return len(r.text) == 0 }

// Method returns the method of a frame, or "".
func (r Raw) Method() string { return jsonrpc.Text(r.text, "method") }

// withValue returns the JSON with another value at a span.
func (r Raw) withValue(span jsonrpc.Span, value Raw) Raw {
	return Raw{bytes.Join([][]byte{r.text[:span.Start], value.text, r.text[span.End:]}, nil)}
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Raw) UnmarshalJSON(data []byte) (err error) {
	if len(data) > 0 && data[0] == '"' {
		text, ok := jsonrpc.Unquote(data)
		if !ok {
			return errors.New("not a valid string")
		}
		*r, err = NewRaw([]byte(text))
		return err
	}
	*r, err = NewRaw(jsonrpc.Compact(data))
	return err
}

// MarshalJSON implements json.Marshaler.
func (r Raw) MarshalJSON() ([]byte, error) {
	if r.IsZero() {
		return []byte("null"), nil
	}
	if bytes.Equal(jsonrpc.Compact(r.text), r.text) {
		return r.text, nil
	}
	return []byte(jsonrpc.Quote(string(r.text))), nil
}
