package browse

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/schema"
	"mcptea/session/shell"
	"mcptea/ui/action"
	"mcptea/ui/schemaform"
)

// copyCommand copies the command that does what a call does, for the user's
// shell.
func (p *Pane) copyCommand(e *entry) action.Action {
	if e.reading != nil {
		return action.Flash{Text: "the schema is still being read"}
	}
	args, _ := e.Values()
	line, err := p.commandLine(e, args)
	if err == nil {
		var text string
		if text, err = line.For(shell.Of(os.Getenv("SHELL"), runtime.GOOS)); err == nil {
			return action.Copy{Text: text, What: "command", Needs: line.Variables()}
		}
	}
	return action.Flash{Text: "no command for this: " + err.Error(), Wrong: true}
}

// commandLine is the command that does what a call does.
func (p *Pane) commandLine(e *entry, args []byte) (*shell.Line, error) {
	l := &shell.Line{}
	l.Add("mcptea", e.shape.command)
	switch e.item.Kind {
	case "resources":
		l.Add(named("--uri", e.item.URI))
	case "templates":
		uri, err := expand(e.item.URI, args)
		if err != nil {
			return nil, err
		}
		l.Add(named("--uri", uri))
	default:
		flag := "--tool"
		if e.item.Kind == "prompts" {
			flag = "--prompt"
		}
		words, err := argumentWords(e, args)
		if err != nil {
			return nil, err
		}
		l.Add(named(flag, e.item.Name))
		l.AddArgs(words...)
	}
	if task := p.wishOf(e); task.on {
		l.Add("--task")
		if task.ttl > 0 {
			l.Add("--ttl", task.ttl.String())
		}
	}
	target := p.session.Target()
	l.AddTarget(flagsFor(p.flags, target), target)
	return l, nil
}

// flagsFor are the flags that a session was started with, and the access token
// that was set since, in the place of the credentials before it.
func flagsFor(flags []shell.Flag, t client.Target) []shell.Flag {
	token, ok := strings.CutPrefix(t.Header.Get("Authorization"), "Bearer ")
	if !ok || t.IsStdio() || slices.ContainsFunc(flags, func(f shell.Flag) bool { return strings.Contains(f.Value, token) }) {
		return flags
	}
	flags = slices.DeleteFunc(slices.Clone(flags), func(f shell.Flag) bool {
		name, _, _ := strings.Cut(f.Value, ":")
		return f.Name == "token" || f.Name == "header" && strings.EqualFold(strings.TrimSpace(name), "Authorization")
	})
	return append(flags, shell.Flag{Name: "token", Value: token, Variable: "MCPTEA_TOKEN"})
}

// named is a name as an argument, or with its flag where it would be taken for a
// flag, a URL or nothing.
func named(flag, name string) string {
	if name == "" || strings.HasPrefix(name, "-") || flag != "--uri" && (strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")) {
		return flag + "=" + name
	}
	return name
}

// argumentWords writes arguments the way the command line takes them:
// key=value, key:=JSON, or all of them as one object when a name would be
// misread.
func argumentWords(e *entry, args []byte) ([]string, error) {
	if !json.Valid(args) || !bytes.HasPrefix(bytes.TrimSpace(args), []byte("{")) {
		return nil, errors.New("the arguments are not a JSON object")
	}
	var words []string
	seen := map[string]bool{}
	for name, raw := range jsonrpc.Members(args) {
		key := string(name)
		if key == "" || seen[key] || strings.ContainsAny(key, "=:@{ ") || strings.HasPrefix(key, "-") {
			return []string{string(args)}, nil
		}
		seen[key] = true
		if text, ok := typed(e, key, raw); ok && !strings.HasPrefix(text, "@") {
			words = append(words, key+"="+text)
		} else {
			words = append(words, key+":="+string(raw))
		}
	}
	return words, nil
}

// typed is a value as text that the schema turns back into the same value.
func typed(e *entry, name string, raw []byte) (string, bool) {
	fd, known := e.Schema.Field(name)
	if !known || fd.Kind == schema.JSON {
		return "", false
	}
	text := loose(raw)
	back, err := fd.Encode(text)
	return text, err == nil && bytes.Equal(schemaform.Compact(back), schemaform.Compact(raw))
}
