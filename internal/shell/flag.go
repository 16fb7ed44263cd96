package shell

import (
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/secret"
)

// Flag is a flag about the target, the protocol or authorization that the user has set.
type Flag struct {
	Name  string // without hyphens
	Value string
	Bool  bool // the flag takes no value
	// Variable is the environment variable for a value that is a secret, or empty.
	Variable string
	// Public reports that a value is never a secret, regardless of its form, such as the name of a file.
	Public bool
	// Joined reports whether a value must follow the name after an equals sign, because the flag may have no
	// value. Bare is its value then.
	Joined bool
	Bare   string
}

// AddTarget appends the flags and the target of a session.
func (l *Line) AddTarget(flags []Flag, t client.Target) {
	l.AddFlags(flags, t)
	l.Add(map[bool]string{true: "--", false: "--url"}[t.IsStdio()])
	l.AddReached(t)
}

// AddFlags appends flags about a target.
func (l *Line) AddFlags(flags []Flag, t client.Target) {
	for _, f := range flags {
		name := "--" + f.Name
		switch {
		case f.Bool && f.Value == "true":
			l.Add(name)
		case f.Bool:
			l.Add(name + "=" + f.Value)
		case f.Joined && f.Value == f.Bare:
			l.Add(name)
		case f.Joined:
			l.Add(name + "=" + f.Value)
		case f.Variable != "":
			l.Add(name)
			l.addSecret(f.Variable, f.Value)
		case f.Public:
			l.Add(name, f.Value)
		default:
			l.addFlag(name, f.Value, t.Private)
		}
	}
}

// AddReached appends the command or the URL of a target.
func (l *Line) AddReached(t client.Target) {
	if t.IsStdio() {
		found := secret.FindArgs(t.Argv)
		for i, arg := range t.Argv {
			l.addPrivate(arg, slices.DeleteFunc(slices.Clone(found), func(f secret.Found) bool { return f.Arg != i }), t.Private)
		}
		return
	}
	l.addPrivate(t.URL, secret.FindURL(t.URL), t.Private)
}

// addPrivate appends a word of the target, with a variable also instead of each value that the
// user has given as a secret, whatever it looks like and however it is encoded there.
func (l *Line) addPrivate(text string, found []secret.Found, private []string) {
	var given secret.Values
	given.AddGiven(private...)
	for _, f := range given.Find(text, privateVariable) {
		if !slices.ContainsFunc(found, func(o secret.Found) bool { return o.Start < f.End && f.Start < o.End }) {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b secret.Found) int { return a.Start - b.Start })
	l.addFound(text, found)
}

const privateVariable = "MCPTEA_VALUE"

// bearer is the environment variable of the bearer token.
const bearer = "MCPTEA_TOKEN"

// addFlag appends a header or a variable of the server's environment.
func (l *Line) addFlag(name, value string, private []string) {
	l.Add(name)
	header, field, ok := strings.Cut(value, ":")
	scheme, token, _ := strings.Cut(strings.TrimSpace(field), " ")
	token = strings.TrimSpace(token)
	if ok && token != "" && strings.EqualFold(header, "Authorization") && strings.EqualFold(scheme, "Bearer") {
		start := strings.LastIndex(value, token)
		l.addFound(value, []secret.Found{{Start: start, End: start + len(token), Name: bearer}})
		return
	}
	l.addPrivate(value, secret.FindArgs([]string{value}), private)
}
