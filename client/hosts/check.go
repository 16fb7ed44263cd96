package hosts

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
)

var (
	wordName    = lazyregexp.New(`^[A-Za-z0-9_-]+$`)
	placeholder = lazyregexp.New(`(?i)^<[^<>]+>$|<[^<>]*(?:your|token|key|password|secret)[^<>]*>|\byour[_-]|^x{3,}$|^changeme$|^sk-\.\.\.$`)
)

// examined are the meanings of the strings that are examined.
var examined = []role{"command", "args", "env", "headers", "cwd", "envFile", "url"}

// check examines an entry that the host loads.
func (e *entry) check() {
	e.checkName()
	if e.notExpanded != "" {
		at := e.mapped[e.notExpandedAt]
		if at == nil {
			at = e.node
		}
		e.report("F052", Error, at, "%s. Write the value itself.", e.notExpanded)
	}
	if e.Fragment || e.file.dialect.Enclosed {
		return
	}
	for _, v := range e.values {
		if slices.Contains(examined, v.role) {
			e.checkReferences(v)
			e.checkText(v)
		}
	}
	if _, set := e.file.machine.LookupEnv(e.BearerEnv); !set && e.BearerEnv != "" {
		e.report("F040", Warning, e.mapped["bearerEnv"], "Environment variable %s is not set here. %s fails.", e.BearerEnv, e.file.host.Name)
	}
	e.checkSecretArgs()
	switch e.Transport {
	case Stdio:
		if e.notExpanded == "" {
			e.checkCommand()
		}
	case HTTP, SSE, WS:
		e.checkURL()
	}
}

func (e *entry) checkName() {
	host := e.file.host.Name
	switch {
	case e.file.dialect.Names == "word" && e.Scope != Manifest && slices.Contains(e.file.dialect.Reserved, e.Name):
		e.report("F028", Error, e.node, "%q is reserved by %s. Choose another name.", e.Name, host)
	case e.file.dialect.Names == "word" && !wordName().MatchString(e.Name):
		e.report("F027", Error, e.node, "Server name %q: %s allows letters, digits, - and _. Rename the entry.", e.Name, host)
	case e.file.dialect.Names == "no-underscore" && strings.Contains(e.Name, "_"):
		e.report("F027", Warning, e.node, "Server name %q: an underscore breaks the tool rules of %s. Use - instead.", e.Name, host)
	}
}

// checkText examines one string.
func (e *entry) checkText(v value) {
	key := v.name()
	if key == "" {
		key = v.role
	}
	switch {
	case placeholder().MatchString(v.Text):
		e.report("F062", Warning, v.Node, "%q still has the placeholder %q. Replace it.", key, placeholder().FindString(v.Text))
		return
	case v.Text != strings.TrimSpace(v.Text):
		where := "leading"
		if strings.TrimLeft(v.Text, " \t\r\n") == v.Text {
			where = "trailing"
		}
		e.report("F063", Warning, v.Node, "%q has %s white space. Remove it.", key, where)
	}
	switch v.role {
	case "env", "headers":
		if len(secretIn(v.name(), v.Text)) > 0 {
			e.secret(v, v.name())
		}
	case "url":
		if !hasReference(v.Text) && len(secret.FindURL(v.Text)) > 0 {
			e.secret(v, "url")
		}
	}
}

// checkSecretArgs reports secrets on the command line.
func (e *entry) checkSecretArgs() {
	var line []value
	for _, meaning := range []role{"command", "args"} {
		for _, v := range e.values {
			if v.role == meaning {
				line = append(line, v)
			}
		}
	}
	argv := make([]string, len(line))
	for i, v := range line {
		argv[i] = v.Text
	}
	last := -1
	for _, found := range secret.FindArgs(argv) {
		v := line[found.Arg]
		if found.Arg == last || hasReference(v.Text) || placeholder().MatchString(v.Text) {
			continue
		}
		last = found.Arg
		e.secret(v, "args")
	}
}

// inProject reports whether the file belongs to the project and may be shared. A variable of the
// environment that names a file of the project does not make it one of the user.
func (f *file) inProject() bool {
	m := f.machine
	return strings.HasPrefix(f.location.Path, "PROJ") || strings.HasPrefix(f.location.Path, "CWD") ||
		f.location.Variable != "" && isBelow(m.Project, f.path) && !isBelow(m.Project, m.Home)
}

// isBelow reports whether a path is a directory, or below it.
func isBelow(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// secret reports a secret in clear text.
func (e *entry) secret(v value, key string) {
	f := e.file
	if f.inProject() && f.machine.Tracked(f.path) {
		e.report("F061", Error, v.Node, "%q contains a secret in a file under version control. Remove it and revoke the secret.", key)
		return
	}
	severity := Warning
	if !f.inProject() && (f.mode&0o077 == 0 || f.machine.OS == "windows") {
		severity = Info
	}
	instead := "Keep it out of the file, for example with a program that reads it from a keyring."
	if form := e.file.dialect.reference("NAME"); form != "" && e.file.dialect.supported(v.role) != 0 {
		instead = "Use " + form + " and an environment variable."
		if e.file.dialect.Vars&inputs != 0 {
			instead = "Use ${input:ID} or " + form + "."
		}
	} else if e.file.dialect.SecretHint != "" {
		instead = e.file.dialect.SecretHint
	}
	e.report("F060", severity, v.Node, "%q contains a secret in clear text. %s", key, instead)
}

// checkURL examines the URL of a server.
func (e *entry) checkURL() {
	text := e.Expanded.URL
	at := e.mapped["url"]
	if text == "" || hasReference(text) {
		return
	}
	u, err := url.Parse(strings.TrimSpace(text))
	schemes := []string{"http", "https"}
	if e.file.dialect.WS && e.Transport == WS {
		schemes = []string{"ws", "wss"}
	}
	switch {
	case err == nil && e.file.dialect.Sockets && (u.Scheme == "unix" || u.Scheme == "pipe"):
	case err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "":
		e.report("F029", Error, at, "%q is not an http or https URL. Write it as https://HOST/PATH.", secret.URL(text))
	case u.Scheme == "http" && !loopback(u.Hostname()):
		for _, v := range e.values {
			if v.role == "headers" && v.Text != "" && (strings.EqualFold(v.name(), "Authorization") || secret.IsName(v.name())) {
				e.report("F064", Warning, v.Node, "The secret in %q is sent unencrypted to %s. Use https.", v.name(), u.Hostname())
			}
		}
	}
}

func loopback(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}

// unwrapped returns the launch behind mcptea tap, and whether the entry is wrapped.
func (e *entry) unwrapped() (Launch, bool) {
	l := e.Written
	// The executable may have another name, such as the name of a download; wrap writes --as.
	if len(l.Args) < 2 || l.Args[0] != "tap" || program(l.Command) != "mcptea" && l.Args[1] != "--as" {
		return l, false
	}
	if direct, over, ok := bridged(l); ok {
		e.values = slices.DeleteFunc(e.values, func(v value) bool { return v.role == "command" || v.role == "args" })
		e.Transport = over
		e.reportWrapped(l.Command)
		return direct, true
	}
	dash := slices.Index(l.Args, "--")
	if dash < 0 || dash+1 >= len(l.Args) {
		return l, false
	}
	mcptea := l.Command
	l.Command, l.Args = l.Args[dash+1], l.Args[dash+2:]
	if len(l.Args) == 0 {
		l.Args = nil
	}
	left := dash + 1 // arguments in front of the command
	e.values = slices.DeleteFunc(e.values, func(v value) bool {
		switch v.role {
		case "command":
			return true
		case "args":
			left--
			return left >= 0
		}
		return false
	})
	for i := range e.values {
		if e.values[i].role == "args" {
			e.values[i].role = "command"
			break
		}
	}
	e.reportWrapped(mcptea)
	return l, true
}

// reportWrapped reports that an entry runs mcptea.
func (e *entry) reportWrapped(mcptea string) {
	m := e.file.machine
	exists := m.Exists(mcptea)
	if !m.isAbs(mcptea) {
		_, exists = m.LookPath(mcptea)
	}
	if !exists {
		e.report("F071", Warning, e.node, "The entry runs %q, which does not exist: the server cannot start. Unwrap it with mcptea servers unwrap %s, or reinstall mcptea.", mcptea, e.ID())
	} else {
		e.report("F070", Info, e.node, "Recorded by mcptea. mcptea servers unwrap %s restores the entry.", e.ID())
	}
}

// maxInputID bounds the id of an input that is looked up, in bytes.
const maxInputID = 1000

// checkUnusedInputs reports inputs that no server uses.
func (f *file) checkUnusedInputs() {
	if f.dialect.Vars&inputs == 0 || f.unloaded {
		return
	}
	used := map[string]bool{}
	for rest := string(f.data); ; {
		_, after, ok := strings.Cut(rest, inputPrefix)
		if !ok {
			break
		}
		if id, _, ok := strings.Cut(after[:min(len(after), maxInputID)], "}"); ok {
			used[id] = true
		}
		rest = after
	}
	for _, item := range syntax.ItemsOf(f.root.Get("inputs")) {
		if id := item.Get("id"); id != nil && len(id.Text) < maxInputID && !used[id.Text] {
			f.report(nil, "F042", Info, item, "Input %q is not used. Remove it.", id.Text)
		}
	}
}

// IsPlaceholder reports whether a value stands for something that the user must write, such as
// YOUR_API_KEY.
func IsPlaceholder(value string) bool { return placeholder().MatchString(value) }
