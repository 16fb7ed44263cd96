package client

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// InvalidResponseError reports an invalid response to a pending request.
type InvalidResponseError struct {
	ID    jsonrpc.ID
	Fault jsonrpc.Fault
	At    int    // offset of the offending byte
	Size  int    // size of the response, in bytes
	Near  []byte // the bytes around it
}

// nearReach is the number of bytes that an [InvalidResponseError] keeps around the offending byte.
const nearReach = 20

// newInvalidResponse returns the error of a frame in which a byte is wrong.
func newInvalidResponse(frame []byte, id jsonrpc.ID, fault jsonrpc.Fault, at int) *InvalidResponseError {
	from, to := max(0, at-nearReach), min(len(frame), at+nearReach)
	return &InvalidResponseError{ID: id, Fault: fault, At: at, Size: len(frame), Near: bytes.Clone(frame[from:to])}
}

// InvalidResponse returns the error for a line that is an invalid response, or nil for any other
// line. No request waits for the response.
func InvalidResponse(line []byte) *InvalidResponseError {
	e := jsonrpc.Scan(line)
	fault := e.ReadFault()
	if fault == jsonrpc.FaultNone || !e.ID.Present() || e.Method.Present() {
		return nil
	}
	return newInvalidResponse(line, e.ID.Of(line).ID(), fault, e.At)
}

// Error names the fault and the place, or shows the bytes.
func (e *InvalidResponseError) Error() string {
	if e.Fault == jsonrpc.FaultNotJSON {
		return fmt.Sprintf("response to request %s is not JSON: %s", e.ID, e.Place())
	}
	return fmt.Sprintf("response to request %s is invalid: it is %s (byte %d, near %q)", e.ID, e.Fault, e.At, e.Near)
}

// Place names the wrong byte, and the byte before it: "byte 76, '}' after ','".
func (e *InvalidResponseError) Place() string {
	at := min(e.At, nearReach, len(e.Near)) // index in Near
	before := bytes.TrimRight(e.Near[:at], " \t\r\n")
	text := fmt.Sprintf("byte %d, ", e.At)
	if e.IsIncomplete() {
		text += "the end"
	} else {
		text += character(e.Near[at:])
	}
	if _, size := utf8.DecodeLastRune(before); size > 0 {
		text += " after " + character(before[len(before)-size:])
	}
	return text
}

// IsIncomplete reports whether the response is not JSON because it ends too early.
func (e *InvalidResponseError) IsIncomplete() bool {
	return e.Fault == jsonrpc.FaultNotJSON && min(e.At, nearReach) >= len(e.Near)
}

// character returns the first character of a text, for use in a sentence.
func character(text []byte) string {
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) || r == ' ' {
		return fmt.Sprintf("0x%02x", text[0])
	}
	return "'" + string(r) + "'"
}
