// Package variables replaces {{env.NAME}}, {{last.result.PATH}} and {{pin.NAME.PATH}} in
// the texts and the JSON of arguments.
//
// A PATH has member names and array indices with points between them. Where it goes on
// below a string, the string is read as JSON: the text of a result often is some. \{{
// stands for {{ itself.
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

// maxResult is how large a result may be that a path leads into, in bytes.
const maxResult = 4 << 20

// Lookup returns the JSON of the variable of a name, without its braces. The error is
// a sentence for the user.
type Lookup func(name string) (json.RawMessage, error)

// Sources are where the values of variables come from. Any may be nil.
type Sources struct {
	Env  func(name string) (value string, ok bool)
	Last func() (result []byte, ok bool)
	Pin  func(name string) (result []byte, ok bool)
	Pins func() []string // the names, the longest of which wins
}

// Environment is the Env of the process.
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

// Expand replaces the variables of a text: strings by their content, other values by
// their JSON. It returns the first error; that variable stays as it was written.
func Expand(text string, lookup Lookup) (string, error) {
	var first error
	var b strings.Builder
	for text != "" {
		at := strings.Index(text, "{{")
		if at < 0 {
			b.WriteString(text)
			break
		}
		if at > 0 && text[at-1] == '\\' {
			b.WriteString(text[:at-1] + "{{")
			text = text[at+2:]
			continue
		}
		end := strings.Index(text[at:], "}}")
		if end < 0 {
			b.WriteString(text)
			break
		}
		end += at + 2
		b.WriteString(text[:at])
		value, err := lookup(strings.TrimSpace(text[at+2 : end-2]))
		if err != nil {
			if first == nil {
				first = err
			}
			b.WriteString(text[at:end])
		} else if s, ok := jsonrpc.Unquote(value); ok {
			b.WriteString(s)
		} else {
			b.Write(value)
		}
		text = text[end:]
	}
	return b.String(), first
}

// Contains reports whether a text has something for Expand to do.
func Contains(text string) bool { return strings.Contains(text, "{{") }

// ExpandJSON replaces the variables in the strings of JSON that are values. A string
// that is one variable and nothing else becomes the value itself, whatever its type.
// All other bytes stay as they are.
func ExpandJSON(raw []byte, lookup Lookup) ([]byte, error) {
	if !bytes.Contains(raw, []byte("{{")) {
		return raw, nil
	}
	var first error
	var out []byte
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out = append(out, raw[i])
			i++
			continue
		}
		end := endOfString(raw, i)
		token := raw[i:end]
		i = end
		text, ok := jsonrpc.Unquote(token)
		isName := bytes.HasPrefix(bytes.TrimLeft(raw[end:], " \t\r\n"), []byte(":"))
		if !ok || isName || !Contains(text) {
			out = append(out, token...)
			continue
		}
		value, err := expandString(text, lookup)
		if err != nil {
			if first == nil {
				first = err
			}
			out = append(out, token...)
			continue
		}
		out = append(out, value...)
	}
	return out, first
}

func expandString(text string, lookup Lookup) ([]byte, error) {
	if name, ok := only(text); ok {
		return lookup(name)
	}
	text, err := Expand(text, lookup)
	return quote(text), err
}

// only returns the name when a text is one variable and nothing else.
func only(text string) (name string, ok bool) {
	inside, ok := strings.CutPrefix(text, "{{")
	if !ok {
		return "", false
	}
	inside, ok = strings.CutSuffix(inside, "}}")
	return strings.TrimSpace(inside), ok && !strings.Contains(inside, "{{") && !strings.Contains(inside, "}}")
}

// endOfString returns the offset behind a string token that begins at i.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// Masked returns a lookup for what is shown: the values of environment variables that
// look like secrets, by name or by value, are masked.
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

func quote(s string) json.RawMessage { return json.RawMessage(jsonrpc.StringID(s)) }
