package facts

import (
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
)

// Command holds the facts about the command of a server.
type Command struct {
	Cut    string // argument with a space, if the output names the part before the space
	Quoted string // argument with quotation marks around it, if the output names it
	Option string // option of the command that the output rejects
	// Windows reports that the output has an error number or a path of Windows.
	Windows bool
	Twice   bool // the first argument of a launcher is its own name
}

// refusedOption matches words of command-line parsers for an unknown option.
var refusedOption = lazyregexp.New(`(?i)\b(?:un(?:known|supported|recogni[sz]ed|expected|defined)|invalid|illegal|no such|bad|not defined|wasn't expected)\b`)

// noProgram matches a line about a program that an image does not have: it may have the form of an option.
var noProgram = lazyregexp.New(`\bexecutable file not found\b`)

// onWindows matches an error number of Node.js on Windows, and a path with the letter of a drive.
var onWindows = lazyregexp.New(`\berrno: -40\d\d\b|(?:^|[\s'"(])[A-Za-z]:\\`)

func commandOf(a Attempt) (c Command) {
	c.Windows = slices.ContainsFunc(a.Words, func(line string) bool { return onWindows().MatchString(line) })
	if len(a.Argv) > 1 {
		_, isLauncher := launchers[launcherName(a.Argv)]
		c.Twice = isLauncher && launcherName(a.Argv[1:]) == launcherName(a.Argv)
	}
	for _, argument := range a.Argv[min(1, len(a.Argv)):] {
		option, _, _ := strings.Cut(argument, "=")
		isOption := strings.HasPrefix(option, "-") && strings.Trim(option, "-") != ""
		head, _, spaced := strings.Cut(argument, " ")
		isPath := spaced && strings.ContainsAny(head, `/\`)
		for _, line := range a.Words {
			if n := len(argument); n > 2 && (argument[0] == '"' || argument[0] == '\'') && argument[n-1] == argument[0] && strings.Contains(line, argument[1:n-1]) {
				c.Quoted = argument
			}
			if isPath && names(line, head) && !strings.Contains(line, argument) {
				c.Cut = argument
			}
			if isOption && !noProgram().MatchString(line) && refusedOption().MatchString(line) && (names(line, option) || len(option) > 3 && names(line, strings.TrimLeft(option, "-"))) {
				c.Option = option
			}
		}
	}
	return c
}

// names reports whether a line contains a word or path with the same last element as path.
func names(line, path string) bool {
	_, after, found := strings.Cut(line, path)
	return found && (after == "" || strings.ContainsAny(after[:1], "'\"`:,;)]. "))
}
