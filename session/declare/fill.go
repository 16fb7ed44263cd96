package declare

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

const path = `\{\{ *([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*) *\}\}`

var (
	// placeholder is an argument, or a member of one, in JSON. A backslash before it makes it a
	// text.
	placeholder = lazyregexp.New(`(\\\\)?` + path)
	// wholeOrPlaceholder is a string that is only a placeholder, with what follows it, or a
	// placeholder.
	wholeOrPlaceholder = lazyregexp.New(`"` + path + `"(\s*:)?|(\\\\)?` + path)
)

// fill replaces the placeholders in JSON, in one pass: an argument that looks like a placeholder
// is a text. With typed a string that is only a placeholder becomes the value itself, of whatever
// type.
func fill(text, args []byte, typed bool) []byte {
	value := func(path string) []byte {
		names := strings.Split(path, ".")
		return jsonrpc.Get(args, names[0], names[1:]...)
	}
	inside := func(path []byte) []byte {
		v := value(string(path))
		if v == nil || string(v) == "null" {
			return nil
		}
		if s, ok := jsonrpc.Unquote(v); ok {
			return inString(s)
		}
		return inString(string(v))
	}
	escaped := func(match, backslash, path []byte) []byte {
		if backslash != nil {
			return match[len(backslash):]
		}
		return inside(path)
	}
	if !typed {
		return replace(placeholder(), text, func(m [][]byte) []byte { return escaped(m[0], m[1], m[2]) })
	}
	return replace(wholeOrPlaceholder(), text, func(m [][]byte) []byte {
		switch whole, colon := m[1], m[2]; {
		case whole == nil:
			return escaped(m[0], m[3], m[4])
		case len(colon) > 0: // the name of a member
			return slices.Concat([]byte(`"`), inside(whole), []byte(`"`), colon)
		default:
			if v := value(string(whole)); v != nil {
				return v
			}
			return []byte("null")
		}
	})
}

// replace is like [regexp.Regexp.ReplaceAllFunc], but with submatches.
func replace(pattern *regexp.Regexp, text []byte, with func(m [][]byte) []byte) []byte {
	return pattern.ReplaceAllFunc(text, func(match []byte) []byte { return with(pattern.FindSubmatch(match)) })
}

// inString returns the text of a JSON string without its quotes.
func inString(text string) []byte {
	b, _ := json.Marshal(text) // Marshal never fails here
	return b[1 : len(b)-1]
}

func unquoted(token []byte) string {
	text, _ := jsonrpc.Unquote(token)
	return text
}

// withMember returns an object with one more member, which it lacks, at the end.
func withMember(object []byte, name, value string) []byte {
	out := append([]byte{}, strings.TrimSuffix(strings.TrimRight(string(object), " \n\t"), "}")...)
	return append(jsonrpc.AppendMember(out, name, []byte(value)), '}')
}

func orObject(value []byte) []byte {
	if value == nil {
		return []byte("{}")
	}
	return value
}

func list(names map[string]bool) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
