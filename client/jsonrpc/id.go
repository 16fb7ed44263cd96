package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// ID is a request id as its raw JSON token: 7, "7" and 7.0 are three IDs. The
// empty ID is absent.
type ID string

// IntID returns the id of an integer.
//
//go:noinline
func IntID(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// StringID returns the id of a string, quoted as JSON.
//
//go:noinline
func StringID(s string) ID {
	token, _ := json.Marshal(s) // a string always marshals
	return ID(token)
}

// Type returns the JSON type of the id.
func (id ID) Type() IDType { return TypeOfID([]byte(id)) }

// TypeOfID returns the JSON type of a raw id token, which must be valid JSON.
func TypeOfID(token []byte) IDType {
	if len(token) == 0 {
		return IDAbsent
	}
	switch ch := token[0]; {
	case ch == '"':
		return IDString
	case ch == 'n':
		return IDNull
	case ch != '-' && (ch < '0' || ch > '9'):
		return IDOther
	}
	for _, ch := range token[1:] {
		if ch == '.' || ch == 'e' || ch == 'E' {
			return IDFraction
		}
	}
	return IDInteger
}

// Shortest returns a raw string or number in its shortest form, for comparisons by
// value: 1.0 becomes 1, and an escaped letter the letter. Other tokens are returned
// as they are. The result may be the argument.
func Shortest(token []byte) []byte {
	switch TypeOfID(token) {
	case IDString:
		if bytes.IndexByte(token, '\\') >= 0 {
			if s, ok := Unquote(token); ok {
				return []byte(StringID(s))
			}
		}
	case IDFraction:
		const exact = 1 << 53 // a float64 holds integers up to it
		f, err := strconv.ParseFloat(string(token), 64)
		if err == nil && f == float64(int64(f)) && f <= exact && f >= -exact {
			return strconv.AppendInt(nil, int64(f), 10)
		}
	}
	return token
}
