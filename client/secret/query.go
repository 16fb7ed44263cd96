package secret

import (
	"fmt"
	"strings"
)

// ValidQuery returns the query of a URL with what a request cannot have in it percent-encoded:
// blanks, control characters, and all that is not ASCII.
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
