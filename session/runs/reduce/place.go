package reduce

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/jsontree"
	"mcptea/lint"
)

// generalPlace returns a JSON Pointer with "*" for indexes, and for names that the user or the server chose.
func generalPlace(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		isIndex := p != "" && strings.Trim(p, "0123456789") == ""
		isChosen := i > 0 && slices.Contains([]string{"structuredContent", "arguments", "properties", "content", "data"}, parts[i-1])
		if isIndex || isChosen {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// formAt describes the value at the place of a finding: its type, and for an object the members that the
// protocol defines, with values that the protocol defines. For a whole frame, it describes the kind of message.
func formAt(frames []Frame, f *lint.Finding) string {
	if f.Row < 0 || int(f.Row) >= len(frames) {
		return ""
	}
	if x := &frames[f.Row]; f.Path == "" && x.IsFrame() {
		e := jsonrpc.Scan(x.bytes())
		return fmt.Sprint(e.Kind, e.Fault, len(x.bytes()) > 0 && x.bytes()[0] == '{')
	}
	v := frames[f.Row].Body
	for _, part := range jsonrpc.SplitPointer(f.Path) {
		var step any = part
		if n, err := strconv.Atoi(part); err == nil {
			if _, isArray := v.([]any); isArray {
				step = n
			}
		}
		below, ok := jsontree.Get(v, step)
		if !ok { // for a missing member, the value that lacks it
			break
		}
		v = below
	}
	object, isObject := v.(map[string]any)
	if !isObject {
		return fmt.Sprintf("%T", v)
	}
	var b strings.Builder
	for _, name := range jsontree.Names(object) {
		value := object[name]
		if !isVocabulary(name) || !jsontree.IsLeaf(value) {
			continue
		}
		fmt.Fprintf(&b, "%s %T", name, value)
		if text, ok := value.(string); ok && isVocabulary(text) {
			b.WriteString(" " + text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
