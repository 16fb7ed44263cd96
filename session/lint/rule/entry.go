package rule

import (
	"fmt"
	"slices"

	"mcptea/client/revision"
)

// Severity is how serious a finding is.
type Severity uint8

// The severities, the most serious first.
const (
	Error Severity = iota // a MUST is violated, or the message cannot work
	Warn                  // a SHOULD is violated, or it does not work with every peer
	Info                  // nothing is violated
)

var severities = [...]string{"error", "warn", "info"}

// String is the severity as in an entry.
func (s Severity) String() string { return severities[s] }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not a severity", text)
	}
	*s = Severity(i)
	return nil
}

// Side is the responsible side.
type Side uint8

// The sides.
const (
	Either Side = iota // the sender
	Client
	Server
)

var sides = [...]string{"either", "client", "server"}

// String is the side as in an entry.
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

// Basis is what decides whether a rule is violated.
type Basis string

// The bases.
const (
	// Spec: the text of a specification.
	Spec Basis = "spec"
	// Schema: a schema, that of the revision or one of the server.
	Schema Basis = "schema"
	// Heuristic: wording, timing or similarity. Such a rule can be wrong.
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

// Entry is the description of a rule, a line of rules.jsonl. Names in braces are
// filled in by the rule.
type Entry struct {
	ID        string              `json:"id"`
	Slug      string              `json:"slug"`
	Severity  Severity            `json:"severity"`
	Basis     Basis               `json:"basis"`
	Revisions []revision.Revision `json:"revisions"` // those it holds for; empty for all
	Side      Side                `json:"side"`
	Condition string              `json:"condition"`
	Message   string              `json:"message"`
	Fix       string              `json:"fix"`
	Spec      string              `json:"spec"` // the section of the specification, or another source
	// Replaces are the rules whose findings at the same event are not reported
	// beside one of this rule.
	Replaces []string `json:"replaces"`
	Remark   string   `json:"remark"` // a limitation of the rule, or why it differs from its source; mostly empty
}

// Family is the letter at the beginning of the id.
func (e *Entry) Family() string { return e.ID[:1] }
