package facts

import (
	"bytes"
	"slices"
)

// Around holds the facts of a server's stdio besides its messages.
type Around struct {
	Echo bool // what came is what was written
}

// aroundOf compares what came on stdout with what was written. A terminal may change the end of lines.
func aroundOf(a Attempt) Around {
	same := func(came []byte) bool {
		came = bytes.TrimSpace(came)
		return len(came) > 0 && slices.ContainsFunc(a.Written, func(w []byte) bool { return bytes.Equal(bytes.TrimSpace(w), came) })
	}
	return Around{Echo: slices.ContainsFunc(a.Came, same)}
}
