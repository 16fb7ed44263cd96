package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// The error codes that JSON-RPC 2.0 §5.1 defines.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// EncodeRequest returns a request frame. id and params are unchanged except for [OneLine];
// an absent id makes the frame a notification, empty params are left out.
func EncodeRequest(id ID, method string, params []byte) []byte {
	params = OneLine(params)
	b := append(frameHead(id), `,"method":`...)
	b = appendString(b, method)
	if len(params) > 0 {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

// OneLine returns JSON, nested at any depth, without the line breaks between its tokens: over stdio a line
// break would end the frame. It returns invalid JSON unchanged.
func OneLine(raw []byte) []byte {
	if !bytes.ContainsAny(raw, "\r\n") || !IsGrammatical(bytes.TrimPrefix(raw, bom)) {
		return raw
	}
	return slices.DeleteFunc(bytes.Clone(raw), func(c byte) bool { return c == '\r' || c == '\n' }) // strings contain no line breaks
}

// EncodeNotification returns a notification frame.
func EncodeNotification(method string, params []byte) []byte {
	return EncodeRequest(ID{}, method, params)
}

// EncodeResult returns a response frame. Empty results become {}.
func EncodeResult(id ID, result []byte) []byte {
	b := append(frameHead(id), `,"result":`...)
	if len(result) == 0 {
		result = []byte("{}")
	}
	b = append(b, OneLine(result)...)
	return append(b, '}')
}

// EncodeError returns an error response frame; data is left out when empty.
func EncodeError(id ID, code int64, message string, data []byte) []byte {
	b := append(frameHead(id), `,"error":{"code":`...)
	b = strconv.AppendInt(b, code, 10)
	b = append(b, `,"message":`...)
	b = appendString(b, message)
	if len(data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, OneLine(data)...)
	}
	return append(b, "}}"...)
}

// EncodeBatch returns the frames as one JSON array.
func EncodeBatch(frames ...[]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(frames, []byte{','}), []byte{']'})
}

// AppendMember appends a member to an object that begins with "{" and is not closed yet.
func AppendMember(dst []byte, name string, value []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(appendString(dst, name), ':')
	return append(dst, value...)
}

// frameHead returns the start of a frame. If the id is absent, the frame has no such member.
func frameHead(id ID) []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id.Present() {
		b = append(b, `,"id":`...)
		b = id.Append(b)
	}
	return b
}

// appendString appends s as a JSON string. Plain text needs no encoder.
func appendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if ch := s[i]; ch < 0x20 || ch >= 0x7f || ch == '"' || ch == '\\' {
			token, _ := json.Marshal(s) // a string always marshals
			return append(dst, token...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}
