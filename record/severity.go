package record

import (
	"fmt"
	"slices"
)

// Severity is the severity of a finding.
type Severity uint8

// The severities, the most serious first.
const (
	SeverityError   Severity = iota // a MUST is violated, or the message cannot work
	SeverityWarning                 // a SHOULD is violated, or the message does not work with every peer
	SeverityInfo                    // nothing is violated
)

var severities = [...]string{"error", "warning", "info"}

// String returns the severity in a sentence, in JSON and in an entry.
func (s Severity) String() string { return severities[s] }

// UnmarshalText implements encoding.TextUnmarshaler. "warn" is read as well.
func (s *Severity) UnmarshalText(text []byte) error {
	name := string(text)
	if name == "warn" {
		name = SeverityWarning.String()
	}
	i := slices.Index(severities[:], name)
	if i < 0 {
		return fmt.Errorf("%q is not a severity", text)
	}
	*s = Severity(i)
	return nil
}
