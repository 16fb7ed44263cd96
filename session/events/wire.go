package events

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Type is an event type, as a server lists it.
type Type struct {
	Name, Description string
	Delivery          []string // delivery modes as listed; see [revision.DeliveryPoll]
	Input, Payload    []byte   // raw schemas of arguments and data, or nil
	Raw               []byte
}

// ReadType reads an entry of events/list. It aliases raw. Members of the wrong type are left empty.
func ReadType(raw []byte) Type {
	t := Type{Name: jsonrpc.Text(raw, "name"), Description: jsonrpc.Text(raw, "description"), Raw: raw}
	t.Input, _ = jsonrpc.Member(raw, "inputSchema")
	t.Payload, _ = jsonrpc.Member(raw, "payloadSchema")
	modes, _ := jsonrpc.Member(raw, "delivery")
	for e := range jsonrpc.Elements(modes) {
		if mode, ok := jsonrpc.Unquote(e); ok {
			t.Delivery = append(t.Delivery, mode)
		}
	}
	return t
}

// Offers reports a mode that the type is delivered in.
func (t Type) Offers(mode string) bool { return slices.Contains(t.Delivery, mode) }

// Mode returns the delivery mode that mcptea chooses: push, or else poll. It is "" if the type is delivered
// only by webhooks.
func (t Type) Mode() string {
	for _, mode := range []string{revision.DeliveryPush, revision.DeliveryPoll} {
		if t.Offers(mode) {
			return mode
		}
	}
	return ""
}

// A Cursor is a position in the events of a type. The zero Cursor is null: only new events.
type Cursor struct {
	Text string
	Set  bool // the cursor is not null
}

// cursorOf reads the member "cursor" of an object; ok is false for one that is neither absent, null
// nor a string.
func cursorOf(object []byte) (c Cursor, ok bool) {
	value, there := jsonrpc.Member(object, "cursor")
	if !there || string(value) == "null" {
		return Cursor{}, true
	}
	text, isText := jsonrpc.Unquote(value)
	return Cursor{Text: text, Set: isText}, isText
}

// JSON returns the cursor as a JSON value.
func (c Cursor) JSON() []byte {
	if !c.Set {
		return []byte("null")
	}
	return []byte(jsonrpc.Quote(c.Text))
}

// An Occurrence is one event. It aliases Raw. Members of the wrong type are left empty.
type Occurrence struct {
	ID, Name, Timestamp string
	Data                []byte // data of the event, or nil
	Cursor              Cursor
	Raw                 []byte
}

// ReadOccurrence reads an event.
func ReadOccurrence(raw []byte) Occurrence {
	o := Occurrence{ID: jsonrpc.Text(raw, "eventId"), Name: jsonrpc.Text(raw, "name"), Timestamp: jsonrpc.Text(raw, "timestamp"), Raw: raw}
	o.Data, _ = jsonrpc.Member(raw, "data")
	o.Cursor, _ = cursorOf(raw)
	return o
}

// batch is a result of events/poll.
type batch struct {
	events    [][]byte
	isArray   bool
	cursor    Cursor
	truncated bool
	more      bool
	next      time.Duration
	hasNext   bool
}

func readBatch(result []byte) batch {
	var b batch
	list, _ := jsonrpc.Member(result, "events")
	if b.isArray = len(list) > 0 && list[0] == '['; b.isArray {
		for e := range jsonrpc.Elements(list) {
			b.events = append(b.events, e)
		}
	}
	b.cursor, _ = cursorOf(result)
	b.truncated, b.more = isTrue(result, "truncated"), isTrue(result, "hasMore")
	value, _ := jsonrpc.Member(result, "nextPollMs")
	if ms, err := strconv.ParseFloat(string(value), 64); err == nil && ms >= 0 {
		b.hasNext, b.next = true, time.Duration(min(ms, float64(math.MaxInt32))*float64(time.Millisecond))
	}
	return b
}

func isTrue(object []byte, member string) bool {
	value, _ := jsonrpc.Member(object, member)
	return string(value) == "true"
}

// errorOf reads the member "error" of a notification or a delivery.
func errorOf(object []byte) *client.RPCError {
	raw, _ := jsonrpc.Member(object, "error")
	e := &client.RPCError{Message: jsonrpc.Text(raw, "message")}
	code, _ := jsonrpc.Member(raw, "code")
	if number, ok := jsonrpc.Integer(code); ok {
		e.Code = jsonrpc.CodeOf(number)
	}
	if data, ok := jsonrpc.Member(raw, "data"); ok {
		e.Data = bytes.Clone(data)
	}
	return e
}

// Params holds the members that the requests of a subscription have in common.
type Params struct {
	Name      string
	Arguments []byte // an object; nil is {}
	Cursor    Cursor
	MaxAge    time.Duration // 0 is no limit
}

func (p Params) encode() []byte {
	out := jsonrpc.AppendMember([]byte("{"), "name", []byte(jsonrpc.Quote(p.Name)))
	out = jsonrpc.AppendMember(out, "arguments", p.arguments())
	out = jsonrpc.AppendMember(out, "cursor", p.Cursor.JSON())
	if p.MaxAge > 0 {
		out = jsonrpc.AppendMember(out, "maxAgeMs", strconv.AppendInt(nil, p.MaxAge.Milliseconds(), 10))
	}
	return out
}

func (p Params) arguments() []byte {
	if len(p.Arguments) == 0 {
		return []byte("{}")
	}
	return p.Arguments
}

// Poll returns the params of events/poll. most is the number of requested events; 0 leaves it to the server.
func (p Params) Poll(most int) []byte {
	out := p.encode()
	if most > 0 {
		out = jsonrpc.AppendMember(out, "maxEvents", strconv.AppendInt(nil, int64(most), 10))
	}
	return append(out, '}')
}

// Stream returns the params of events/stream.
func (p Params) Stream() []byte { return append(p.encode(), '}') }
