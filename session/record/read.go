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
	e := Event{
		Seq: integer(line, "s"), Time: integer(line, "t"), Kind: text(line, "k"),
		Ending: "\n", Members: line,
	}
	if e.Kind == "" {
		return e, errors.New("a line without a kind of event")
	}
	if !e.IsFrame() {
		return e, nil
	}
	if _, ok := jsonrpc.Member(line, "nl"); ok {
		e.Ending = text(line, "nl")
	}
	_, e.Torn = jsonrpc.Member(line, "part")
	e.Exchange = uint32(integer(line, "x"))
	e.EventID = text(line, "ev")
	frame, err := payload(line)
	if err != nil {
		return e, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	if n := integer(line, "n"); n != int64(len(frame)) {
		return e, fmt.Errorf("event %d: %d bytes where it says %d", e.Seq, len(frame), n)
	}
	e.Frame = frame
	return e, nil
}

// payload cuts the frame out of its line. The bytes around a verbatim frame's
// value, white space included, are the frame's too, so the cut is by place.
func payload(line []byte) ([]byte, error) {
	if b64 := text(line, "b64"); b64 != "" {
		return base64.StdEncoding.DecodeString(b64)
	}
	if _, ok := jsonrpc.Member(line, "b64"); ok {
		return []byte{}, nil
	}
	const key = `,"msg":`
	i := bytes.Index(line, []byte(`,"n":`))
	j := -1
	if i >= 0 {
		j = bytes.Index(line[i:], []byte(key))
	}
	if j < 0 || len(line) < 1 || line[len(line)-1] != '}' {
		return nil, errors.New("no payload")
	}
	return line[i+j+len(key) : len(line)-1], nil
}

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
