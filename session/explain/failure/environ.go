package failure

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/secret"
)

// CompareEnv describes in one line how the environment of a command differs from the environment of mcptea, or
// returns "" if it does not. Secrets are masked. Variables that the target sets come first, with their values.
// An empty environment stands for the environment of mcptea.
func CompareEnv(own []string, target client.Target) string {
	if len(target.Env) == 0 {
		return ""
	}
	hidden, values, last := target.Secrets(), variables(own), variables(target.Env)
	var added []string
	removed := 0
	for name, value := range last {
		if old, ok := values[name]; !ok || old != value {
			added = append(added, name+"="+maskValue(name, hidden.Redact(value)))
		}
	}
	for name := range values {
		if _, ok := last[name]; !ok {
			removed++
		}
	}
	if len(added)+removed == 0 {
		return ""
	}
	slices.Sort(added)
	return strings.Join(append([]string{fmt.Sprintf("+%d -%d", len(added), removed)}, added...), "   ")
}

// variables returns the values of an environment by name. If a name occurs twice, the last value counts.
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

// HeaderLines returns the headers that the user gave, with secrets masked.
func HeaderLines(target client.Target) []string {
	var lines []string
	for name, values := range target.ShownHeader() {
		for _, v := range values {
			lines = append(lines, name+": "+v)
		}
	}
	slices.Sort(lines)
	return lines
}
