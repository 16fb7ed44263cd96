package jsonrpc

import (
	"encoding/json"
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

const head = `{"jsonrpc":"2.0"`

// AppendRequest appends a request frame. id and params are put in as they are;
// an absent id makes the frame a notification, empty params are left out.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(dst, head...)
	if id.Present() {
		dst = append(dst, `,"id":`...)
		dst = id.Append(dst)
	}
	dst = append(dst, `,"method":`...)
	dst = appendString(dst, method)
	if len(params) > 0 {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// AppendNotification appends a notification frame.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return AppendRequest(dst, ID{}, method, params)
}

// AppendResult appends a response frame. Empty results become {}.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = appendResponseHead(dst, id)
	dst = append(dst, `,"result":`...)
	if len(result) == 0 {
		result = []byte("{}")
	}
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends an error response frame; data is left out when empty.
func AppendError(dst []byte, id ID, code int64, message string, data []byte) []byte {
	dst = appendResponseHead(dst, id)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, code, 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, message)
	if len(data) > 0 {
		dst = append(dst, `,"data":`...)
		dst = append(dst, data...)
	}
	return append(dst, "}}"...)
}

// AppendBatch appends the frames as one JSON array.
func AppendBatch(dst []byte, frames ...[]byte) []byte {
	dst = append(dst, '[')
	for i, f := range frames {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f...)
	}
	return append(dst, ']')
}

// AppendMember appends a member to an object that begins with "{" and is not closed yet.
func AppendMember(dst []byte, name string, value []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(appendString(dst, name), ':')
	return append(dst, value...)
}

func appendResponseHead(dst []byte, id ID) []byte {
	dst = append(dst, head...)
	if id.Present() {
		dst = append(dst, `,"id":`...)
		dst = id.Append(dst)
	}
	return dst
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
