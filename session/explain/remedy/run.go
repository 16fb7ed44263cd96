package remedy

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/shell"
	"mcptea/session/session"
)

// A Run describes how the sessions reach the server: the link from the command line and later changes. It is a
// value; its methods return a changed copy.
type Run struct {
	Link    session.Link
	flags   []shell.Flag // flags that the run was started with, without those changed since
	changes []shell.Flag // since then, the newest last
	unread  []string     // files of authorities, see [Run.Read]
}

// NewRun returns the run of a link made from flags.
func NewRun(l session.Link, flags []shell.Flag) Run { return Run{Link: l, flags: flags} }

// Flags returns the flags of an equivalent command, without settings that apply only to this run.
func (r Run) Flags() []shell.Flag {
	return slices.DeleteFunc(slices.Concat(r.flags, r.changes), func(f shell.Flag) bool { return settings[f.Name].inRun })
}

// Changed names what differs from another run, without values that may be secrets.
func (r Run) Changed(since Run) string {
	var names []string
	if t, other := r.Link.Target, since.Link.Target; t.URL != other.URL || !slices.Equal(t.Argv, other.Argv) {
		what := "URL"
		if t.IsStdio() {
			what = "command"
		}
		names = append(names, what+" "+t.String())
	}
	for _, f := range r.changes {
		switch key := keyOf(f); {
		case slices.Contains(since.changes, f):
		case f.Public:
			names = append(names, key+" "+f.Value)
		default:
			names = append(names, changeOf(f))
		}
	}
	for _, f := range since.Flags() {
		if !slices.ContainsFunc(r.Flags(), func(o shell.Flag) bool { return keyOf(o) == keyOf(f) }) {
			names = append(names, "without "+keyOf(f))
		}
	}
	return strings.Join(names, ", ")
}

// changeOf names a changed setting without its value.
func changeOf(f shell.Flag) string {
	if f.Name == "token" {
		return "token typed here"
	}
	return keyOf(f)
}

// InRun reports whether something was changed that no flag repeats.
func (r Run) InRun() bool {
	return slices.ContainsFunc(r.changes, func(f shell.Flag) bool { return settings[f.Name].inRun })
}

// Variables returns the server's variables set since the start of the run, as NAME=VALUE.
func (r Run) Variables() (vars []string) {
	for _, f := range r.changes {
		if f.Name == "env" {
			vars = append(vars, f.Value)
		}
	}
	return vars
}

// Keeping is a change of the file that the server is configured in, which the user has not agreed to yet.
type Keeping struct {
	File  string
	Entry string   // HOST/NAME
	Diff  []string // changed lines, with secrets masked
	Notes []string
	Write func() error
}

// With returns the run with a setting, by the name of its flag.
func (r Run) With(name, value string) (Run, error) {
	s, ok := settings[name]
	if !ok {
		return r, fmt.Errorf("--%s cannot be changed here", name)
	}
	if s.only != "" && (s.only == "stdio") != r.Link.Target.IsStdio() {
		return r, fmt.Errorf("--%s is for a server over %s", name, s.only)
	}
	f := shell.Flag{Name: name, Value: value, Bool: s.isBool, Public: s.public, Variable: s.variable}
	r = r.without(f)
	before := r.Link.Target.URL
	if err := s.set(&r.Link, value); err != nil {
		return r, err
	}
	if name == urlFlag {
		if !isSameOrigin(before, value) {
			held := func(f shell.Flag) bool { return slices.Contains(ofOrigin, f.Name) }
			r.flags, r.changes = slices.DeleteFunc(slices.Clone(r.flags), held), slices.DeleteFunc(slices.Clone(r.changes), held)
		}
		return r, nil
	}
	if name == cacertFlag {
		r.unread = append(slices.Clip(r.unread), value)
	}
	r.changes = append(slices.Clip(r.changes), f)
	return r, nil
}

// Read reads the files that the settings name. It must be called before the link is used, and only where
// waiting is allowed.
func (r Run) Read() (Run, error) {
	for _, file := range r.unread {
		if err := addAuthorities(&r.Link, file); err != nil {
			return r, fmt.Errorf("--cacert: %w", err)
		}
	}
	r.unread = nil
	return r, nil
}

// Hidden is like [Run.With], but for a value typed without echo: it is always a secret.
func (r Run) Hidden(name, value, whole string) (Run, error) {
	r.Link.Target.Private = append(slices.Clip(r.Link.Target.Private), value)
	return r.With(name, whole)
}

// WithoutToken returns the run without credentials that were given since it was started.
func (r Run) WithoutToken(base session.Link) Run {
	r = r.without(shell.Flag{Name: "token"})
	if r.Link.Authorization != nil || base.Authorization == nil {
		return r
	}
	r.Link.Authorization = base.Authorization
	if !isSameOrigin(base.Target.URL, r.Link.Target.URL) {
		r.Link.Authorization = base.Authorization.Elsewhere()
	}
	for _, f := range r.changes {
		if authorizes(f.Name) {
			_ = settings[f.Name].set(&r.Link, f.Value) // it was set before
		}
	}
	return r
}

// ofOrigin lists the flags that apply only to the origin of the target, see [setURL]. Flags that a line shows
// are left to the user.
var ofOrigin = []string{
	"insecure", "cert", "key", "client-id", "client-secret", "client-key", "client-key-id", "client-key-cert", "client-key-alg", "client-metadata",
	"scope", "issuer", "grant", "assertion", "id-token", "idp-token-endpoint", "idp-client-id",
}

func isSameOrigin(a, b string) bool {
	one, err := url.Parse(a)
	other, bad := url.Parse(b)
	return err == nil && bad == nil && mcphttp.SameOrigin(one, other)
}

// without returns the run without the settings that the flag replaces.
func (r Run) without(f shell.Flag) Run {
	same := func(other shell.Flag) bool { return keyOf(other) == keyOf(f) }
	given := slices.ContainsFunc(r.changes, same) || slices.ContainsFunc(r.flags, same)
	r.changes = slices.DeleteFunc(slices.Clone(r.changes), same)
	r.flags = slices.DeleteFunc(slices.Clone(r.flags), same)
	if s := settings[f.Name]; given && s.unset != nil {
		s.unset(&r.Link, f.Value)
	}
	return r
}

// keyOf returns the name of a flag, with the name of the variable or header that it sets.
func keyOf(f shell.Flag) string {
	switch f.Name {
	case "env":
		name, _, _ := strings.Cut(f.Value, "=")
		return name
	case "header":
		name, _, _ := strings.Cut(f.Value, ":")
		return strings.ToLower(strings.TrimSpace(name))
	case "token":
		return "authorization"
	}
	return "--" + f.Name
}

// Command returns the command line for the run. Secrets become variables.
func (r Run) Command() *shell.Line {
	l := &shell.Line{}
	l.Add("mcptea")
	l.AddTarget(r.Flags(), r.Link.Target)
	return l
}

// line returns the target with the flags that [Run.Parse] understands.
func (r Run) line() *shell.Line {
	l := &shell.Line{}
	l.AddFlags(slices.DeleteFunc(r.Flags(), func(f shell.Flag) bool { _, known := settings[f.Name]; return !known }), r.Link.Target)
	if argv := r.Link.Target.Argv; len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
		l.Add("--")
	}
	l.AddReached(r.Link.Target)
	return l
}

// Text returns the line that the user edits: flags, and the command or the URL. Secrets become variables, whose
// values [Run.Parse] knows.
func (r Run) Text() (string, error) { return r.line().For(shell.Bash) }

// Propose is like [Run.Text], but with another command or URL.
func (r Run) Propose(target string) (string, error) {
	if r.Link.Target.IsStdio() {
		r.Link.Target.Argv = append([]string{target}, r.Link.Target.Argv[1:]...)
	} else {
		r.Link.Target.URL = target
	}
	return r.Text()
}

// Parse parses a line in the form of [Run.Text]. Settings that the line omits are removed.
func (r Run) Parse(text string) (Run, error) {
	values, private := r.line(), slices.Clip(r.Link.Target.Private)
	words, err := shell.Split(text, func(name string) (string, bool) {
		value, ok := values.Value(name)
		if !ok {
			value, ok = os.LookupEnv(name)
		}
		if ok && secret.IsName(name) {
			private = append(private, value)
		}
		return value, ok
	})
	if err != nil {
		return r, fmt.Errorf("write it as in a shell: %w", err)
	}
	r.Link.Target.Private = private
	given, target, err := splitFlags(words)
	if err != nil {
		return r, err
	}
	for _, f := range r.Flags() {
		if _, known := settings[f.Name]; known && !slices.ContainsFunc(given, func(g shell.Flag) bool { return keyOf(g) == keyOf(f) }) {
			r = r.without(f)
		}
	}
	if r, err = r.withTarget(target); err != nil {
		return r, err
	}
	before := r.Flags()
	for _, f := range given {
		if slices.ContainsFunc(before, func(b shell.Flag) bool { return b.Name == f.Name && b.Value == f.Value }) {
			continue
		}
		if r, err = r.With(f.Name, f.Value); err != nil {
			return r, err
		}
	}
	return r, nil
}

// withTarget returns the run with another command or URL.
func (r Run) withTarget(words []string) (Run, error) {
	switch {
	case len(words) == 0:
		return r, errors.New("type a command line or a URL")
	case isURL(words[0]) && len(words) > 1:
		return r, errors.New("flags are written before the URL")
	case words[0] == r.Link.Target.URL, slices.Equal(words, r.Link.Target.Argv):
		return r, nil
	case isURL(words[0]):
		return r.With(urlFlag, words[0])
	}
	r.Link.Target.URL, r.Link.Target.Argv = "", words
	return r, nil
}

func isURL(word string) bool {
	return strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

// splitFlags divides the words of a line into flags and the command or URL.
func splitFlags(words []string) (given []shell.Flag, target []string, err error) {
	for len(words) > 0 {
		word := words[0]
		if word == "--" {
			return given, words[1:], nil
		}
		if !strings.HasPrefix(word, "-") {
			return given, words, nil
		}
		name, value, joined := strings.Cut(word, "=")
		name = strings.TrimLeft(name, "-")
		if long, ok := map[string]string{"e": "env", "H": "header"}[name]; ok {
			name = long
		}
		words = words[1:]
		switch s := settings[name]; {
		case s.isBool && !joined:
			value = "true"
		case !joined:
			if len(words) == 0 {
				return nil, nil, fmt.Errorf("%s has no value", word)
			}
			value, words = words[0], words[1:]
		}
		if name == urlFlag {
			return given, append([]string{value}, words...), nil
		}
		if _, known := settings[name]; !known {
			return nil, nil, fmt.Errorf("%s cannot be changed here; the flags are %s", word, flagNames)
		}
		if i := slices.IndexFunc(given, func(f shell.Flag) bool { return f.Name == scopeFlag }); name == scopeFlag && i >= 0 {
			given[i].Value += " " + value
			continue
		}
		given = append(given, shell.Flag{Name: name, Value: value})
	}
	return given, nil, nil
}
