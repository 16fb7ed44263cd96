package hosts

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// reference is a reference to a variable in a value.
type reference struct {
	text     string
	syntax   variables
	name     string
	fallback string
	defined  bool // the reference has a default
}

var upperCase = lazyregexp.New(`^[A-Z_][A-Z0-9_]*$`)

// forms are the forms of references. Their groups are the name, whether there is a
// default, and the default.
var forms = []struct {
	syntax  variables
	start   string // start of each reference of the form
	pattern func() *regexp.Regexp
}{
	{doubled, "${{", lazyregexp.New(`(?s)^\$\{\{(?:[^.]*\.(.*?)\s*|.*)..$`)},
	{evaluated, "$(", lazyregexp.New(`^\$\(`)},
	{envColon, "${env:", lazyregexp.New(`(?s)^\$\{env:(.*)\}$`)},
	{inputs, "${", lazyregexp.New(`(?s)^\$\{(?:input|command|config):(.*)\}$`)},
	{userConfig, "${", lazyregexp.New(`(?s)^\$\{user_config\.(.*)\}$`)},
	{folders, "${", lazyregexp.New(`(?s)^\$\{(workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|/|cwd)(?::.*)?\}$`)},
	{braces, "${", lazyregexp.New(`(?s)^\$\{([A-Za-z_]\w*)(:-(.*))?\}$`)},
	{curly | evaluated, "{file:", lazyregexp.New(`^\{file:`)},
	{curly, "{env:", lazyregexp.New(`(?s)^\{env:(.*)\}$`)},
	{percent, "%", lazyregexp.New(`^%(.*)%$`)},
	{dollar, "$", lazyregexp.New(`^\$([^{].*)$`)},
}

// parseReference classifies a reference that a [scanner] has found.
func parseReference(text string) reference {
	for _, form := range forms {
		if !strings.HasPrefix(text, form.start) {
			continue
		}
		if m := form.pattern().FindStringSubmatch(text); m != nil {
			m = append(m, "", "", "")
			return reference{text: text, syntax: form.syntax, name: m[1], fallback: m[3], defined: strings.HasPrefix(m[2], ":-")}
		}
	}
	return reference{text: text}
}

// isInput reports whether a reference stands for a value that the host asks its user for.
func (r reference) isInput() bool {
	return r.syntax == userConfig || strings.HasPrefix(r.text, inputPrefix)
}

// supported returns the set of syntaxes that the host expands in values of a meaning.
func (d *dialect) supported(meaning role) variables {
	switch {
	case meaning == "command" && d.CommandVars != 0:
		return d.CommandVars
	case d.VarsIn != nil && !slices.Contains(d.VarsIn, meaning):
		return 0
	}
	return d.Vars
}

// lookup returns the value of a reference. If it cannot be known here, known is false, and text is the
// reference as written.
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

// IsPrivate reports whether the value of an environment variable may be a secret. The path of a file or
// directory is not a secret, and neither is a short value of an ordinary name, such as a port.
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

// expanded returns a value with its known variables replaced. If the value is not expanded because of its
// length, it returns the value as written, see [Server.WhyUnknown].
func (e *entry) expanded(meaning role, text string) string {
	expanded, private, why := e.expand(meaning, text)
	if grown := len(expanded) - len(text); why == "" && e.file.grown+grown > maxGrown {
		why = "the values of the file become more than " + "4 MiB" + " longer"
	} else {
		e.file.grown += max(grown, 0)
	}
	if why != "" {
		if e.notExpanded == "" {
			e.notExpanded, e.notExpandedAt = fmt.Sprintf("%q is not expanded: %s", meaning, why), meaning
		}
		return text
	}
	e.Private = append(e.Private, private...)
	return expanded
}

// expand returns a value with its known variables replaced, and the values of variables that may be secrets. If
// the value is not expanded, why is the reason.
func (e *entry) expand(meaning role, text string) (expanded string, private []string, why string) {
	supported := e.file.dialect.supported(meaning)
	if tilde := e.file.dialect.Tilde; strings.HasPrefix(text, "~/") && (tilde == "all" || tilde == meaning) {
		text = e.file.machine.join(e.file.machine.Home, text[2:])
	}
	if supported == 0 {
		return text, nil, ""
	}
	count, grown := 0, 0
	expanded = replaceReferences(text, func(match string) string {
		if count++; count > maxReferences || len(text)+grown > maxExpanded {
			return match
		}
		r := parseReference(match)
		if r.syntax&supported == 0 || r.syntax == percent && e.file.machine.OS != "windows" {
			return match
		}
		v, _ := e.lookup(r)
		grown += len(v) - len(match)
		if value, ok := e.private(r); ok && value == v && !slices.Contains(private, value) {
			private = append(private, value)
		}
		return v
	})
	switch {
	case count > maxReferences:
		return text, nil, "it has more than " + phrase.Count(maxReferences, "reference") + " to variables"
	case count > 0 && len(expanded) > maxExpanded:
		return text, nil, "it becomes longer than " + "128 KiB"
	}
	return expanded, private, ""
}

// converted returns a copy with converted values. convert receives each value with its role.
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
		return secret.FindTokens(replaceReferences(text, func(string) string { return " " }))
	}
	if secret.IsName(name) {
		return []secret.Found{{End: len(text), Name: name}}
	}
	return secret.Find(text)
}

// checkReferences reports references that the host does not expand, and variables
// that are not set.
func (e *entry) checkReferences(v value) {
	if e.notExpanded != "" {
		return
	}
	supported := e.file.dialect.supported(v.role)
	host := e.file.host.Name
	if m := bareFolder().FindStringSubmatch(v.Text); m != nil && supported&templates == 0 {
		instead := "Write the value itself."
		if supported&folders != 0 {
			instead = "Write $" + m[1] + "."
		}
		e.report("F041", Warning, v.Node, "%s does not expand %q, which has no $. %s", host, m[1], instead)
	}
	for _, match := range referencesIn(v.Text, maxReferences) {
		r := parseReference(match)
		switch {
		case r.syntax == percent && e.file.machine.OS != "windows", r.syntax == 0:
		case r.syntax&supported == 0:
			if r.syntax == evaluated || r.syntax == dollar && !upperCase().MatchString(r.name) {
				continue
			}
			e.report("F041", Warning, v.Node, "%s does not expand %q. %s", host, match, e.instead(v, r))
			return
		case r.syntax == inputs, r.syntax == userConfig:
			e.checkInput(v, r)
		default:
			if _, ok := e.lookup(r); !ok && r.name != "" && r.syntax&(doubled|evaluated) == 0 && !(e.Scope == Plugin && strings.HasPrefix(r.name, "CLAUDE_")) {
				e.report("F040", Warning, v.Node, "Environment variable %s is not set here. %s %s.", r.name, host, e.file.dialect.Undefined)
			}
		}
	}
}

// bareFolder matches a reference to a folder of an editor that lacks its $.
var bareFolder = lazyregexp.New(`(?:^|[^${])(\{(?:workspaceFolder|workspaceFolderBasename|workspaceRoot|userHome)\})`)

// instead explains how to write a reference for the host.
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
	if !r.isInput() || e.file.inputAt(r.name) >= 0 {
		return
	}
	place := "inputs"
	if r.syntax == userConfig {
		place = "user_config"
	}
	e.report("F042", Error, v.Node, "Input %q is not defined in %q.", r.name, place)
}
