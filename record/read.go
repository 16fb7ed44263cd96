package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/system"
)

// ErrNotARecording is returned if the first line is not a header of this format.
var ErrNotARecording = errors.New("not a recording of mcptea: the first line is not a header")

// MaxHeader bounds the first line, in bytes: it has a target, and a program.
const MaxHeader = 1 << 20

// ParseHeader parses the first line. It rejects lines longer than [MaxHeader]. A version newer than [Version]
// is not an error: the known parts can be read.
func ParseHeader(line []byte) (Header, error) {
	if len(line) > MaxHeader {
		return Header{}, ErrNotARecording
	}
	line = system.WithoutMark(line) // of an editor that has saved the file
	version, ok := jsonrpc.Member(line, "mcptea")
	n, isInt := jsonrpc.Integer(version)
	if !ok || !isInt || n < 1 {
		return Header{}, ErrNotARecording
	}
	h := Header{Version: int(min(n, math.MaxInt32))}
	h.members(&codec{line: line})
	return h, nil
}

// maxOpen bounds the HTTP exchanges that a Decoder remembers before their end.
const maxOpen = 10_000

// A Decoder decodes the lines of one recording in order. It completes events with information from
// earlier ones, such as the exchange of a phase or the number of the connection. It is not safe for
// concurrent use.
type Decoder struct {
	conn      uint16
	exchanges map[uint32]*transport.Exchange
}

// Decode decodes the line of an event. The line ending may be absent, or CR LF: on some systems,
// version control writes recordings like that. The frame of the event aliases the line.
func (d *Decoder) Decode(line []byte) (Event, error) {
	line = trimEnding(line)
	var e Event
	name, err := e.decode(line, false)
	if !e.Beside {
		e.Conn = d.conn
	}
	switch {
	case err != nil || e.Kind == KindFrame:
		return e, err
	case !json.Valid(line):
		return e, errors.New("it is not valid JSON")
	}
	c, _ := jsonrpc.Member(line, "c")
	if conn := clamped(c, 0, math.MaxUint16); conn > 0 {
		e.Conn, e.Beside = uint16(conn), true
	}
	return e, d.decodeOther(&e, name, line)
}

// DecodeFrame is like Decode, but takes the line of a frame in three parts, so that a large frame
// is not copied. The parts are the text before the payload, the frame, and the text after the
// payload without the newline. DecodeFrame returns an error if they do not form such a line.
func (d *Decoder) DecodeFrame(head, frame, rest []byte) (Event, error) {
	p := Payload{Offset: len(head), stored: len(frame)}
	start, after, _ := bytes.Cut(head, fmt.Appendf(nil, `,"n":%d,`, len(frame)))
	if p.Base64 = bytes.HasSuffix(after, []byte(`,"b64":"`)); p.Base64 {
		p.stored = base64.StdEncoding.EncodedLen(len(frame))
	} else if string(after) != `"msg":` {
		return Event{}, errNoPayload
	}
	if string(trimEnding(rest))+"\n" != p.tail() {
		return Event{}, errNoPayload
	}
	e, err := d.Decode(append(slices.Clone(start), `,"n":0,"msg":}`...))
	e.Frame.Bytes, e.Payload = frame, p
	return e, err
}

func trimEnding(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// decode decodes the line of a frame, without its line ending. For other kinds it decodes only the
// common members and returns the name of the kind. If owned is set, a Base64 frame is decoded in
// place. So a large frame is in memory only once.
func (e *Event) decode(line []byte, owned bool) (name string, err error) {
	if e.head(line) {
		return "", nil
	}
	*e = Event{}
	return e.byGrammar(line, owned)
}

// byGrammar is like decode, but parses the line as JSON.
func (e *Event) byGrammar(line []byte, owned bool) (name string, err error) {
	size := int64(-1)
	for key, value := range jsonrpc.Members(line) {
		switch string(key) {
		case "s":
			e.Seq = clamped(value, 0, math.MaxInt64)
		case "t":
			e.Time = time.Unix(0, clamped(value, 0, maxTime))
		case "k":
			name = kindName(value)
			e.Kind = kindOf(name)
			e.Frame.Ending = "\n"
		case "c":
			e.Conn, e.Beside = uint16(clamped(value, 0, math.MaxUint16)), true
		case "nl":
			e.Frame.Ending, _ = jsonrpc.Unquote(value)
		case "part":
			e.Frame.Truncated = true
		case "side":
			name, _ := jsonrpc.Unquote(value)
			e.Frame.Side = transport.ParseSide(name)
		case "x":
			e.Frame.Exchange = uint32(clamped(value, 0, math.MaxUint32))
		case "ev":
			e.Frame.EventID, _ = jsonrpc.Unquote(value)
		case "en":
			e.Frame.EventName, _ = jsonrpc.Unquote(value)
		case "of":
			e.Frame.Cause = transport.RefTo(int32(clamped(value, 0, math.MaxInt32))-1, 0)
		case "n":
			size, _ = jsonrpc.Integer(value)
		}
		if size >= 0 || name != "" && e.Kind != KindFrame {
			break // the payload follows, or members that decodeOther reads
		}
	}
	switch {
	case name == "":
		return "", errors.New("it has no kind of event")
	case e.Kind != KindFrame:
		e.Frame = transport.Frame{}
		return name, nil
	}
	e.Frame.Time = e.Time
	if name == nameIn {
		e.Frame.Dir = transport.In
	}
	e.Frame.Bytes, e.Payload, err = payload(line, owned)
	if err == nil && size != int64(len(e.Frame.Bytes)) {
		err = fmt.Errorf("it has %d bytes where it says %d", len(e.Frame.Bytes), max(size, 0))
	}
	return name, err
}

// decodeOther decodes an event that is not a frame.
func (d *Decoder) decodeOther(e *Event, name string, line []byte) error {
	c := codec{line: line}
	switch e.Kind {
	case KindUnknown:
		e.Text = name
	case KindHTTP:
		e.Exchange = d.exchange(&c, e.Time)
	default:
		e.members(&c)
	}
	if e.Kind == KindConnection {
		e.Conn, e.Beside = e.Connection.Number, e.Connection.Beside
		if !e.Beside {
			d.conn = e.Conn
		}
	}
	return c.err
}

// exchange adds a phase to its exchange.
func (d *Decoder) exchange(c *codec, at time.Time) *transport.Exchange {
	var x transport.Exchange
	number(c, "x", &x.ID, 0, math.MaxUint32)
	if before := d.exchanges[x.ID]; before != nil {
		x = *before
	}
	exchange(c, &x, at)
	if x.Phase == transport.ExchangeDone {
		delete(d.exchanges, x.ID)
		return &x
	}
	if d.exchanges == nil || len(d.exchanges) >= maxOpen {
		d.exchanges = map[uint32]*transport.Exchange{}
	}
	d.exchanges[x.ID] = &x
	return &x
}

// kindName returns the name of a kind. It does not allocate for frames.
func kindName(value []byte) string {
	switch string(value) {
	case `"` + nameIn + `"`:
		return nameIn
	case `"` + nameOut + `"`:
		return nameOut
	}
	name, _ := jsonrpc.Unquote(value)
	return name
}

// kindOf returns the kind of a name.
func kindOf(name string) Kind {
	if name == nameIn || name == nameOut {
		return KindFrame
	}
	return Kind(max(0, slices.Index(kindNames[:], name)))
}

// payload cuts the frame out of its line. The cut is by position, because the bytes around the
// value of a verbatim frame, such as white space, belong to the frame.
func payload(line []byte, owned bool) ([]byte, Payload, error) {
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
	// A payload that is not verbatim has a preview in "txt" first.
	b64, ok := jsonrpc.Member(line, "b64")
	if !ok || len(b64) < len(`""`) {
		return nil, Payload{}, errNoPayload
	}
	p := Payload{Offset: cap(line) - cap(b64) + 1, stored: len(b64) - len(`""`), Base64: true}
	text := b64[1 : len(b64)-1]
	var frame []byte
	if owned {
		frame = text[:0]
	}
	frame, err := base64.StdEncoding.AppendDecode(frame, text)
	return frame, p, err
}

var errNoPayload = errors.New("it has no payload")
