package script

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// WithProperties returns the line of a call with new names of arguments, in JSON objects and in words such as
// q=needle. renamed maps old names to new ones. All other bytes stay unchanged. An argument keeps its name if
// the new name is already used, if it cannot be written there, or in a file.
func WithProperties(line string, renamed map[string]string) string {
	words, arguments := wordsOf(line), 2 // index of the arguments, after the command and the tool
	if len(words) > 0 && words[0].text == "!" {
		arguments++
	}
	if len(words) <= arguments || words[arguments-2].text != "call" {
		return line
	}
	taken, names := make(map[string]bool), make(map[string]string)
	for _, w := range words[arguments:] {
		taken[w.argument()] = true
	}
	for old, now := range renamed {
		if !strings.Contains(now, "{{") { // a name that contains {{ would be read as a variable
			names[old] = now
		}
	}
	out, written := "", 0
	for _, w := range words[arguments:] {
		raw := line[w.from:w.to]
		if strings.HasPrefix(raw, "{") {
			raw = string(jsonrpc.RenameMembers([]byte(raw), names))
		} else if old := w.argument(); old != "" && strings.HasPrefix(raw, old) {
			if now := names[old]; isArgument(now) && !taken[now] {
				raw, taken[now] = now+raw[len(old):], true
			}
		}
		out, written = out+line[written:w.from]+raw, w.to
	}
	return out + line[written:]
}

// placed is a word with its place in the line.
type placed struct {
	text     string
	from, to int
}

// wordsOf returns the words of a line, as [split]; nil of one that it refuses.
func wordsOf(line string) (words []placed) {
	for i := 0; i < len(line) && line[i] != '#'; {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		text, n, err := word(line[i:])
		if err != nil {
			return nil
		}
		words = append(words, placed{text, i, i + n})
		i += n
	}
	return words
}

// argument returns the name of the argument that key=value or key:=JSON sets; empty for other words.
func (w placed) argument() string {
	name, _, ok := strings.Cut(w.text, "=")
	if !ok || strings.HasPrefix(w.text, "{") || strings.HasPrefix(w.text, "@") {
		return ""
	}
	return strings.TrimSuffix(name, ":")
}

// isArgument reports whether a name can be written before = without quotes, and is read as that name again.
func isArgument(name string) bool {
	words := wordsOf(name + "=")
	return len(words) == 1 && words[0].text == name+"=" && words[0].argument() == name && name != "" && IsWord(name)
}
