package secret

import (
	"fmt"
	"strings"
)

// ValidQuery returns the query of a URL with the characters percent-encoded that a request cannot contain:
// blanks, control characters, and all non-ASCII characters.
func ValidQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if ch := query[i]; ch <= ' ' || ch >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", ch)
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}
