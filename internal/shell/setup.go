package shell

import (
	"slices"
	"strings"
)

// A Setup holds the environment variables and the directory that a shell sets before it starts a program.
type Setup struct {
	Env []string // NAME=VALUE
	Dir string   // working directory; empty for the current one
}

// IsZero reports whether the shell does nothing before.
func (s Setup) IsZero() bool { return len(s.Env) == 0 && s.Dir == "" }

// Flags returns the flags of mcptea that do the same.
func (s Setup) Flags() (flags []string) {
	for _, variable := range s.Env {
		flags = append(flags, "-e", variable)
	}
	if s.Dir != "" {
		flags = append(flags, "--cwd", s.Dir)
	}
	return flags
}

// isAssignment reports whether a word sets a variable.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// SplitSetup splits words as a shell reads them: assignments, env and export with assignments only, and
// cd DIR before && or ; are the setup. program is the rest, or nil.
func SplitSetup(words []string) (s Setup, program []string) {
	for len(words) > 0 {
		switch first := words[0]; {
		case isAssignment(first):
			value, end := strings.CutSuffix(first, ";")
			s.Env = append(s.Env, value)
			words = words[1:]
			if !end {
				words = afterEnd(words)
			}
		case (first == "env" || first == "export") && len(words) > 1 && isAssignment(words[1]):
			words = words[1:]
		case (first == "cd" || first == "pushd") && len(words) > 1 && isEnd(words[1:]):
			dir := strings.TrimSuffix(words[1], ";")
			if s.Dir != "" && !strings.HasPrefix(dir, "/") {
				dir = s.Dir + "/" + dir
			}
			s.Dir, words = dir, afterEnd(words[2:])
		default:
			return s, slices.Clone(words)
		}
	}
	return s, nil
}

// isEnd reports whether a command ends with the first of some words, or before the second.
func isEnd(words []string) bool {
	return strings.HasSuffix(words[0], ";") || len(words) > 1 && isOperator(words[1])
}

func isOperator(word string) bool { return word == "&&" || word == ";" }

// afterEnd returns the words without the operator that they begin with.
func afterEnd(words []string) []string {
	if len(words) > 0 && isOperator(words[0]) {
		return words[1:]
	}
	return words
}
