package hosts

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
)

// reference is a reference to a variable in a value.
type reference struct {
	text     string
	syntax   variables
	name     string
	fallback string
	defined  bool // it has a default
}

var (
	references = lazyregexp.New(`\$\{\{.*?\}\}|\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_]\w*|\{(?:env|file):[^}]*\}|%[A-Za-z_]\w*%`)
	upperCase  = lazyregexp.New(`^[A-Z_][A-Z0-9_]*$`)
)

// forms are the forms of references. Their groups are the name, whether there is a
// default, and the default.
var forms = []struct {
	syntax  variables
	pattern func() *regexp.Regexp
}{
	{doubled, lazyregexp.New(`(?s)^\$\{\{(?:[^.]*\.(.*?)\s*|.*)..$`)},
	{evaluated, lazyregexp.New(`^\$\(`)},
	{envColon, lazyregexp.New(`(?s)^\$\{env:(.*)\}$`)},
	{inputs, lazyregexp.New(`(?s)^\$\{(?:input|command|config):(.*)\}$`)},
	{folders, lazyregexp.New(`(?s)^\$\{(workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/|cwd)(?::.*)?\}$`)},
	{braces, lazyregexp.New(`(?s)^\$\{([A-Za-z_]\w*)(:-(.*))?\}$`)},
	{curly | evaluated, lazyregexp.New(`^\{file:`)},
	{curly, lazyregexp.New(`(?s)^\{env:(.*)\}$`)},
	{percent, lazyregexp.New(`^%(.*)%$`)},
	{dollar, lazyregexp.New(`^\$([^{].*)$`)},
}

// parseReference classifies a match of [references].
func parseReference(text string) reference {
	for _, form := range forms {
		if m := form.pattern().FindStringSubmatch(text); m != nil {
			m = append(m, "", "", "")
			return reference{text: text, syntax: form.syntax, name: m[1], fallback: m[3], defined: strings.HasPrefix(m[2], ":-")}
		}
	}
	return reference{text: text}
}

// hasReference reports whether a value depends on a variable.
func hasReference(text string) bool { return references().MatchString(text) }

// supported is the set of syntaxes that the host expands in values of a meaning.
func (d *dialect) supported(meaning role) variables {
	switch {
	case meaning == "command" && d.CommandVars != 0:
		return d.CommandVars
	case d.VarsIn != nil && !slices.Contains(d.VarsIn, meaning):
		return 0
	}
	return d.Vars
}

// lookup returns the value of a reference. known is false if it cannot be known here,
// and the value is then the text as written.
func (e *entry) lookup(r reference) (text string, known bool) {
	m := e.file.machine
	project := m.Project
	if e.Project != "" {
		project = e.Project
	}
	switch {
	case r.syntax == braces && e.Scope == Plugin && r.name == "CLAUDE_PLUGIN_ROOT":
		return m.dirOf(e.file.path), true
	case r.syntax == braces && e.Scope == Plugin && r.name == "CLAUDE_PROJECT_DIR":
		return project, true
	case r.syntax == folders:
		switch r.name {
		case "workspaceFolder", "cwd":
			return project, true
		case "workspaceFolderBasename":
			return strings.TrimPrefix(project[len(m.dirOf(project)):], m.separator()), true
		case "userHome":
			return m.Home, true
		}
		return m.separator(), true
	case r.syntax&(braces|dollar|percent|envColon|curly) != 0 && r.name != "":
		if v, ok := m.LookupEnv(r.name); ok {
			return v, true
		}
		if r.defined {
			return r.fallback, true
		}
	}
	return r.text, false
}

// public are variables whose values are in the paths and names of everything on a machine.
var public = []string{"HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "PWD", "PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "LANG", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "SYSTEMROOT"}

// IsPrivate reports whether the value of an environment variable may be a secret: nothing says
// that it is not one. The path of a file or directory is no secret, and neither is a short value of an
// ordinary name, such as a port.
func IsPrivate(name, value string) bool {
	return isPrivate(name, value, func(path string) bool { _, err := os.Stat(path); return err == nil })
}

func isPrivate(name, value string, exists func(path string) bool) bool {
	isPath := strings.HasPrefix(value, "/") || len(value) > 1 && value[1] == ':'
	isOrdinary := secret.IsShort(value) && !secret.IsName(name)
	return !isOrdinary && !slices.Contains(public, strings.ToUpper(name)) && !(isPath && exists(value))
}

// private returns the value of the environment variable that replaces a reference, if it may be
// a secret. A default is in the file.
func (e *entry) private(r reference) (value string, ok bool) {
	if r.syntax&(braces|dollar|percent|envColon|curly) == 0 || r.syntax == folders {
		return "", false
	}
	m := e.file.machine
	value, ok = m.LookupEnv(r.name)
	return value, ok && isPrivate(r.name, value, m.Exists)
}

// expanded returns a value with the variables that are known here.
func (e *entry) expanded(meaning role, text string) string {
	supported := e.file.dialect.supported(meaning)
	if tilde := e.file.dialect.Tilde; strings.HasPrefix(text, "~/") && (tilde == "all" || tilde == meaning) {
		text = e.file.machine.join(e.file.machine.Home, text[2:])
	}
	if supported == 0 {
		return text
	}
	return references().ReplaceAllStringFunc(text, func(match string) string {
		r := parseReference(match)
		if r.syntax&supported == 0 || r.syntax == percent && e.file.machine.OS != "windows" {
			return match
		}
		v, _ := e.lookup(r)
		if value, ok := e.private(r); ok && value == v {
			e.Private = append(e.Private, value)
		}
		return v
	})
}

// converted returns a copy with other values. convert gets each with what it means.
func (l Launch) converted(convert func(meaning role, text string) string) Launch {
	l.Command, l.Dir, l.EnvFile, l.URL = convert("command", l.Command), convert("cwd", l.Dir), convert("envFile", l.EnvFile), convert("url", l.URL)
	l.Args, l.Env, l.Headers = slices.Clone(l.Args), slices.Clone(l.Env), slices.Clone(l.Headers)
	for i := range l.Args {
		l.Args[i] = convert("args", l.Args[i])
	}
	for i := range l.Env {
		l.Env[i].Value = convert("env", l.Env[i].Value)
	}
	for i := range l.Headers {
		l.Headers[i].Value = convert("headers", l.Headers[i].Value)
	}
	return l
}

// secretIn returns the secrets that a variable or header contains in clear text.
func secretIn(name, text string) []secret.Found {
	if text == "" {
		return nil
	}
	if hasReference(text) {
		return secret.FindTokens(references().ReplaceAllString(text, " "))
	}
	if secret.IsName(name) {
		return []secret.Found{{End: len(text), Name: name}}
	}
	return secret.Find(text)
}

// checkReferences reports references that the host does not expand, and variables
// that are not set.
func (e *entry) checkReferences(v value) {
	supported := e.file.dialect.supported(v.role)
	host := e.file.host.Name
	for _, match := range references().FindAllString(v.Text, -1) {
		r := parseReference(match)
		switch {
		case r.syntax == percent && e.file.machine.OS != "windows", r.syntax == 0:
		case r.syntax&supported == 0:
			if r.syntax == evaluated || r.syntax == dollar && !upperCase().MatchString(r.name) {
				continue
			}
			e.report("F041", Warning, v.Node, "%s does not expand %q. %s", host, match, e.instead(v, r))
			return
		case r.syntax == inputs:
			e.checkInput(v, r)
		default:
			if _, ok := e.lookup(r); !ok && r.name != "" && r.syntax&(doubled|evaluated) == 0 && !(e.Scope == Plugin && strings.HasPrefix(r.name, "CLAUDE_")) {
				e.report("F040", Warning, v.Node, "Environment variable %s is not set here. %s %s.", r.name, host, e.file.dialect.Undefined)
			}
		}
	}
}

// instead says how to write a reference for the host.
func (e *entry) instead(v value, r reference) string {
	if r.syntax&(braces|dollar|envColon|curly|percent) == 0 || r.name == "" {
		return "Write the value itself."
	}
	if e.file.dialect.supported(v.role) != 0 {
		if form := e.file.dialect.reference(r.name); form != "" {
			return "Write " + form + "."
		}
	}
	if v.role == "env" && e.file.dialect.EnvHint != "" {
		return strings.ReplaceAll(e.file.dialect.EnvHint, "NAME", r.name)
	}
	return "Write the value itself."
}

func (e *entry) checkInput(v value, r reference) {
	if !strings.HasPrefix(r.text, inputPrefix) {
		return
	}
	if slices.ContainsFunc(syntax.ItemsOf(e.file.root.Get("inputs")), func(item *syntax.Node) bool { return syntax.TextOf(item.Get("id")) == r.name }) {
		return
	}
	e.report("F042", Error, v.Node, `Input %q is not defined in "inputs".`, r.name)
}
