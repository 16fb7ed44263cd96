package phrase

import (
	"fmt"
	"strings"
)

// JoinFirst joins the first n entries of a list with commas, and appends the number of the other entries. If
// there is only one other entry, it joins that, too.
func JoinFirst(list []string, n int) string {
	if len(list) > n+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
	}
	return strings.Join(list, ", ")
}
