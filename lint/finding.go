package lint

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/record"
)

// Finding is one violation of a rule.
type Finding struct {
	Rule     *Entry
	Severity Severity
	Fault    Side // Client or Server
	// Row is the row of the event in the record, or -1.
	Row int32
	// Related lists rows of other frames that support the finding. It is usually empty.
	Related []int32
	Time    time.Time
	// Revision is the protocol version of the message or the session, or "" while unknown.
	Revision revision.Revision

	// Path is a JSON pointer into the frame. In a batch it begins with the index of the message.
	// Offset is the index of a byte in the frame, or -1 if Path is the place.
	Path   string
	Offset int

	Message, Hint string

	// Excerpt is the redacted text at the place. It is nil if [Excerpts] is not used, and if the
	// finding is not about the frame of its event.
	Excerpt *Excerpt

	// By is the program that made the call, if that was not the user of the session.
	By record.Caller

	// Self marks an info about something in a message of mcptea that the user cannot change, such
	// as a deprecated capability. [OfSelf] sets it.
	Self bool

	// Unjudged reports whether the data that the finding is based on may be out of date. The
	// finding is then an info that says so.
	Unjudged bool

	// Times counts how often the rule has fired at this place, including this time.
	Times int
}

// OfSelf returns a report function that sets Self on infos about the client. It is for a session in
// which mcptea is the client. It does not mark errors and warnings, because the user has caused
// them by a request.
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

// Whole is the place of a finding about the whole frame.
var Whole = Place{offset: -1}

// At returns the place of a JSON pointer (RFC 6901) from the root of the message. The parts are member names
// and indexes; At escapes them.
func At(parts ...any) Place {
	path := make([]byte, 0, 64)
	for _, p := range parts {
		path = append(path, '/')
		if name, ok := p.(string); ok {
			path = append(path, jsonrpc.EscapePointer(name)...)
		} else {
			path = fmt.Append(path, p)
		}
	}
	return Place{path: string(path), offset: -1}
}

// AtPointer returns the place of a JSON pointer.
func AtPointer(pointer string) Place { return Place{path: pointer, offset: -1} }

// Path returns the JSON pointer of the place, or "" for the whole frame or an offset.
func (p Place) Path() string { return p.path }

// Below returns the place of a pointer that is relative to at.
func Below(at Place, pointer string) Place { return Place{path: at.path + pointer, offset: -1} }

// Pointer returns the place as in a finding: a JSON pointer, and an offset that
// is -1 if the pointer is the place.
func (p Place) Pointer() (path string, offset int) { return p.path, p.offset }

// Byte returns the place of an offset in the frame.
func Byte(offset int) Place { return Place{offset: offset} }

// Fill replaces names in braces by values. In values, names and their values alternate. A name
// without a value becomes an ellipsis.
func Fill(text string, values []any) string {
	return catalog.Fill(text, func(name string) string {
		for i := 0; i+1 < len(values); i += 2 {
			if values[i] == name { // the first value for a name counts
				return fmt.Sprint(values[i+1])
			}
		}
		return "…"
	})
}

// Document is a finding in the form that lint --json prints.
type Document struct {
	Rule     string `json:"rule"`              // id of the rule, such as J031
	Slug     string `json:"slug"`              // name of the rule
	Severity string `json:"severity"`          // "error", "warning" or "info"
	Side     string `json:"responsible"`       // "client", "server" or "either"
	Frame    int    `json:"frame"`             // number of the frame or the line; 0 for the whole session
	Path     string `json:"path"`              // JSON Pointer in the frame; empty for the whole frame
	Offset   *int   `json:"offset,omitempty"`  // byte in the frame, if that is the place
	Related  []int  `json:"related,omitempty"` // numbers of other frames or lines that support the finding
	Message  string `json:"message"`           // description of the problem
	Hint     string `json:"fix"`               // advice
	Spec     string `json:"spec"`              // section of the specification
	Times    int    `json:"times"`             // number of findings of the rule at this place so far
	By       string `json:"by,omitempty"`      // caller, if a contract is about the call: "app" or "attached" (a command over --attach)
	File     string `json:"file,omitempty"`    // name of the file, if there are several
}

// Document returns the finding for scripts. frame is the number of the line or row.
func (f *Finding) Document(frame int) Document {
	d := Document{
		Rule: f.Rule.ID, Slug: f.Rule.Slug, Severity: f.Severity.String(), Side: f.Fault.String(), Frame: frame,
		Path: f.Path, Message: f.Message, Hint: f.Hint, Spec: f.Rule.Spec, Times: f.Times, By: f.By.String(),
	}
	if f.AtByte() {
		d.Offset = &f.Offset
	}
	for _, row := range f.Related {
		d.Related = append(d.Related, int(row-f.Row)+frame)
	}
	return d
}

// AtByte reports whether the place of the finding is an offset.
func (f *Finding) AtByte() bool { return f.Offset >= 0 && f.Path == "" }

// Where returns the place within the frame in words, or "" for the whole frame.
func (f *Finding) Where() string {
	if f.AtByte() {
		return fmt.Sprintf("byte %d", f.Offset)
	}
	return f.Path
}

// Responsible names the responsible side: "server", "client" or "sender".
func (f *Finding) Responsible() string {
	if f.Fault == Either {
		return "sender"
	}
	return f.Fault.String()
}

// FixIn returns the side that must be changed. For an info, the change is optional.
func (f *Finding) FixIn() string {
	side := f.Responsible()
	if f.Severity == Info {
		return side + " (optional)"
	}
	return side
}

// Worst returns the first of the most severe findings, or nil if there are none.
func Worst(all []Finding) *Finding {
	var worst *Finding
	for i := range all {
		if worst == nil || all[i].Severity < worst.Severity {
			worst = &all[i]
		}
	}
	return worst
}

// Severity is the severity of a finding.
type Severity = record.Severity

// The severities, the most serious first.
const (
	Error = record.SeverityError
	Warn  = record.SeverityWarning
	Info  = record.SeverityInfo
)

// Side is the responsible side.
type Side uint8

// The sides.
const (
	Either Side = iota // the sender
	Client
	Server
)

var sides = [...]string{"either", "client", "server"}

// String returns the name of the side in entries.
func (s Side) String() string { return sides[s] }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Side) UnmarshalText(text []byte) error {
	i := slices.Index(sides[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a side", text)
	}
	*s = Side(i)
	return nil
}

// A Basis is the source of a rule's requirement.
type Basis string

// The bases.
const (
	// Spec: the text of a specification.
	Spec Basis = "spec"
	// Schema: the official schema or a schema of the server.
	Schema Basis = "schema"
	// Heuristic: wording, timing or similarity. Such a rule can be wrong.
	Heuristic Basis = "heuristic"
	// Contract: an expectation of the user about a session; see package contract.
	Contract Basis = "contract"
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Basis) UnmarshalText(text []byte) error {
	switch *b = Basis(text); *b {
	case Spec, Schema, Heuristic, Contract:
		return nil
	}
	return fmt.Errorf("%q is not a basis", text)
}

// Entry is the description of a rule: one line of rules.jsonl. The rule replaces names in braces by
// values.
type Entry struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	// DefaultSeverity is the severity of the rule's findings. A finding may be an info instead; see
	// [Finding].
	DefaultSeverity Severity            `json:"severity"`
	Basis           Basis               `json:"basis"`
	Revisions       []revision.Revision `json:"protocol_versions"` // protocol versions that the rule applies to; empty for all
	Side            Side                `json:"side"`
	Condition       string              `json:"condition"`
	Message         string              `json:"message"`
	Fix             string              `json:"fix"`
	// Fixes maps parts of the condition that Fix does not cover to their fixes; see [Context.For].
	Fixes map[string]string `json:"fixes"`
	Spec  string            `json:"spec"` // the section of the specification, or another source
	// Places lists places in schemas. The rule reports faults at these places.
	Places []SchemaPlace `json:"places"`
	// Replaces lists other rules. If this rule has a finding, their findings at the same event are
	// dropped.
	Replaces []string `json:"replaces"`
	// Whole reports whether the rule draws conclusions from missing frames or from the order of
	// frames. Such a rule does not check a part of a session; see [Engine.Open].
	Whole  bool   `json:"whole"`
	Remark string `json:"remark"` // a limitation of the rule, or why it differs from its source; mostly empty
}

// OtherFixes returns the fixes in Fixes without duplicates.
func (e *Entry) OtherFixes() []string {
	var fixes []string
	add := func(fix string) {
		if fix != "" && fix != e.Fix && !slices.Contains(fixes, fix) {
			fixes = append(fixes, fix)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(e.Fixes)) {
		add(e.Fixes[part])
	}
	for _, place := range e.Places {
		add(place.Fix)
	}
	return fixes
}

// Family returns the letter at the start of the rule's id.
func (e *Entry) Family() string { return e.ID[:1] }
