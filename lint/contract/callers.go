package contract

import (
	"fmt"
	"strings"

	"mcptea/record"
)

// callers counts calls by caller.
type callers [record.ByTap + 1]int

// text describes the makers of the counted calls, for the end of a sentence. It is "" if only the user of the
// session made calls. It does not contain the number of calls of each.
func (c *callers) text() string {
	apps, attached := c[record.ByApp], c[record.ByAttached]
	switch *c {
	case callers{record.NoOther: c[record.NoOther]}:
		return ""
	case callers{record.ByApp: 1}:
		return behind(", by ", record.ByApp)
	case callers{record.ByAttached: 1}:
		return behind(", by ", record.ByAttached)
	}
	var parts []string
	if apps > 0 {
		parts = append(parts, fmt.Sprintf("by apps %d", apps))
	}
	if attached > 0 {
		parts = append(parts, fmt.Sprintf("over --attach %d", attached))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// behind returns a word followed by the caller, or "" if the caller is the user of the session.
func behind(word string, by record.Caller) string {
	if by == record.NoOther {
		return ""
	}
	return word + by.Named()
}
