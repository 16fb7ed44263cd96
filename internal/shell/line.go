package shell

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/secret"
)

// Line is a command line under construction. The zero Line is empty.
type Line struct {
	words     []Word
	variables []string          // names, in the order of their first use
	values    map[string]string // values of the variables
}

// Add appends words without secrets.
func (l *Line) Add(words ...string) { l.words = append(l.words, Literals(words...)...) }

// AddArgs appends the arguments of one command, with a variable instead of each secret that
// [secret.FindArgs] recognizes.
func (l *Line) AddArgs(args ...string) {
	found := secret.FindArgs(args)
	for i, arg := range args {
		n := 0
		for n < len(found) && found[n].Arg == i {
			n++
		}
		l.addFound(arg, found[:n])
		found = found[n:]
	}
}

// addSecret appends a variable instead of a word that is a secret.
func (l *Line) addSecret(variable, value string) {
	l.words = append(l.words, Word{{Variable: l.variable(variable, value)}})
}

func (l *Line) addFound(text string, found []secret.Found) {
	var word Word
	at := 0
	for _, f := range found {
		if f.Start > at {
			word = append(word, Piece{Text: text[at:f.Start]})
		}
		word = append(word, Piece{Variable: l.variable(f.Name, text[f.Start:f.End])})
		at = f.End
	}
	if at < len(text) || len(word) == 0 {
		word = append(word, Piece{Text: text[at:]})
	}
	l.words = append(l.words, word)
}

// variable returns the name of the environment variable for a value. Equal values share a variable.
// Different values do not: neither values of a command, nor a value in the environment, which may be the
// secret of another server.
func (l *Line) variable(name, value string) string {
	if l.values == nil {
		l.values = map[string]string{}
	}
	for _, v := range l.variables {
		if l.values[v] == value && strings.HasPrefix(v, name) {
			return v
		}
	}
	unique := name
	for n := 2; slices.Contains(l.variables, unique) || isOther(unique, value); n++ {
		unique = name + "_" + strconv.Itoa(n)
	}
	l.variables = append(l.variables, unique)
	l.values[unique] = value
	return unique
}

// isOther reports whether an environment variable has another value.
func isOther(name, value string) bool {
	current := os.Getenv(name)
	return current != "" && current != value && !secret.IsRedacted(value)
}

// Variables returns the names of the environment variables that the command needs.
func (l *Line) Variables() []string { return l.variables }

// Value returns the value of one of these variables.
func (l *Line) Value(name string) (string, bool) {
	value, ok := l.values[name]
	return value, ok
}

// Words returns the words of the command with the values of the variables.
func (l *Line) Words() []string {
	words := make([]string, len(l.words))
	for i, w := range l.words {
		for _, piece := range w {
			if piece.Variable != "" {
				words[i] += l.values[piece.Variable]
			} else {
				words[i] += piece.Text
			}
		}
	}
	return words
}

// Parts returns the words of the command with its variables.
func (l *Line) Parts() []Word { return slices.Clone(l.words) }

// For returns the command, quoted for a shell.
func (l *Line) For(shell Kind) (string, error) { return shell.Join(l.words) }
