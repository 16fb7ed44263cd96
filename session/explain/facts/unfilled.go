package facts

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/hosts"
	"mcptea/internal/lazyregexp"
)

// Unfilled is a value that was sent or set as it is written in a configuration, because nothing has replaced a part of it.
type Unfilled struct {
	Part  string // such as ${TOKEN}; for a placeholder, a word for it, since it might be a secret after all
	Place string // header, argument or variable that has it
	// IsPlaceholder reports that the part stands for a value that the user has to write, such as YOUR_API_KEY.
	IsPlaceholder bool
}

// template matches a variable in the syntax of a configuration.
var template = lazyregexp.New(`\$\{(?:\w+:)?[A-Za-z_][\w.-]{0,60}(?::?-[^{}\n]{0,60})?\}|\$\([A-Z_][A-Z0-9_]{2,}\)|%[A-Z_][A-Z0-9_]{2,}%|\{\{ ?[\w.-]+ ?\}\}|\$(?:env:)?[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)

// shellNames are programs that replace variables in the arguments of -c.
var shellNames = strings.Fields("sh bash zsh dash ksh fish cmd powershell pwsh env docker podman")

// schemes are the words before the credentials in a header.
var schemes = strings.Fields("bearer token basic apikey key")

// unfilledOf returns the first unfilled value that is given for an attempt.
func unfilledOf(a Attempt) (u Unfilled) {
	look := func(value, place string, isSecret bool) {
		if u.Part != "" {
			return
		}
		if scheme, credentials, ok := strings.Cut(value, " "); ok && slices.Contains(schemes, strings.ToLower(scheme)) {
			value = credentials
		}
		switch part := template().FindString(value); {
		case part != "" && (part == value || !isSecret):
			u = Unfilled{part, place, false}
		case isSecret && hosts.IsPlaceholder(value):
			u = Unfilled{"a placeholder", place, true}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Own)) {
		look(a.Own.Get(name), "the header "+name, true)
	}
	if text, err := url.PathUnescape(a.Failed.URL); err == nil {
		look(text, "the URL", false)
	}
	if len(a.Argv) == 0 {
		return u
	}
	if !slices.Contains(shellNames, launcherName(a.Argv)) {
		for i, word := range a.Argv[1:] {
			look(word, fmt.Sprintf("argument %d of the command", i+1), false)
		}
	}
	for _, pair := range a.Set {
		name, value, _ := strings.Cut(pair, "=")
		look(value, "the variable "+name, true)
	}
	return u
}

// maxNames bounds the names of variables in one sentence.
const maxNames = 6

// namesSet returns the names of the variables that the target sets, or "" if there are none or too many.
func namesSet(a Attempt) string {
	var names []string
	for _, pair := range a.Set {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	if len(names) > maxNames {
		return ""
	}
	return strings.Join(names, ", ")
}

// kind returns the kind of the part in a word.
func (u Unfilled) kind() string {
	switch {
	case u.Part == "":
		return ""
	case u.IsPlaceholder:
		return "placeholder"
	}
	return "variable"
}

// launchers maps programs that run a package to the words before its name.
var launchers = map[string][]string{
	"npx": {}, "bunx": {}, "uvx": {}, "npm": {"exec"}, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bun": {"x"}, "pipx": {"run"}, "uv": {"tool", "run"},
}

// valued holds options of these programs that have a value in the next word.
var valued = strings.Fields("-p --package --python --with --index-url --registry --cache --prefix")

// packageRun returns the package that a command runs with a launcher, or "".
func packageRun(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	before, ok := launchers[strings.TrimSuffix(launcherName(argv), ".cmd")]
	if !ok {
		return ""
	}
	words := argv[1:]
	for _, w := range before {
		i := slices.Index(words, w)
		if i < 0 {
			return ""
		}
		words = words[i+1:]
	}
	from := ""
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--from" && i+1 < len(words):
			from = words[i+1]
			i++
		case slices.Contains(valued, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return cmp.Or(from, words[i])
		}
	}
	return from
}
