package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client/jsonrpc"
)

// maxLine is the size of a line that is read, in bytes.
const maxLine = 16 << 20

// Transport returns a transport over streams of lines. A line that is no message gets
// an error response (JSON-RPC 2.0, 5.1); the SDK would end the connection.
func Transport(in io.Reader, out io.Writer) mcp.Transport {
	w := &lineWriter{out: out}
	reader, pipe := io.Pipe()
	go func() { _ = pipe.CloseWithError(pass(in, pipe, w)) }()
	return &mcp.IOTransport{Reader: reader, Writer: w}
}

// lineWriter writes whole lines from several goroutines.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(b)
}

// Close leaves the stream open: it belongs to the caller.
func (w *lineWriter) Close() error { return nil }

// pass copies the lines that are messages, and responds to the others.
func pass(in io.Reader, to io.Writer, w *lineWriter) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), maxLine)
	for scanner.Scan() {
		line := bytes.TrimPrefix(scanner.Bytes(), []byte("\ufeff"))
		id, code, message := problemOf(line)
		switch {
		case code == 0:
			if _, err := to.Write(append(line, '\n')); err != nil {
				return err
			}
		case code != ignored:
			if _, err := w.Write(append(jsonrpc.AppendError(nil, id, code, message, nil), '\n')); err != nil {
				return err
			}
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		_, _ = w.Write(append(jsonrpc.AppendError(nil, "null", jsonrpc.CodeParseError, "the line is longer than 16 MiB", nil), '\n'))
		return err
	} else if err != nil {
		return err
	}
	return io.EOF
}

// ignored is the code of what gets no response.
const ignored = 1

// maxDepth is how deeply objects and arrays may be nested; the SDK ends the connection
// at 1000.
const maxDepth = 500

// problemOf is the error for a line, with the id to respond to; the code 0 means that it
// is a message.
func problemOf(line []byte) (id jsonrpc.ID, code int64, message string) {
	e := jsonrpc.Scan(line)
	const refused = jsonrpc.FlawNoVersion | jsonrpc.FlawVersion | jsonrpc.FlawIDType | jsonrpc.FlawParamsType |
		jsonrpc.FlawErrorShape | jsonrpc.FlawMixed | jsonrpc.FlawNoID
	id = "null"
	switch {
	case e.Fault == jsonrpc.FaultEmpty:
		return id, ignored, ""
	case e.Fault == jsonrpc.FaultNotUTF8, e.Fault == jsonrpc.FaultNotJSON, e.Fault == jsonrpc.FaultTooDeep, e.Fault == jsonrpc.FaultTrailingBytes:
		return id, jsonrpc.CodeParseError, "parse error: " + e.Fault.String()
	case e.Kind == jsonrpc.Batch:
		return id, jsonrpc.CodeInvalidRequest, "invalid request: batches are not supported"
	case e.Kind == jsonrpc.Invalid:
		return id, jsonrpc.CodeInvalidRequest, "invalid request: " + e.Fault.String()
	case e.Kind.IsResponse() && e.Flaws&refused != 0:
		return id, ignored, ""
	}
	if e.Kind == jsonrpc.Request && (e.IDType == jsonrpc.IDString || e.IDType == jsonrpc.IDInteger) {
		id = jsonrpc.ID(e.ID.Of(line))
	}
	switch {
	case e.Flaws&refused != 0:
		return id, jsonrpc.CodeInvalidRequest, "invalid request: " + (e.Flaws & refused).Texts()[0]
	case depth(line) <= maxDepth:
		return id, 0, ""
	case e.Kind != jsonrpc.Request:
		return id, ignored, ""
	}
	return id, jsonrpc.CodeInvalidRequest, "invalid request: " + jsonrpc.FaultTooDeep.String()
}

// depth is how deeply objects and arrays of valid JSON are nested.
func depth(text []byte) int {
	deepest, now, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
