package variables

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
)

// Expand replaces the variables of a text: strings by their content, other values by their JSON. It returns the
// first error, and leaves that variable unchanged.
func Expand(text string, lookup Lookup) (string, error) { return expand(text, false, lookup) }

// ExpandWord replaces the variables of a word of a script, which may be JSON, or have JSON after :=. In a JSON
// string, it inserts the text of the value with escapes; elsewhere in JSON, the value itself; in other words,
// its text. \{{ becomes {{, and so does \\{{ in a string.
func ExpandWord(word string, lookup Lookup) (string, error) { return expand(word, true, lookup) }

func expand(text string, mayBeJSON bool, lookup Lookup) (string, error) {
	if !Contains(text) {
		return text, nil
	}
	var first error
	var b strings.Builder
	isJSON, inString := false, false
	for i := 0; i < len(text); {
		rest := text[i:]
		if mayBeJSON && !isJSON && (i == 0 || strings.HasSuffix(text[:i], ":=")) {
			isJSON = strings.ContainsAny(rest[:1], `"[{`) && !strings.HasPrefix(rest, "{{")
		}
		part, by := 1, rest[:1] // processed part of the text, and its replacement
		switch {
		case inString && strings.HasPrefix(rest, `\\{{`):
			part, by = len(`\\{{`), "{{"
		case strings.HasPrefix(rest, `\{{`):
			part, by = len(`\{{`), "{{"
		case inString && rest[0] == '\\' && len(rest) > 1:
			part, by = 2, rest[:2]
		case isJSON && rest[0] == '"':
			inString = !inString
		case strings.HasPrefix(rest, "{{"):
			end := strings.Index(rest, "}}")
			if end < 0 {
				break
			}
			part, by = end+2, rest[:end+2]
			if value, err := lookup(strings.TrimSpace(rest[2:end])); err == nil {
				by = inserted(value, isJSON, inString)
			} else if first == nil {
				first = err
			}
		}
		b.WriteString(by)
		i += part
	}
	return b.String(), first
}

// inserted returns the text to write for a value.
func inserted(value []byte, isJSON, inString bool) string {
	text, isText := jsonrpc.Unquote(value)
	if !isText || isJSON && !inString {
		text = string(value)
	}
	if inString {
		quoted := quote(text)
		return string(quoted[1 : len(quoted)-1])
	}
	return text
}

// Contains reports whether a text has something for Expand to do.
func Contains(text string) bool { return strings.Contains(text, "{{") }

func hasBraces(text []byte) bool { return bytes.Contains(text, []byte("{{")) }

// ExpandJSON replaces the variables in the string values of JSON. A string that consists of a single variable
// becomes the variable's value, whatever its type. All other bytes stay unchanged.
func ExpandJSON(raw []byte, lookup Lookup) ([]byte, error) {
	var first error
	out := replaceStrings(raw, hasBraces, func(token []byte, text string) []byte {
		value, err := expandString(token, text, lookup)
		if err != nil {
			if first == nil {
				first = err
			}
			return token
		}
		return value
	})
	return out, first
}

// replaceStrings returns JSON with each chosen string value replaced. If there is none, it returns raw itself.
func replaceStrings(raw []byte, chosen func(text []byte) bool, replaced func(token []byte, text string) []byte) []byte {
	var out []byte
	done := 0
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			i++
			continue
		}
		end, _ := jsonrpc.StringEnd(raw, i)
		token := raw[i:end]
		if bytes.IndexByte(token, '\\') < 0 && !chosen(token[1:max(len(token)-1, 1)]) {
			i = end // without escapes the token is the text, which needs no copy
			continue
		}
		isName := bytes.HasPrefix(bytes.TrimLeft(raw[end:], " \t\r\n"), []byte(":"))
		if text, ok := jsonrpc.Unquote(token); ok && !isName && chosen([]byte(text)) {
			out = append(append(out, raw[done:i]...), replaced(token, text)...)
			done = end
		}
		i = end
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

func expandString(token []byte, text string, lookup Lookup) ([]byte, error) {
	if name, ok := only(text); ok {
		return lookup(name)
	}
	text, err := Expand(text, lookup)
	if err != nil {
		return nil, err
	}
	if kept := bytes.ReplaceAll(token, []byte(`\\{{`), []byte("{{")); same(kept, text) {
		return kept, nil // the other escapes of the string stay unchanged
	}
	return quote(text), nil
}

// same reports whether a token is a string with a text.
func same(token []byte, text string) bool {
	s, ok := jsonrpc.Unquote(token)
	return ok && s == text
}

// only returns the name if a text consists of a single variable.
func only(text string) (name string, ok bool) {
	inside, ok := strings.CutPrefix(text, "{{")
	if !ok {
		return "", false
	}
	inside, ok = strings.CutSuffix(inside, "}}")
	return strings.TrimSpace(inside), ok && !strings.Contains(inside, "{{") && !strings.Contains(inside, "}}")
}
