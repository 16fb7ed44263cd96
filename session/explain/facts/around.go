package facts

import (
	"bytes"
	"slices"
)

// Around holds the facts about a server's stdio other than its messages.
type Around struct {
	Echo bool // stdout repeats stdin
}

// aroundOf compares stdout with stdin. A terminal may change the ends of lines.
func aroundOf(a Attempt) Around {
	same := func(came []byte) bool {
		came = bytes.TrimSpace(came)
		return len(came) > 0 && slices.ContainsFunc(a.Written, func(w []byte) bool { return bytes.Equal(bytes.TrimSpace(w), came) })
	}
	return Around{Echo: slices.ContainsFunc(a.Came, same)}
}
