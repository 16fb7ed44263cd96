package invoke

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/shell"
	"mcptea/session/offer"
)

// Command is what a command line says beside the item.
type Command struct {
	Form   *schema.Form // of the arguments
	Task   bool
	TTL    time.Duration // of the task; 0 leaves it to the server
	Flags  []shell.Flag  // that the session was started with
	Target client.Target
	// Offers are the capabilities, "sampling" and "elicitation", that the command has to
	// offer as the inspector does: some servers have an item for such clients alone.
	Offers []string
	JQ     string // the filter of what is printed; empty for none
}

// Line is the command that does what a call of an item does; args are a JSON object.
func (s *Shape) Line(c Command, it offer.Item, args []byte) (*shell.Line, error) {
	l := &shell.Line{}
	l.Add("mcptea", s.command)
	switch it.Kind {
	case "resources":
		l.Add(named("--uri", it.URI))
	case "templates":
		uri, err := Expand(it.URI, args)
		if err != nil {
			return nil, err
		}
		l.Add(named("--uri", uri))
	default:
		flag := "--tool"
		if it.Kind == "prompts" {
			flag = "--prompt"
		}
		words, err := argumentWords(c.Form, args)
		if err != nil {
			return nil, err
		}
		l.Add(named(flag, it.Name))
		l.AddArgs(words...)
	}
	if c.Task {
		l.Add("--task")
		if c.TTL > 0 {
			l.Add("--ttl", c.TTL.String())
		}
	}
	if c.JQ != "" {
		l.Add("--jq=" + c.JQ)
	}
	l.AddTarget(answers(flagsFor(c.Flags, c.Target), c.Offers), c.Target)
	return l, nil
}

// answers are the flags with which a command, which has no user to ask, offers what the
// inspector does: it declines.
func answers(flags []shell.Flag, offers []string) []shell.Flag {
	flags = slices.Clone(flags)
	for i := range flags {
		if kind, how, _ := strings.Cut(flags[i].Value, "="); flags[i].Name == "answer" && how == "ask" {
			flags[i].Value = kind + "=decline"
		}
	}
	for _, kind := range offers {
		given := func(f shell.Flag) bool {
			return f.Name == "answer" && strings.HasPrefix(f.Value, kind+"=") || f.Name == "sampler" && kind == "sampling"
		}
		if !slices.ContainsFunc(flags, given) {
			flags = append(flags, shell.Flag{Name: "answer", Value: kind + "=decline", Public: true})
		}
	}
	return flags
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
func argumentWords(form *schema.Form, args []byte) ([]string, error) {
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
		if text, ok := typed(form, key, raw); ok && !strings.HasPrefix(text, "@") {
			words = append(words, key+"="+text)
		} else {
			words = append(words, key+":="+string(raw))
		}
	}
	return words, nil
}

// typed is a value as text that the schema turns back into the same value.
func typed(form *schema.Form, name string, raw []byte) (string, bool) {
	fd, known := form.Field(name)
	if !known || fd.Kind == schema.JSON {
		return "", false
	}
	text := Plain(raw)
	back, err := fd.Encode(text)
	return text, err == nil && bytes.Equal(jsonrpc.Compact(back), jsonrpc.Compact(raw))
}
