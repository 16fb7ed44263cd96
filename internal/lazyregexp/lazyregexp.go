// Package lazyregexp compiles the regular expressions of package variables when
// they are first used: a program does not pay at its start for patterns that it
// never matches.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// New returns a function for the regular expression of a pattern, which is
// compiled at the first call. The function is safe for concurrent use. A
// malformed pattern panics: in a test binary in New, so that the tests of a
// package find it, and elsewhere at the first call.
func New(pattern string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		compiled()
	}
	return compiled
}
