package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// addLines are the commands of hosts that add a server, as pages about servers show them. They
// are read, never run.
var addLines = []struct {
	words []string
	read  func(words []string) (name string, entry map[string]any, err error)
}{
	{[]string{"claude", "mcp", "add"}, addFlags{scope: "-s --scope", text: "--callback-port --client-id", kind: "-t --transport", env: "-e --env", header: "-H --header", bare: "--client-secret"}.read},
	{[]string{"claude", "mcp", "add-json"}, addFlags{scope: "-s --scope", bare: "--client-secret"}.readJSON},
	{[]string{"codex", "mcp", "add"}, addFlags{env: "--env", url: "--url", bearer: "--bearer-token-env-var"}.read},
	{[]string{"gemini", "mcp", "add"}, addFlags{scope: "-s --scope", text: "--timeout --description --include-tools --exclude-tools", kind: "-t --transport --type", env: "-e --env", header: "-H --header", bare: "--trust"}.read},
	{[]string{"code", "--add-mcp"}, readWithName},
	{[]string{"code-insiders", "--add-mcp"}, readWithName},
}

// AddLine reads the words of a command line that adds a server to a host, such as claude mcp add.
// file is a configuration with that server, for [ReadPasted]. It reports false for other lines.
func AddLine(words []string) (file string, ok bool, err error) {
	for _, l := range addLines {
		if len(words) < len(l.words) || !slices.Equal(words[:len(l.words)], l.words) {
			continue
		}
		name, entry, err := l.read(words[len(l.words):])
		if err != nil {
			return "", true, fmt.Errorf("%s: %w", strings.Join(l.words, " "), err)
		}
		text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: entry}})
		return string(text), true, err
	}
	return "", false, nil
}

// AddsServer reports whether words are a command that adds a server to a host, and how it is
// called.
func AddsServer(words []string) (command string, ok bool) {
	for _, l := range addLines {
		if len(words) >= len(l.words) && slices.Equal(words[:len(l.words)], l.words) {
			return strings.Join(l.words, " "), true
		}
	}
	return "", false
}

// addFlags lists the flags of such a command by meaning. Each may have several names.
type addFlags struct {
	scope, text, bare string // flags that concern only the host; bare takes no value
	kind, env, header string
	url, bearer       string
}

// addReader holds the parts of such a command that were read.
type addReader struct {
	addFlags
	name                 string
	line                 []string // the command with its arguments, or a URL
	transport, address   string
	token                string // the variable with a token
	environment, headers map[string]string
}

func (f addFlags) reader() *addReader {
	return &addReader{addFlags: f, environment: map[string]string{}, headers: map[string]string{}}
}

// read reads NAME, then a URL or a command with its arguments. The words after -- are the command.
func (f addFlags) read(words []string) (name string, entry map[string]any, err error) {
	l := f.reader()
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "--":
			l.positional(words...)
			words = nil
		case len(word) > 1 && strings.HasPrefix(word, "-"):
			if words, err = l.flag(word, words); err != nil {
				return "", nil, err
			}
		default:
			l.positional(word)
		}
	}
	return l.entry()
}

func (l *addReader) positional(words ...string) {
	if l.name == "" && len(words) > 0 {
		l.name, words = words[0], words[1:]
	}
	l.line = append(l.line, words...)
}

// flag reads a flag with its values from the words after it, and returns the remaining words. After the start
// of the command, an unknown flag is an argument.
func (l *addReader) flag(word string, words []string) (rest []string, err error) {
	name, value, joined := strings.Cut(word, "=")
	is := func(names string) bool { return slices.Contains(strings.Fields(names), name) }
	if is(l.bare) {
		return words, nil
	}
	var into *string
	var ignored string
	pair := func(string) (key, value string, ok bool) { return "", "", false }
	var pairs map[string]string
	switch {
	case is(l.scope), is(l.text):
		into = &ignored
	case is(l.kind):
		into = &l.transport
	case is(l.url):
		into = &l.address
	case is(l.bearer):
		into = &l.token
	case is(l.env):
		pairs, pair = l.environment, variable
	case is(l.header):
		pairs, pair = l.headers, header
	case len(l.line) > 0:
		l.line = append(l.line, word)
		return words, nil
	default:
		return nil, fmt.Errorf("unknown flag %s", word)
	}
	if !joined {
		if len(words) == 0 {
			return nil, fmt.Errorf("%s has no value", word)
		}
		value, words = words[0], words[1:]
	}
	if into != nil {
		*into = value
		return words, nil
	}
	k, v, ok := pair(value)
	if !ok {
		return nil, fmt.Errorf("%s: the value is neither NAME=VALUE nor a header", name)
	}
	pairs[k] = v
	for len(words) > 0 { // one flag may have several values
		if k, v, ok = pair(words[0]); !ok || is(l.header) && !strings.Contains(words[0], ": ") {
			break
		}
		pairs[k], words = v, words[1:]
	}
	return words, nil
}

// variable reads NAME=VALUE. A URL with a query is not one.
func variable(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, "=")
	return name, value, ok && name != "" && !strings.ContainsAny(name, " \t-:/?.@")
}

// header reads "NAME: VALUE".
func header(text string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(text, ":")
	return name, strings.TrimSpace(value), ok && name != "" && !strings.ContainsAny(name, " \t/=") && !strings.HasPrefix(value, "//")
}

// entry returns the server that was read.
func (l *addReader) entry() (name string, entry map[string]any, err error) {
	entry = map[string]any{}
	isURL := func(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }
	if len(l.line) == 1 && isURL(l.line[0]) && l.address == "" && l.transport != string(Stdio) {
		l.address, l.line = l.line[0], nil
	}
	switch {
	case l.name == "":
		return "", nil, errors.New("the name of the server is missing")
	case l.address == "" && len(l.line) == 0:
		return "", nil, errors.New("neither a URL nor a command follows the name")
	case l.address != "" && len(l.line) > 0:
		return "", nil, fmt.Errorf("%q follows the URL", l.line[0])
	case l.address == "" && l.transport != "" && l.transport != string(Stdio):
		return "", nil, fmt.Errorf("the transport %s requires a URL", l.transport)
	case l.address == "":
		entry["command"], entry["args"] = l.line[0], l.line[1:]
	default:
		entry["url"] = l.address
		if l.transport != "" {
			entry["type"] = l.transport
		}
	}
	if l.token != "" {
		l.headers["Authorization"] = "Bearer ${" + l.token + "}"
	}
	for _, m := range []struct {
		key    string
		values map[string]string
	}{{"env", l.environment}, {"headers", l.headers}} {
		if len(m.values) > 0 {
			entry[m.key] = maps.Clone(m.values)
		}
	}
	return l.name, entry, nil
}

// readJSON reads NAME and the entry as JSON.
func (f addFlags) readJSON(words []string) (name string, entry map[string]any, err error) {
	l := f.reader()
	for len(words) > 0 {
		word := words[0]
		if words = words[1:]; strings.HasPrefix(word, "-") {
			if words, err = l.flag(word, words); err != nil {
				return "", nil, err
			}
			continue
		}
		l.positional(word)
	}
	if l.name == "" || len(l.line) != 1 {
		return "", nil, errors.New("expected a name and an entry as JSON")
	}
	entry, err = entryOf(l.line[0])
	return l.name, entry, err
}

// readWithName reads an entry as JSON that has its name as a member.
func readWithName(words []string) (name string, entry map[string]any, err error) {
	if len(words) != 1 {
		return "", nil, errors.New("expected an entry as JSON")
	}
	if entry, err = entryOf(words[0]); err != nil {
		return "", nil, err
	}
	name, _ = entry["name"].(string)
	if delete(entry, "name"); name == "" {
		name = pastedName
	}
	return name, entry, nil
}

func entryOf(text string) (entry map[string]any, err error) {
	if _, err := syntax.Parse(syntax.JSONC, []byte(text)); err != nil {
		return nil, err
	}
	if json.Unmarshal([]byte(text), &entry) != nil || entry == nil {
		return nil, errors.New("the entry is not a JSON object")
	}
	return entry, nil
}
