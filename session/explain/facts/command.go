package facts

import "strings"

// Command holds the facts of the command of a server.
type Command struct {
	Cut string // an argument with a space, of which the output names the part before the space
}

func commandOf(a Attempt) (c Command) {
	for _, argument := range a.Argv[min(1, len(a.Argv)):] {
		head, _, spaced := strings.Cut(argument, " ")
		if !spaced || !strings.ContainsAny(head, `/\\`) {
			continue
		}
		for _, line := range a.Words {
			if names(line, head) && !strings.Contains(line, argument) {
				c.Cut = argument
			}
		}
	}
	return c
}

// names reports whether a line has a path that ends where the given one does.
func names(line, path string) bool {
	_, after, found := strings.Cut(line, path)
	return found && (after == "" || strings.ContainsAny(after[:1], "'\"\x60:,;)]. "))
}
