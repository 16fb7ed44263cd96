package jsonrpc

import "encoding/json"

// maxIndent is how deep values are laid out over lines. Deeper ones stay in one
// line: the blanks before their lines would be many times the text.
const maxIndent = 100

// Indent lays a JSON value out over lines, two blanks for each level, and leaves
// every token as it is. What is not JSON is returned as it is.
func Indent(raw []byte) []byte {
	if !json.Valid(raw) {
		return raw
	}
	out := make([]byte, 0, len(raw)+len(raw)/2)
	depth := 0
	line := func() {
		out = append(out, '\n')
		for range min(depth, maxIndent) {
			out = append(out, "  "...)
		}
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := i + 1
			for raw[end] != '"' {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			out = append(out, raw[i:end+1]...)
			i = end
		case '{', '[':
			out = append(out, c)
			if n := empty(raw[i+1:]); n >= 0 {
				out = append(out, raw[i+1+n])
				i += n + 1
				continue
			}
			if depth++; depth <= maxIndent {
				line()
			}
		case '}', ']':
			if depth--; depth < maxIndent {
				line()
			}
			out = append(out, c)
		case ',':
			out = append(out, c)
			if depth <= maxIndent {
				line()
			}
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// empty is how many blanks stand before the end of a container without entries;
// -1 when it has entries.
func empty(rest []byte) int {
	for i, c := range rest {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '}', ']':
			return i
		}
		break
	}
	return -1
}
