package failure

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcptea/client/secret"
)

// Changes is how the environment of a command differs from another one.
type Changes struct {
	added   []string // NAME=value, secrets masked; new or with another value
	removed int
}

// CompareEnv finds the differences of the environment that a command gets from
// our own. An empty one is our own.
func CompareEnv(own, given []string) (c Changes) {
	if len(given) == 0 {
		return c
	}
	values, last := variables(own), variables(given)
	for name, value := range last {
		if old, ok := values[name]; !ok || old != value {
			c.added = append(c.added, name+"="+maskValue(name, value))
		}
	}
	for name := range values {
		if _, ok := last[name]; !ok {
			c.removed++
		}
	}
	slices.Sort(c.added)
	return c
}

func variables(env []string) map[string]string {
	values := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	return values
}

func maskValue(name, value string) string {
	if secret.IsName(name) {
		return secret.Mark
	}
	return secret.Args([]string{name + "=" + value})[0][len(name)+1:]
}

// Any reports whether there is a difference.
func (c Changes) Any() bool { return len(c.added) > 0 || c.removed > 0 }

// String returns the differences on one line.
func (c Changes) String() string {
	text := fmt.Sprintf("+%d -%d", len(c.added), c.removed)
	if len(c.added) > 0 {
		text += "   " + strings.Join(c.added, "   ")
	}
	return text
}

// HeaderLines are the headers that the user gave, secrets masked.
func HeaderLines(h http.Header) []string {
	var lines []string
	for name, values := range secret.Header(h) {
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return lines
}
