package rule

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
)

// IsPlainText reports a line that is not an attempt at a message. A line that
// begins as JSON is one, unless it begins with a time or level in brackets, as
// logs do.
func (c *Context) IsPlainText() bool {
	e := c.F.Envelope
	if e.Kind != jsonrpc.Invalid || e.Fault != jsonrpc.FaultNotJSON && e.Fault != jsonrpc.FaultTrailingBytes ||
		c.St.Link != Stdio || c.F.Part || c.IsLSPHeader() {
		return false
	}
	b := trimLine(c.F.Bytes)
	switch {
	case len(b) == 0 || b[0] == '{':
		return false
	case b[0] == '[':
		inner := bytes.TrimLeft(b[1:], " \t")
		return len(inner) > 0 && e.Fault == jsonrpc.FaultNotJSON && strings.IndexByte(`{["]`, inner[0]) < 0
	}
	return true
}

// trimLine is a line without a byte order mark and leading space.
func trimLine(line []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(line, []byte(bom)), " \t")
}

// IsLSPHeader reports a header of the Language Server Protocol, on a line of its
// own or behind a message.
func (c *Context) IsLSPHeader() bool {
	e := c.F.Envelope
	switch {
	case c.St.Link != Stdio || e.Kind != jsonrpc.Invalid:
		return false
	case e.Fault == jsonrpc.FaultTrailingBytes:
		return isContentLength(c.F.Bytes[min(e.At, len(c.F.Bytes)):])
	}
	return isContentLength(trimLine(c.F.Bytes))
}

func isContentLength(b []byte) bool {
	const name = "content-length:"
	if len(b) < len(name) || !strings.EqualFold(string(b[:len(name)]), name) {
		return false
	}
	number := bytes.TrimSpace(b[len(name):])
	return len(number) > 0 && len(bytes.Trim(number, "0123456789")) == 0
}
