package probe

import (
	"slices"
	"strings"
)

// beginnings are those of lines that are an error by their form.
var beginnings = []string{"panic: ", "fatal error: ", "Traceback (most recent", "Uncaught ", "Unhandled exception", "Exception in thread", "Error: ", "error: ", "thread '"}

// ReasonAt is the last line that begins an error; -1 without one. Runtimes write the reason
// before the place, and below it what is of no interest.
func ReasonAt(stderr []string) int {
	for i, line := range slices.Backward(stderr) {
		if slices.ContainsFunc(beginnings, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			return i
		}
		name, _, ok := strings.Cut(line, ":")
		name, _, _ = strings.Cut(name, " [")
		if ok && !strings.ContainsAny(name, " \t") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
			return i
		}
	}
	return -1
}

// lastOf are the last lines of stderr, at most n: those from its reason, if it has one.
func lastOf(stderr []string, n int) []string {
	from := max(0, len(stderr)-n)
	if i := ReasonAt(stderr); i >= 0 && i < from {
		from = i
	}
	return slices.Clone(stderr[from:min(len(stderr), from+n)])
}
