// Package variables replaces {{env.NAME}}, {{last.result.PATH}} and {{pin.NAME.PATH}} in the texts and the
// JSON of arguments.
//
// A PATH consists of member names and array indices, separated by points. If it continues below a string, the
// string is parsed as JSON, since the text of a result often is JSON.
//
// Only text that the user has typed is replaced. Text of a schema, a server, a recording or the command line
// is literal: [Literal] and [LiteralJSON] escape it before it goes to a place where the user could type a
// variable. There \{{ stands for {{. In a field, where @PATH is the content of a file, @@ stands for @ at the
// start.
package variables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
)

// maxResult bounds a result into which a path may lead, in bytes.
const maxResult = 4 << 20

// Lookup returns the JSON of the variable of a name, without its braces. The error is
// a sentence for the user.
type Lookup func(name string) (json.RawMessage, error)

// Sources provide the values of variables. Any may be nil.
type Sources struct {
	Env  func(name string) (value string, ok bool)
	Last func() (result []byte, ok bool)
	Pin  func(name string) (result []byte, ok bool)
	Pins func() []string // names of pins; the longest match wins
}

// Environment returns the Env of the process.
func Environment(name string) (string, bool) { return os.LookupEnv(name) }

// Lookup implements [Lookup].
func (s Sources) Lookup(name string) (json.RawMessage, error) {
	kind, rest, _ := strings.Cut(name, ".")
	switch kind {
	case "env":
		if s.Env != nil {
			if v, ok := s.Env(rest); ok {
				return quote(v), nil
			}
		}
		return nil, fmt.Errorf("the environment variable %s is not set", rest)
	case "last":
		member, path, _ := strings.Cut(rest, ".")
		if member != "result" {
			return nil, fmt.Errorf("{{%s}} is not a variable: write {{last.result.PATH}}", name)
		}
		if s.Last != nil {
			if result, ok := s.Last(); ok {
				return follow(name, result, path)
			}
		}
		return nil, errors.New("no call of this session has a result yet")
	case "pin":
		return s.pin(name, rest)
	}
	return nil, fmt.Errorf(`{{%s}} is not a variable: they begin with env., last.result or pin.; write \{{ for the text {{`, name)
}

func (s Sources) pin(name, rest string) (json.RawMessage, error) {
	var pins []string
	if s.Pins != nil {
		pins = s.Pins()
	}
	best := ""
	for _, p := range pins {
		if (rest == p || strings.HasPrefix(rest, p+".")) && len(p) > len(best) {
			best = p
		}
	}
	if best == "" {
		return nil, fmt.Errorf("there is no pin of that name: %s", rest)
	}
	result, ok := s.Pin(best)
	if !ok {
		return nil, fmt.Errorf("the pin %s has no result yet", best)
	}
	return follow(name, result, strings.TrimPrefix(strings.TrimPrefix(rest, best), "."))
}

// follow returns the value at a path in a result.
func follow(name string, result []byte, path string) (json.RawMessage, error) {
	if len(result) > maxResult {
		return nil, fmt.Errorf("{{%s}}: the result is larger than %d MB", name, maxResult>>20)
	}
	at := bytes.TrimSpace(result)
	for done := ""; path != ""; {
		segment, rest, _ := strings.Cut(path, ".")
		if s, ok := jsonrpc.Unquote(at); ok && json.Valid([]byte(s)) {
			at = bytes.TrimSpace([]byte(s))
		}
		next, ok := step(at, segment)
		if !ok {
			return nil, fmt.Errorf("{{%s}}: there is no %s%s", name, segment, within(done))
		}
		done = strings.TrimPrefix(done+"."+segment, ".")
		at, path = next, rest
	}
	return slices.Clone(at), nil
}

func within(path string) string {
	if path == "" {
		return " in the result"
	}
	return " in " + path
}

func step(at []byte, segment string) ([]byte, bool) {
	if len(at) > 0 && at[0] == '[' {
		i, err := strconv.Atoi(segment)
		if err != nil || i < 0 {
			return nil, false
		}
		for raw := range jsonrpc.Elements(at) {
			if i--; i < 0 {
				return raw, true
			}
		}
		return nil, false
	}
	return jsonrpc.Member(at, segment)
}

// Masked returns a lookup for display: the values of environment variables that look like secrets, by name or
// by value, are masked.
func Masked(lookup Lookup) Lookup {
	return func(name string) (json.RawMessage, error) {
		value, err := lookup(name)
		env, isEnv := strings.CutPrefix(name, "env.")
		if s, ok := jsonrpc.Unquote(value); err == nil && ok && isEnv && (secret.IsName(env) || secret.Text(s) != s) {
			return quote(fmt.Sprintf("%s (%d characters)", secret.Mark, len(s))), nil
		}
		return value, err
	}
}

func quote(s string) json.RawMessage { return json.RawMessage(jsonrpc.Quote(s)) }
