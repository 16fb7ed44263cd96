package record

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"mcptea/client/jsonrpc"
)

// ErrNotARecording says that the first line is no header of this format.
var ErrNotARecording = errors.New("not a recording of mcptea: the first line is no header")

// ParseHeader reads the first line.
func ParseHeader(line []byte) (Header, error) {
	version, ok := jsonrpc.Member(line, "mcptea")
	if !ok {
		return Header{}, ErrNotARecording
	}
	if n, ok := jsonrpc.Integer(version); !ok || n > Version {
		return Header{}, fmt.Errorf("the recording has format %s; this program reads up to %d", version, Version)
	}
	return Header{
		Time: integer(line, "t"), Tool: text(line, "tool"),
		Transport: text(line, "transport"), Target: text(line, "target"),
	}, nil
}

// Parse reads one event. A verbatim frame aliases the line.
func Parse(line []byte) (Event, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	e := Event{Ending: "\n", Members: line}
	size := int64(-1)
	for name, value := range jsonrpc.Members(line) {
		switch string(name) {
		case "s":
			e.Seq, _ = jsonrpc.Integer(value)
		case "t":
			e.Time, _ = jsonrpc.Integer(value)
		case "k":
			e.Kind = kindOf(value)
		case "nl":
			e.Ending, _ = jsonrpc.Unquote(value)
		case "part":
			e.Torn = true
		case "x":
			x, _ := jsonrpc.Integer(value)
			e.Exchange = uint32(x)
		case "ev":
			e.EventID, _ = jsonrpc.Unquote(value)
		case "n":
			size, _ = jsonrpc.Integer(value)
		}
		if size >= 0 || e.Kind != "" && !e.IsFrame() {
			break // what follows is the payload, or read by who wants it
		}
	}
	if e.Kind == "" {
		return e, errors.New("a line without a kind of event")
	}
	if !e.IsFrame() {
		e.Exchange = 0
		return e, nil
	}
	frame, err := payload(line)
	if err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if size != int64(len(frame)) {
		return e, fmt.Errorf("event %d: %d bytes where it says %d", e.Seq, len(frame), max(size, 0))
	}
	e.Frame = frame
	return e, nil
}

// kindOf is a kind without memory of its own.
func kindOf(value []byte) string {
	for _, k := range [...]string{KindOut, KindIn, KindHTTP, KindStderr, KindProcess, KindStep, KindAuth, KindNote} {
		if len(value) == len(k)+2 && string(value[1:len(value)-1]) == k {
			return k
		}
	}
	k, _ := jsonrpc.Unquote(value)
	return k
}

// payload cuts the frame out of its line. The bytes around a verbatim frame's
// value, white space included, are the frame's too, so the cut is by place.
func payload(line []byte) ([]byte, error) {
	const key = `,"msg":`
	i := bytes.Index(line, []byte(`,"n":`))
	if i < 0 || line[len(line)-1] != '}' {
		return nil, errNoPayload
	}
	from := i + len(`,"n":`)
	for from < len(line) && line[from] >= '0' && line[from] <= '9' {
		from++
	}
	if bytes.HasPrefix(line[from:], []byte(key)) {
		return line[from+len(key) : len(line)-1], nil
	}
	// What is not verbatim has its head in "txt" first.
	b64, ok := jsonrpc.Member(line, "b64")
	if !ok {
		return nil, errNoPayload
	}
	return base64.StdEncoding.DecodeString(string(bytes.Trim(b64, `"`)))
}

var errNoPayload = errors.New("no payload")

func integer(line []byte, name string) int64 {
	v, _ := jsonrpc.Member(line, name)
	n, _ := jsonrpc.Integer(v)
	return n
}

func text(line []byte, name string) string {
	v, _ := jsonrpc.Member(line, name)
	s, _ := jsonrpc.Unquote(v)
	return s
}
