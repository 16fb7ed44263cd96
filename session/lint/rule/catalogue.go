package rule

import (
	"fmt"
	"slices"

	"mcptea/client/revision"
)

// Severity says how bad a finding is.
type Severity uint8

// The severities, the worst first.
const (
	Error Severity = iota // a MUST is broken, or the frame cannot work
	Warn                  // a SHOULD is broken, or it works by luck
	Info                  // worth knowing; nothing is broken
)

var severities = [...]string{"error", "warn", "info"}

// String is the word of the catalogue.
func (s Severity) String() string { return severities[s] }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no severity", text)
	}
	*s = Severity(i)
	return nil
}

// Side is who has to change something.
type Side uint8

// The sides.
const (
	Either Side = iota // whoever sent the frame
	Client
	Server
)

var sides = [...]string{"either", "client", "server"}

// String is the word of the catalogue.
func (s Side) String() string { return sides[s] }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Side) UnmarshalText(text []byte) error {
	i := slices.Index(sides[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no side", text)
	}
	*s = Side(i)
	return nil
}

// Basis says what a rule rests on.
type Basis string

// The bases.
const (
	// Spec: the text of a specification decides, and so does the traffic alone.
	Spec Basis = "spec"
	// Schema: a schema decides, that of the revision or one of the server's own.
	Schema Basis = "schema"
	// Heuristic: wording, timing or a likeness decides. Such a rule can be wrong.
	Heuristic Basis = "heuristic"
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (b *Basis) UnmarshalText(text []byte) error {
	switch *b = Basis(text); *b {
	case Spec, Schema, Heuristic:
		return nil
	}
	return fmt.Errorf("%q is not a basis", text)
}

// Entry is a rule as the catalogue has it. Words in braces are filled in when
// it fires.
type Entry struct {
	ID        string              `json:"id"`
	Slug      string              `json:"slug"`
	Severity  Severity            `json:"severity"`
	Basis     Basis               `json:"basis"`
	Revisions []revision.Revision `json:"revisions"` // those it holds for; none means all
	Side      Side                `json:"side"`
	Condition string              `json:"condition"`
	Message   string              `json:"message"`
	Fix       string              `json:"fix"`
	Spec      string              `json:"spec"` // the page of the specification, or another source
	// Replaces are the rules whose findings at the same event are not reported
	// beside one of this rule: one cause, one finding.
	Replaces []string `json:"replaces"`
	Remark   string   `json:"remark"` // what the rule cannot see, or why it is judged otherwise than its source does; mostly empty
}

// Family is the letter that a rule's id begins with.
func (e *Entry) Family() string { return e.ID[:1] }
