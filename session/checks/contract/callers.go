package contract

import (
	"fmt"
	"strings"

	"mcptea/session/record"
)

// callers are how many calls there were by whom.
type callers [record.ByTap + 1]int

// text says by whom calls were made, as the end of what counts them; empty for calls of the user of
// the session alone. How many apps or commands made them does not show.
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

// behind names a caller behind a word; empty for none but the user of the session.
func behind(word string, by record.Caller) string {
	if by == record.NoOther {
		return ""
	}
	return word + by.Named()
}
