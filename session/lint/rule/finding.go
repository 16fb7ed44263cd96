package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/catalog"
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

// fill replaces names in braces by values, which alternate with their names; a name
// without a value becomes an ellipsis.
func fill(text string, values []any) string {
	return catalog.Fill(text, func(name string) string {
		for i := 0; i+1 < len(values); i += 2 {
			if values[i] == name { // the first one counts
				return fmt.Sprint(values[i+1])
			}
		}
		return "…"
	})
}

// JSON is a finding in one line, for scripts. frame is the number of the line or
// row.
func (f *Finding) JSON(frame int) ([]byte, error) {
	line := struct {
		Rule     string `json:"rule"`
		Slug     string `json:"slug"`
		Severity string `json:"severity"`
		Fault    string `json:"responsible"`
		Frame    int    `json:"frame"`
		Path     string `json:"path"`
		Offset   *int   `json:"offset,omitempty"`
		Message  string `json:"message"`
		Hint     string `json:"fix"`
		Spec     string `json:"spec"`
		Times    int    `json:"times"`
	}{
		Rule: f.Rule.ID, Slug: f.Rule.Slug, Severity: f.Severity.String(), Fault: f.Fault.String(), Frame: frame,
		Path: f.Path, Message: f.Message, Hint: f.Hint, Spec: f.Rule.Spec, Times: f.Times,
	}
	if f.AtByte() {
		line.Offset = &f.Offset
	}
	return json.Marshal(line)
}

// AtByte reports whether the place is an offset.
func (f *Finding) AtByte() bool { return f.Offset >= 0 && f.Path == "" }

// Where is the place within the frame, empty for the whole frame.
func (f *Finding) Where() string {
	if f.AtByte() {
		return fmt.Sprintf("byte %d", f.Offset)
	}
	return f.Path
}

// Text is a finding in a few lines, for a bug report. frame is the name of the
// frame, such as "frame 12".
func (f *Finding) Text(frame string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s): %s\n", f.Rule.ID, f.Rule.Slug, f.Severity, f.Fault, f.Message)
	if f.Hint != "" {
		b.WriteString(f.Hint + "\n")
	}
	place := frame
	if where := f.Where(); where != "" {
		place = strings.TrimSpace(place + " " + where)
	}
	if place != "" {
		b.WriteString("Place: " + place + "\n")
	}
	if f.Rule.Spec != "" {
		b.WriteString("Specification: " + f.Rule.Spec + "\n")
	}
	return b.String()
}
