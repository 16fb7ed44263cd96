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
	"mcptea/offer"
)

// A Command holds the parts of a command line other than the item.
type Command struct {
	Form   *schema.Form // form of the arguments
	Task   bool
	TTL    time.Duration // time to live of the task; 0 leaves it to the server
	Flags  []shell.Flag  // flags that the session was started with
	Target client.Target
	// Offers lists the capabilities, "sampling" and "elicitation", that the command must offer like the
	// inspector: some servers list the item only for such clients.
	Offers []string
	JQ     string // filter for the output, or ""
}

// Line returns the command that is equivalent to a call of an item. args is a JSON object.
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

// answers returns flags that make a command offer the same capabilities as the inspector. A command
// has no user to ask, so it declines.
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

// TargetWords returns the words of a command that name a target, with the flags that a session was started with.
func TargetWords(flags []shell.Flag, t client.Target) []shell.Word {
	var l shell.Line
	l.AddTarget(answers(flagsFor(flags, t), nil), t)
	return l.Parts()
}

// flagsFor returns the flags that a session was started with. An access token that was set since replaces the
// earlier credentials.
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

// named returns a name as an argument, or with its flag if it would otherwise be taken for a flag, a URL or
// nothing.
func named(flag, name string) string {
	if name == "" || strings.HasPrefix(name, "-") || flag != "--uri" && (strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")) {
		return flag + "=" + name
	}
	return name
}

// argumentWords writes arguments in the form of the command line: key=value, key:=JSON, or all of them as one
// object if a name would be misread.
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

// typed returns a value as text that the schema converts back to the same value.
func typed(form *schema.Form, name string, raw []byte) (string, bool) {
	fd, known := form.Field(name)
	if !known || fd.Kind == schema.JSON {
		return "", false
	}
	text := Plain(raw)
	back, err := fd.Encode(text)
	return text, err == nil && bytes.Equal(jsonrpc.Compact(back), jsonrpc.Compact(raw))
}
