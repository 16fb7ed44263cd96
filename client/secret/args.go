package secret

import (
	"path/filepath"
	"strings"

	"mcptea/internal/lazyregexp"
)

// Args returns a copy of a command line with the secrets that [FindArgs]
// recognizes redacted.
func Args(argv []string) []string {
	out := make([]string, len(argv))
	found := FindArgs(argv)
	for i, arg := range argv {
		n := 0
		for n < len(found) && found[n].Arg == i {
			n++
		}
		mark := Mark
		if strings.Contains(arg, "://") && !strings.ContainsAny(arg, " \t\n") {
			mark = urlMark
		}
		out[i] = replace(arg, found[:n], mark)
		found = found[n:]
	}
	return out
}

// FindArgs returns the secrets in a command line, in their order: the values of
// secret options (--api-key VALUE, --token=VALUE) and variables (API_KEY=VALUE),
// header values ("Authorization: Bearer …"), secrets in URLs and in scripts
// (sh -c), and values that are secret by their form. The options -p and -k
// count as secret if their value looks generated and the program does not use
// them for a package or a port.
func FindArgs(argv []string) []Found {
	var all []Found
	for i, arg := range argv {
		before := ""
		if i > 0 {
			before = argv[i-1]
		}
		for _, f := range findArg(arg, before, i == 0 || isScriptOption(before), takesPassword(argv)) {
			f.Arg = i
			all = append(all, f)
		}
	}
	return all
}

// findArg searches one argument for secrets. A script is searched as text; in other arguments, a secret value
// extends to the end, including spaces.
func findArg(arg, before string, script, shortOptions bool) []Found {
	whole := func(start int, name string) []Found {
		if start >= len(arg) || arg[start:] == Mark {
			return nil
		}
		return []Found{{Start: start, End: len(arg), Name: variableName(name)}}
	}
	isOption := strings.HasPrefix(before, "-") && !strings.Contains(before, "=")
	name, value, assigned := strings.Cut(arg, "=")
	header, field, isHeader := strings.Cut(arg, ":")
	switch {
	case isOption && IsName(before) && !strings.HasPrefix(arg, "-"):
		return whole(0, before)
	case script && strings.ContainsAny(arg, " \t\n"):
		return Find(arg)
	case assigned && !strings.ContainsAny(name, " \t\n:/") && IsName(name) && !strings.Contains(value, "://"):
		return whole(len(name)+1, name)
	case isHeader && headerName().MatchString(header) && IsName(header) && !strings.HasPrefix(field, "//"):
		start := len(header) + 1
		start += len(field) - len(strings.TrimLeft(field, " \t"))
		if m := authScheme().FindString(arg[start:]); m != "" {
			start += len(m)
		}
		return whole(start, header)
	case shortOptions && (before == "-p" || before == "-k") && looksLikePassword(arg):
		return whole(0, "PASSWORD")
	case shortOptions && (strings.HasPrefix(arg, "-p") || strings.HasPrefix(arg, "-k")) && looksLikePassword(arg[2:]):
		return whole(2, "PASSWORD")
	case isRandom(arg):
		return whole(0, "SECRET")
	case assigned && isRandom(value):
		return whole(len(name)+1, name)
	}
	return Find(arg)
}

var (
	headerName = lazyregexp.New(`^[A-Za-z][\w-]*$`)
	authScheme = lazyregexp.New(`^(?i:bearer|basic|token|digest|dpop)[ \t]+`)
)

// isScriptOption reports an option that takes the text of a script.
func isScriptOption(option string) bool {
	switch strings.ToLower(option) {
	case "-c", "-lc", "-ic", "-ec", "-xc", "-exc", "/c", "-command":
		return true
	}
	return false
}

// takesPassword reports whether -p and -k of a program may take a secret; the
// package runners name a package with -p, and -p of docker is a port.
func takesPassword(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	program, _, _ := strings.Cut(filepath.Base(argv[0]), ".")
	switch program {
	case "npx", "npm", "pnpm", "bunx", "yarn", "mkdir", "node", "python", "python3", "uvx", "uv":
		return false
	}
	return true
}

// looksLikePassword reports a value of six or more characters that has letters
// and digits, and is neither a path nor a name with a dot.
func looksLikePassword(w string) bool {
	if len(w) < 6 || strings.ContainsAny(w, "/\\.@") || strings.Contains(w, "://") {
		return false
	}
	digits, lower, upper := classes(w)
	return lower+upper > 0 && digits > 0
}
