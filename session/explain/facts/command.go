package facts

import (
	"strings"

	"mcptea/internal/lazyregexp"
)

// Command holds the facts of the command of a server.
type Command struct {
	Cut    string // an argument with a space, of which the output names the part before the space
	Option string // an option of the command that the output refuses
}

// refusedOption matches words of parsers of command lines for an option that they do not know.
var refusedOption = lazyregexp.New(`(?i)\b(?:un(?:known|supported|recogni[sz]ed|expected|defined)|invalid|illegal|no such|bad|not defined|wasn't expected)\b`)

func commandOf(a Attempt) (c Command) {
	for _, argument := range a.Argv[min(1, len(a.Argv)):] {
		option, _, _ := strings.Cut(argument, "=")
		isOption := strings.HasPrefix(option, "-") && strings.Trim(option, "-") != ""
		head, _, spaced := strings.Cut(argument, " ")
		isPath := spaced && strings.ContainsAny(head, `/\`)
		for _, line := range a.Words {
			if isPath && names(line, head) && !strings.Contains(line, argument) {
				c.Cut = argument
			}
			if isOption && refusedOption().MatchString(line) && (names(line, option) || len(option) > 3 && names(line, strings.TrimLeft(option, "-"))) {
				c.Option = option
			}
		}
	}
	return c
}

// names reports whether a line has a word or a path that ends where the given one does.
func names(line, path string) bool {
	_, after, found := strings.Cut(line, path)
	return found && (after == "" || strings.ContainsAny(after[:1], "'\"`:,;)]. "))
}
