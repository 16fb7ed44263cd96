package hosts

import (
	"net/url"
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

// check examines an entry that the host loads. offset is that of its key.
func (e *entry) check(offset int) {
	e.checkName(offset)
	if e.Fragment || e.dialect.Enclosed {
		return
	}
	for _, v := range e.values {
		if v.role == "-" || v.role == "bearerEnv" {
			continue
		}
		e.checkReferences(v)
		e.checkText(v)
	}
	if at, ok := e.keys["bearerEnv"]; ok {
		if _, set := e.file.machine.LookupEnv(e.BearerEnv); !set && e.BearerEnv != "" {
			e.report("F040", Warning, at, e.starts["bearerEnv"], "Environment variable %s is not set here. %s fails.", e.BearerEnv, e.file.host.Name)
		}
	}
	e.checkSecretArgs()
	switch e.Transport {
	case Stdio:
		e.checkCommand()
	case HTTP, SSE, WS:
		e.checkURL()
	}
}

func (e *entry) checkName(offset int) {
	host := e.file.host.Name
	switch {
	case e.dialect.Names == "word" && e.Scope != Manifest && slices.Contains(e.dialect.Reserved, e.Name):
		e.report("F028", Error, e.Source.Pointer, offset, "%q is reserved by %s. Choose another name.", e.Name, host)
	case e.dialect.Names == "word" && !wordName().MatchString(e.Name):
		e.report("F027", Error, e.Source.Pointer, offset, "Server name %q: %s allows letters, digits, - and _. Rename the entry.", e.Name, host)
	case e.dialect.Names == "no-underscore" && strings.Contains(e.Name, "_"):
		e.report("F027", Warning, e.Source.Pointer, offset, "Server name %q: an underscore breaks the tool rules of %s. Use - instead.", e.Name, host)
	}
}

// checkText examines one string.
func (e *entry) checkText(v value) {
	key := v.name
	if key == "" {
		key = v.role
	}
	switch {
	case placeholder().MatchString(v.text):
		e.report("F062", Warning, v.pointer, v.offset, "%q still has the placeholder %q. Replace it.", key, placeholder().FindString(v.text))
		return
	case v.text != strings.TrimSpace(v.text):
		where := "leading"
		if strings.TrimLeft(v.text, " \t\r\n") == v.text {
			where = "trailing"
		}
		e.report("F063", Warning, v.pointer, v.offset, "%q has %s white space. Remove it.", key, where)
	}
	switch v.role {
	case "env", "headers":
		if len(secretIn(v.name, v.text)) > 0 {
			e.secret(v, v.name)
		}
	case "url":
		if !hasReference(v.text) && len(secret.FindURL(v.text)) > 0 {
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
		argv[i] = v.text
	}
	last := -1
	for _, found := range secret.FindArgs(argv) {
		v := line[found.Arg]
		if found.Arg == last || hasReference(v.text) || placeholder().MatchString(v.text) {
			continue
		}
		last = found.Arg
		e.secret(v, "args")
	}
}

// inProject reports whether the file belongs to the project and may be shared.
func (f *file) inProject() bool {
	return strings.HasPrefix(f.location.Path, "PROJ") || strings.HasPrefix(f.location.Path, "CWD")
}

// secret reports a secret in clear text.
func (e *entry) secret(v value, key string) {
	f := e.file
	if f.inProject() && f.machine.Tracked(f.path) {
		e.report("F061", Error, v.pointer, v.offset, "%q contains a secret in a file under version control. Remove it and revoke the secret.", key)
		return
	}
	severity := Warning
	if !f.inProject() && (f.mode&0o077 == 0 || f.machine.OS == "windows") {
		severity = Info
	}
	instead := "Keep it out of the file, for example with a program that reads it from a keyring."
	if form := e.dialect.reference("NAME"); form != "" && e.dialect.supported(v.role) != 0 {
		instead = "Use " + form + " and an environment variable."
		if e.dialect.Vars&inputs != 0 {
			instead = "Use ${input:ID} or " + form + "."
		}
	} else if e.dialect.SecretHint != "" {
		instead = e.dialect.SecretHint
	}
	e.report("F060", severity, v.pointer, v.offset, "%q contains a secret in clear text. %s", key, instead)
}

// checkURL examines the URL of a server.
func (e *entry) checkURL() {
	text := e.Expanded.URL
	at, offset := e.keys["url"], e.starts["url"]
	if text == "" || hasReference(text) {
		return
	}
	u, err := url.Parse(strings.TrimSpace(text))
	schemes := []string{"http", "https"}
	if e.dialect.WS && e.Transport == WS {
		schemes = []string{"ws", "wss"}
	}
	switch {
	case err == nil && e.dialect.Sockets && (u.Scheme == "unix" || u.Scheme == "pipe"):
	case err != nil || !slices.Contains(schemes, u.Scheme) || u.Hostname() == "":
		e.report("F029", Error, at, offset, "%q is not an http or https URL. Write it as https://HOST/PATH.", secret.URL(text))
	case u.Scheme == "http" && !loopback(u.Hostname()):
		for _, v := range e.values {
			if v.role == "headers" && v.text != "" && (strings.EqualFold(v.name, "Authorization") || secret.IsName(v.name)) {
				e.report("F064", Warning, v.pointer, v.offset, "The secret in %q is sent unencrypted to %s. Use https.", v.name, u.Hostname())
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
	if program(l.Command) != "mcptea" || len(l.Args) == 0 || l.Args[0] != "tap" {
		return l, false
	}
	dash := slices.Index(l.Args, "--")
	if dash < 0 || dash+1 >= len(l.Args) {
		return l, false
	}
	mcptea, m := l.Command, e.file.machine
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
	exists := m.Exists(mcptea)
	if !m.isAbs(mcptea) {
		_, exists = m.LookPath(mcptea)
	}
	if !exists {
		e.report("F071", Warning, e.Source.Pointer, e.start(), "The entry runs %q, which does not exist: the server cannot start. Unwrap it with mcptea tap --unwrap %s, or reinstall mcptea.", mcptea, e.ID())
	} else {
		e.report("F070", Info, e.Source.Pointer, e.start(), "Recorded by mcptea. mcptea tap --unwrap %s restores the entry.", e.ID())
	}
	return l, true
}

// checkUnusedInputs reports inputs that no server uses.
func (f *file) checkUnusedInputs() {
	list := f.root.Value("inputs")
	if f.dialect.Vars&inputs == 0 || list == nil || f.unloaded {
		return
	}
	for i, item := range list.Items {
		id := item.Value("id")
		if id == nil || strings.Contains(string(f.data), "${input:"+id.Text+"}") {
			continue
		}
		f.report(nil, "F042", Info, syntax.Index("/inputs", i), item.Start, "Input %q is not used. Remove it.", id.Text)
	}
}
