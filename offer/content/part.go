package content

import "mcptea/client/jsonrpc"

// A Part is a piece of a result: a [Heading], [Note], [Text], [JSON], [Picture] or [Gap].
type Part interface{ part() }

// Heading names what follows, with facts about it.
type Heading struct {
	Role  Role
	Name  string
	Facts []Fact
	// Plain is set if the following part needs no heading in output without layout, such as a text among other
	// texts.
	Plain bool
}

// A Role is the subject of a heading.
type Role uint8

// The roles.
const (
	OfContent   Role = iota
	OfAssistant      // a message of a prompt with the role "assistant"
	OfToolError      // the result has isError
	OfFault          // content that cannot be decoded
)

// A Fact is a text or a size. One field is set.
type Fact struct {
	Text string
	Size Size
}

// Size is a number of bytes, counted from 1, so that the zero Size means no size.
type Size int64

// sizeOf makes a size of a number of bytes.
func sizeOf(n int64) Size { return Size(n + 1) }

// Bytes returns the number of bytes.
func (s Size) Bytes() int64 { return int64(s) - 1 }

// Note is a sentence about the result.
type Note struct {
	Text    string
	Trusted bool // the text is not from the server
}

// Text is a text.
type Text struct {
	MIME   string // empty if the server does not tell
	Failed bool   // the text is the reason why a tool failed
	JSON   []byte // the text without the blanks around it, if it is a JSON object or array

	text  string
	lines *Lines // lines of a long text that is not decoded
}

// String returns the whole text. It decodes a long text at each call.
func (t Text) String() string {
	if t.lines != nil {
		text, _ := jsonrpc.Unquote(t.lines.token)
		return text
	}
	return t.text
}

// Lines returns the lines of a text of more than [maxDecoded] bytes, or nil.
func (t Text) Lines() *Lines { return t.lines }

// JSON is a JSON value as sent. It is invalid only if the whole result is.
type JSON struct{ Raw []byte }

// Picture is an image, in the bytes of its file.
type Picture struct{ Data []byte }

// Gap separates parts.
type Gap struct{}

func (Heading) part() {}
func (Note) part()    {}
func (Text) part()    {}
func (JSON) part()    {}
func (Picture) part() {}
func (Gap) part()     {}
