package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// ErrNotARecording says that the first line is not a header of this format.
var ErrNotARecording = errors.New("not a recording of mcptea: the first line is not a header")

// ParseHeader reads the first line. A version newer than [Version] is no error:
// what is known of it can be read.
func ParseHeader(line []byte) (Header, error) {
	version, ok := jsonrpc.Member(line, "mcptea")
	n, isInt := jsonrpc.Integer(version)
	if !ok || !isInt || n < 1 {
		return Header{}, ErrNotARecording
	}
	return Header{
		Version: int(min(n, math.MaxInt32)), Time: clamp(line, "t", 0, maxTime), Tool: text(line, "tool"),
		Transport: transportName(line), Target: text(line, "target"),
	}, nil
}

// transportName returns the transport that a line names; empty for one that does not
// exist, so that it is no place for text.
func transportName(line []byte) string {
	name := text(line, "transport")
	if !slices.Contains([]string{"stdio", "http", "sse"}, name) {
		return ""
	}
	return name
}

// maxOpen bounds the HTTP exchanges that a Decoder remembers before their end.
const maxOpen = 10_000

// Decoder decodes the lines of one recording in their order. It completes what
// an event says with what earlier ones said: the exchange of a phase, the number
// of the connection. It is not safe for concurrent use.
type Decoder struct {
	conn      uint16
	exchanges map[uint32]*transport.Exchange
}

// Decode decodes the line of an event, with or without its newline, which may be CR LF:
// version control writes recordings like that on some systems. The frame of the event
// aliases the line.
func (d *Decoder) Decode(line []byte) (Event, error) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	e := Event{Conn: d.conn}
	var name string
	size := int64(-1)
	for key, value := range jsonrpc.Members(line) {
		switch string(key) {
		case "s":
			e.Seq = clampValue(value, 0, math.MaxInt64)
		case "t":
			e.Time = time.Unix(0, clampValue(value, 0, maxTime))
		case "k":
			name = kindName(value)
			e.Kind = kinds[name]
			e.Frame.Ending = "\n"
		case "c":
			e.Conn, e.Beside = uint16(clampValue(value, 0, math.MaxUint16)), true
		case "nl":
			e.Frame.Ending, _ = jsonrpc.Unquote(value)
		case "part":
			e.Frame.Truncated = true
		case "side":
			name, _ := jsonrpc.Unquote(value)
			e.Frame.Side = transport.ParseSide(name)
		case "x":
			e.Frame.Exchange = uint32(clampValue(value, 0, math.MaxUint32))
		case "ev":
			e.Frame.EventID, _ = jsonrpc.Unquote(value)
		case "en":
			e.Frame.EventName, _ = jsonrpc.Unquote(value)
		case "n":
			size, _ = jsonrpc.Integer(value)
		}
		if size >= 0 || name != "" && e.Kind != KindFrame {
			break // the payload follows, or what decodeOther reads
		}
	}
	if name != "" && e.Kind != KindFrame {
		if conn := clamp(line, "c", 0, math.MaxUint16); conn > 0 {
			e.Conn, e.Beside = uint16(conn), true
		}
	}
	switch {
	case name == "":
		return e, errors.New("it has no kind of event")
	case e.Kind != KindFrame && !json.Valid(line):
		return e, errors.New("it is not valid JSON")
	case e.Kind != KindFrame:
		e.Frame = transport.Frame{}
		return e, d.decodeOther(&e, name, line)
	}
	e.Frame.Time = e.Time
	if name == nameIn {
		e.Frame.Dir = transport.In
	}
	var err error
	e.Frame.Bytes, e.Payload, err = payload(line)
	if err == nil && size != int64(len(e.Frame.Bytes)) {
		err = fmt.Errorf("it has %d bytes where it says %d", len(e.Frame.Bytes), max(size, 0))
	}
	return e, err
}

// decodeOther decodes what is not a frame.
func (d *Decoder) decodeOther(e *Event, name string, line []byte) error {
	switch e.Kind {
	case KindConnection:
		e.Connection = decodeConnection(line)
		e.Conn, e.Beside = e.Connection.Number, e.Connection.Beside
		if !e.Beside {
			d.conn = e.Conn
		}
	case KindHTTP:
		e.Exchange = d.exchange(e, line)
	case KindProcess:
		e.Process = decodeProcess(e.Time, line)
		if e.Process == nil {
			e.Kind, e.Text = KindUnknown, name
		}
	case KindStderr:
		e.Text = text(line, "text")
		if b64 := text(line, "b64"); b64 != "" {
			b, err := base64.StdEncoding.DecodeString(b64)
			e.Text = string(b)
			return err
		}
	case KindStep, KindAuthorization:
		e.Step = &Step{
			Name: text(line, "step"), State: text(line, "state"), Detail: text(line, "detail"), Took: took(line, "took"),
			URL: text(line, "url"), Refused: text(line, "refused"), Found: text(line, "found"), Expected: text(line, "expected"),
		}
	case KindNote:
		e.Text = text(line, "text")
	case KindMark:
		row := clamp(line, "row", 0, 1<<31)
		if row < 1 || row > 1<<31-1 {
			return errors.New("it marks no row")
		}
		e.Mark = &Mark{Row: int32(row) - 1, Marked: isTrue(line, "marked"), Note: text(line, "text")}
	case KindChange:
		var err error
		e.Change, err = decodeChange(line)
		return err
	case KindEnded:
		id, _ := jsonrpc.Member(line, "id")
		e.Ended = &Ended{ID: jsonrpc.ID(id), Cancelled: text(line, "state") == endedStates[true]}
	default:
		e.Text = name
	}
	return nil
}

func decodeConnection(line []byte) *Connection {
	what := max(slices.Index(connectionChanges[:], text(line, "what")), 0)
	return &Connection{
		What: ConnectionChange(what), Number: uint16(clamp(line, "conn", 0, math.MaxUint16)), Transport: transportName(line),
		Target: text(line, "target"), Revision: text(line, "revision"), Server: text(line, "server"), Reason: text(line, "reason"),
		Beside: isTrue(line, "beside"),
	}
}

// decodeProcess returns nil for a change that is not known.
func decodeProcess(at time.Time, line []byte) *transport.ProcessEvent {
	name := text(line, "what")
	what := slices.IndexFunc(transport.ProcessChanges(), func(c transport.ProcessChange) bool { return c.String() == name })
	if what < 0 {
		return nil
	}
	var argv []string
	raw, _ := jsonrpc.Member(line, "argv")
	_ = json.Unmarshal(raw, &argv) // absent unless it started
	return &transport.ProcessEvent{
		Time: at, What: transport.ProcessChange(what), PID: int(clamp(line, "pid", 0, math.MaxInt32)), Path: text(line, "path"), Argv: argv, Dir: text(line, "dir"),
		Signal: text(line, "signal"), ExitCode: int(clamp(line, "code", math.MinInt32, math.MaxInt32)), Expected: isTrue(line, "expected"), Stopped: isTrue(line, "stopped"),
	}
}

// exchange completes an exchange with a phase. Version 1, and an exchange with an
// authorization server, has one line for all of it, at the end. Version 1 has no
// "phase" in it.
func (d *Decoder) exchange(e *Event, line []byte) *transport.Exchange {
	id := uint32(clamp(line, "x", 0, math.MaxUint32))
	var x transport.Exchange
	if before := d.exchanges[id]; before != nil {
		x = *before
	}
	phase := text(line, "phase")
	x.ID, x.Phase = id, transport.ExchangeDone
	for _, p := range transport.ExchangePhases() {
		if p.String() == phase {
			x.Phase = p
		}
	}
	_, all := jsonrpc.Member(line, "method")
	if all {
		x.Start = e.Time
		if start := clamp(line, "start", 0, maxTime); start != 0 {
			x.Start = time.Unix(0, start)
		}
		x.Purpose, x.Method, x.URL = text(line, "purpose"), text(line, "method"), text(line, "url")
		x.Repeats, x.RequestHeader, x.RequestBody = uint32(clamp(line, "repeats", 0, math.MaxUint32)), headerOf(line, "request"), []byte(text(line, "said"))
	}
	if all && x.Phase == transport.ExchangeDone || x.Phase == transport.ExchangeHeaders {
		x.Status, x.FirstByte, x.ResponseHeader = int(clamp(line, "status", 0, 999)), took(line, "first"), headerOf(line, "response")
	}
	if x.Phase == transport.ExchangeDone {
		decodeEnd(&x, line)
		delete(d.exchanges, id)
		return &x
	}
	if d.exchanges == nil || len(d.exchanges) >= maxOpen {
		d.exchanges = map[uint32]*transport.Exchange{}
	}
	d.exchanges[id] = &x
	return &x
}

func decodeEnd(x *transport.Exchange, line []byte) {
	x.Took, x.Sent, x.Received = took(line, "took"), clamp(line, "sent", 0, maxSize), clamp(line, "received", 0, maxSize)
	failed, _ := jsonrpc.Member(line, "failed")
	x.Failed = string(failed) == "true"
	x.Err, x.ResponseBody = text(line, "error"), []byte(text(line, "heard"))
	x.Events, x.LastEventID, x.Retry = int(clamp(line, "events", 0, math.MaxInt32)), text(line, "last"), took(line, "retry")
	by := text(line, "by")
	for _, c := range transport.Closers() {
		if c.String() == by {
			x.ClosedBy = c
		}
	}
}

// kindName returns the name of a kind without allocating for the known ones.
func kindName(value []byte) string {
	if len(value) > 2 {
		if name, ok := kindNames[string(value[1:len(value)-1])]; ok {
			return name
		}
	}
	name, _ := jsonrpc.Unquote(value)
	return name
}

var kindNames = func() map[string]string {
	names := map[string]string{}
	for name := range kinds {
		names[name] = name
	}
	return names
}()

// payload cuts the frame out of its line. The bytes around a verbatim frame's
// value, white space included, belong to the frame, so the cut is by position.
func payload(line []byte) ([]byte, Payload, error) {
	const key = `,"msg":`
	i := bytes.Index(line, []byte(`,"n":`))
	if i < 0 || line[len(line)-1] != '}' {
		return nil, Payload{}, errNoPayload
	}
	from := i + len(`,"n":`)
	for from < len(line) && line[from] >= '0' && line[from] <= '9' {
		from++
	}
	if bytes.HasPrefix(line[from:], []byte(key)) {
		from += len(key)
		frame := line[from : len(line)-1]
		return frame, Payload{Offset: from, stored: len(frame)}, nil
	}
	// What is not verbatim has its head in "txt" first.
	b64, ok := jsonrpc.Member(line, "b64")
	if !ok || len(b64) < len(`""`) {
		return nil, Payload{}, errNoPayload
	}
	p := Payload{Offset: cap(line) - cap(b64) + 1, stored: len(b64) - len(`""`), Base64: true}
	frame, err := base64.StdEncoding.DecodeString(string(b64[1 : len(b64)-1]))
	return frame, p, err
}

var errNoPayload = errors.New("it has no payload")

func headerOf(line []byte, name string) http.Header {
	raw, ok := jsonrpc.Member(line, name)
	if !ok {
		return nil
	}
	var h http.Header
	_ = json.Unmarshal(raw, &h) // a header that cannot be read counts as absent
	return h
}

// Numbers of a recording are clamped to what a recorder can have measured, so that
// no sum or difference of times, durations and sizes overflows.
const (
	maxTime = math.MaxInt64 / 2 // nanoseconds: the year 2116
	maxTook = 366 * 24 * time.Hour
	maxSize = 1 << 50 // bytes
)

// clamp returns the integer of a member within bounds; what is no integer counts as 0.
func clamp(line []byte, name string, least, most int64) int64 {
	v, _ := jsonrpc.Member(line, name)
	return clampValue(v, least, most)
}

func clampValue(value []byte, least, most int64) int64 {
	n, _ := jsonrpc.Integer(value)
	return min(max(n, least), most)
}

// took returns a duration.
func took(line []byte, name string) time.Duration {
	return time.Duration(clamp(line, name, 0, int64(maxTook)))
}

func text(line []byte, name string) string {
	v, _ := jsonrpc.Member(line, name)
	s, _ := jsonrpc.Unquote(v)
	return s
}

func isTrue(line []byte, name string) bool {
	v, _ := jsonrpc.Member(line, name)
	return string(v) == "true"
}
