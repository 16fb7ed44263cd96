package record

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

// codec reads the members of a line or appends them to a line. One function names the members of an
// event for both directions. A member that cannot be read counts as absent.
type codec struct {
	line []byte // line to read; nil for writing
	dst  []byte // written bytes
	err  error  // reason why the line is not an event
}

func (c *codec) reads() bool { return c.line != nil }

// name appends the name of a member.
func (c *codec) name(name string) {
	c.dst = append(c.dst, ',', '"')
	c.dst = append(c.dst, name...)
	c.dst = append(c.dst, '"', ':')
}

func (c *codec) member(name string) []byte {
	v, _ := jsonrpc.Member(c.line, name)
	return v
}

// text encodes or decodes a member that is always written.
func (c *codec) text(name string, v *string) {
	if c.reads() {
		*v, _ = jsonrpc.Unquote(c.member(name))
		return
	}
	c.name(name)
	c.dst = append(c.dst, jsonrpc.Quote(*v)...)
}

// optional encodes or decodes a text that is written if it is not empty.
func (c *codec) optional(name string, v *string) {
	if c.reads() || *v != "" {
		c.text(name, v)
	}
}

// body encodes or decodes the head of a body that is not a frame.
func (c *codec) body(name string, v *[]byte) {
	text := string(*v)
	c.optional(name, &text)
	*v = []byte(text)
}

// raw encodes or decodes a JSON value.
func (c *codec) raw(name string, v *jsonrpc.ID) {
	if c.reads() {
		*v = jsonrpc.IDOf(c.member(name))
		return
	}
	c.name(name)
	c.dst = append(c.dst, v.String()...)
}

// flag encodes or decodes a flag that is written if it is true.
func (c *codec) flag(name string, v *bool) {
	if c.reads() || *v {
		c.bool(name, v)
	}
}

func (c *codec) bool(name string, v *bool) {
	if c.reads() {
		*v = string(c.member(name)) == "true"
		return
	}
	c.name(name)
	c.dst = strconv.AppendBool(c.dst, *v)
}

// frame encodes or decodes a frame. The frame is written as a string, or in Base64 in an array if
// it is not UTF-8. nil stands for no frame.
func (c *codec) frame(name string, v *[]byte) {
	switch value := c.member(name); {
	case c.reads() && value != nil:
		*v = c.readFrame(value)
	case !c.reads() && *v != nil:
		c.name(name)
		c.dst = appendFrame(c.dst, *v)
	}
}

// frames encodes or decodes several frames. nil stands for no list.
func (c *codec) frames(name string, v *[][]byte) {
	switch value := c.member(name); {
	case c.reads() && value != nil:
		*v = [][]byte{}
		for element := range jsonrpc.Elements(value) {
			*v = append(*v, c.readFrame(element))
		}
	case !c.reads() && *v != nil:
		c.name(name)
		var list []byte
		for _, frame := range *v {
			list = appendFrame(append(list, ','), frame)
		}
		c.dst = append(append(append(c.dst, '['), bytes.TrimPrefix(list, []byte(","))...), ']')
	}
}

// base64 encodes or decodes a text. If it is not UTF-8, it is written in Base64 under another name.
func (c *codec) base64(name, encoded string, v *string) {
	if !c.reads() && !utf8.ValidString(*v) {
		text := base64.StdEncoding.EncodeToString([]byte(*v))
		c.text(encoded, &text)
		return
	}
	c.text(name, v)
	if b64 := ""; c.reads() {
		if c.text(encoded, &b64); b64 != "" {
			var b []byte
			b, c.err = base64.StdEncoding.DecodeString(b64)
			*v = string(b)
		}
	}
}

// Numbers read from a recording are clamped to values that a recorder can have measured, so that sums and
// differences of times, durations and sizes do not overflow.
const (
	maxTime = math.MaxInt64 / 2 // nanoseconds: the year 2116
	maxTook = 366 * 24 * time.Hour
	maxSize = 1 << 50 // bytes
)

// number encodes or decodes a number that is always written. A decoded number is clamped, and 0 if it is not an
// integer.
func number[T ~int | ~int32 | ~int64 | ~uint16 | ~uint32](c *codec, name string, v *T, least, most T) {
	if c.reads() {
		*v = T(clamped(c.member(name), int64(least), int64(most)))
		return
	}
	c.name(name)
	c.dst = strconv.AppendInt(c.dst, int64(*v), 10)
}

// positive encodes or decodes a number that is written if it is above 0.
func positive[T ~int | ~int32 | ~int64 | ~uint16 | ~uint32](c *codec, name string, v *T, most T) {
	if c.reads() || *v > 0 {
		number(c, name, v, 0, most)
	}
}

func clamped(value []byte, least, most int64) int64 {
	n, _ := jsonrpc.Integer(value)
	return min(max(n, least), most)
}

// asJSON encodes or decodes a value with encoding/json. It writes the value only if has is true.
func asJSON[T any](c *codec, name string, v *T, has bool) {
	if c.reads() {
		var read T
		_ = json.Unmarshal(c.member(name), &read)
		*v = read
		return
	}
	if b, err := json.Marshal(v); err == nil && has { // never fails: strings, numbers and maps of them always marshal
		c.name(name)
		c.dst = append(c.dst, b...)
	}
}

// took encodes or decodes a duration that is always written.
func (c *codec) took(name string, v *time.Duration) { number(c, name, v, 0, maxTook) }

// row encodes or decodes a row number and the number of deliveries before that row. In the file,
// the row number is 1-based and does not count deliveries. missing is the error if there is no row.
func (c *codec) row(v, past *int32, missing error) {
	n := int64(*v) + 1 - int64(*past)
	number(c, "row", &n, 0, math.MaxInt64)
	positive(c, "past", past, math.MaxInt32)
	if n += int64(*past); n < 1 || n > math.MaxInt32 {
		c.err = missing
		return
	}
	*v = int32(n) - 1
}

// named encodes or decodes one of several values by its name. The name is always written. If a
// decoded name is unknown, named leaves v unchanged and returns false.
func named[T interface {
	comparable
	String() string
}](c *codec, name string, v *T, values ...T) bool {
	text := (*v).String()
	c.text(name, &text)
	for _, value := range values {
		if value.String() == text {
			*v = value
			return true
		}
	}
	return false
}

// appendFrame appends a frame in the form of [codec.frame].
func appendFrame(dst, frame []byte) []byte {
	if utf8.Valid(frame) {
		return append(dst, jsonrpc.Quote(string(frame))...)
	}
	dst = append(dst, `["`...)
	dst = base64.StdEncoding.AppendEncode(dst, frame)
	return append(dst, `"]`...)
}

func (c *codec) readFrame(value []byte) []byte {
	if len(value) > 0 && value[0] == '[' {
		for element := range jsonrpc.Elements(value) {
			text, _ := jsonrpc.Unquote(element)
			frame, err := base64.StdEncoding.DecodeString(text)
			c.err = cmp.Or(c.err, err)
			return frame
		}
	}
	text, ok := jsonrpc.Unquote(value)
	if !ok {
		c.err = errNoFrame
	}
	return []byte(text)
}
