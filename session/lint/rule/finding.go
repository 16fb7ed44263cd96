package rule

import (
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
)

// Finding is one violation of a rule.
type Finding struct {
	Rule     *Entry
	Severity Severity
	Fault    Side // Client or Server
	// Row is that of the event in the record, -1 without one.
	Row  int32
	Time time.Time

	// Path is a JSON pointer into the frame; in a batch it begins with the index
	// of the message. Offset is a byte of the frame, -1 if Path is the place.
	Path   string
	Offset int

	Message, Hint string

	// Self marks an info about a message that mcptea sent by itself, such as a
	// deprecated capability that it declares: the user cannot change it. [OfSelf]
	// sets it.
	Self bool

	// Times is how often the rule has fired at this place, including this time.
	Times int
}

// OfSelf marks the infos about the client in a session of which mcptea is the
// client. Errors and warnings about the client are not marked: they are caused by
// what the user sends.
func OfSelf(report func(Finding)) func(Finding) {
	return func(f Finding) {
		f.Self = f.Fault == Client && f.Severity == Info
		report(f)
	}
}

// Place is the place of a finding in a frame.
type Place struct {
	path   string
	offset int
}

// Whole is the frame as a whole.
var Whole = Place{offset: -1}

// At is a JSON pointer from the root of the message (RFC 6901); the parts are
// names of members and indexes, which are escaped as needed.
func At(parts ...any) Place {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(jsonrpc.EscapePointer(fmt.Sprint(p)))
	}
	return Place{path: b.String(), offset: -1}
}

// AtPointer is the place of a JSON pointer.
func AtPointer(pointer string) Place { return Place{path: pointer, offset: -1} }

// Path is the JSON pointer of the place; empty for the frame as a whole and for an
// offset.
func (p Place) Path() string { return p.path }

// Below is a place further down.
func Below(at Place, pointer string) Place { return Place{path: at.path + pointer, offset: -1} }

// Pointer returns the place as in a finding: a JSON pointer, and an offset that
// is -1 if the pointer is the place.
func (p Place) Pointer() (path string, offset int) { return p.path, p.offset }

// Byte is an offset in the frame.
func Byte(offset int) Place { return Place{offset: offset} }

// fill replaces names in braces by values; a name without a value becomes an
// ellipsis. Braces within a value stay.
func fill(text string, values []any) string {
	if strings.IndexByte(text, '{') < 0 {
		return text // findings without values share it
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isName(name) {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(valueOf(name, values))
		text = after
	}
}

// valueOf is the first value that was given for a name.
func valueOf(name string, values []any) string {
	for i := 0; i+1 < len(values); i += 2 {
		if values[i] == name {
			return fmt.Sprint(values[i+1])
		}
	}
	return "…"
}

func isName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' {
			return false
		}
	}
	return s != ""
}
