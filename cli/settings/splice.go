package settings

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// splice adds a rule to the muted rules of a document, or removes the rule at an index. It changes only the
// lines of these rules: the YAML encoder would drop blank lines and change the user's indentation. ok is false
// for a layout that it does not support. The caller checks the result.
func splice(text string, rules *yaml.Node, add string, remove int) (changed string, ok bool) {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	if strings.ContainsAny(strings.ReplaceAll(text, "\r\n", "\n"), "\r\u0085\u2028\u2029") {
		return "", false // other line breaks of YAML, which count as lines
	}
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" { // the text is empty or ends with a line break
		lines = lines[:last]
	} else {
		lines[last] += end
	}
	switch {
	case rules == nil && add != "":
		lines = append(lines, "mute:"+end, "  - "+add+end)
	case rules == nil || rules.Kind != yaml.SequenceNode || rules.Style&yaml.FlowStyle != 0 || len(rules.Content) == 0:
		return "", false
	case add != "":
		last := rules.Content[len(rules.Content)-1]
		indent, _, isItem := strings.Cut(lines[rules.Content[0].Line-1], "-")
		if !isItem {
			return "", false
		}
		lines = slices.Insert(lines, last.Line, indent+"- "+add+end)
	default:
		item := rules.Content[remove]
		from := item.Line - 1
		if item.HeadComment != "" {
			from -= strings.Count(item.HeadComment, "\n") + 1
		}
		lines = slices.Delete(lines, max(from, 0), item.Line)
	}
	return strings.Join(lines, ""), true
}
