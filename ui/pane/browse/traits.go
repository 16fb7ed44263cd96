package browse

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/content"
	"mcptea/offer/declared"
)

// traits holds the painted facts about an item, except for its texts. They are computed once per item, because
// a schema can be many megabytes long.
type traits struct {
	before, after []string          // facts before and after the task fact
	hints         []annotationLabel // annotations of a tool
	taskSupport   string            // execution.taskSupport of a tool
	execution     []byte            // the item reduced to its execution member
	mark          string            // see [MarkOf]
	app           declared.Tool     // declarations for MCP Apps
}

func traitsOf(it offer.Item, output *schema.Form) traits {
	t := traits{execution: []byte("{}"), taskSupport: jsonrpc.Text(it.Raw, "execution", "taskSupport")}
	if v := it.Member("execution"); v != nil {
		t.execution = append(append([]byte(`{"execution":`), v...), '}')
	}
	t.hints = annotationLabels(it)
	if t.mark = MarkOf(it); it.Kind == "tools" {
		t.app, _ = declared.OfTool(it.Raw)
	}
	if it.Kind == "resources" || it.Kind == "templates" {
		t.before = append(t.before, it.URI)
		if it.MIME != "" {
			t.before = append(t.before, it.MIME)
		}
	}
	if it.Kind == "resources" {
		if n, ok := SizeOf(it); ok {
			t.before = append(t.before, phrase.Size(n))
		}
	}
	t.before = append(t.before, content.Annotations(it.Raw)...)
	if params, err := paramheader.Read(it.Member("inputSchema")); err == nil && len(params) > 0 {
		t.after = append(t.after, "also sent in HTTP headers: "+joined(params, func(p paramheader.Param) string { return p.Header }))
	}
	if output != nil {
		t.after = append(t.after, "returns "+joined(output.Fields, func(f schema.Field) string { return f.Name }))
	}
	return t
}

// maxJoined bounds a joined list of names, in bytes. A row shows less.
const maxJoined = 1 << 10

// joined returns the names separated by commas, cut at about maxJoined bytes.
func joined[T any](list []T, name func(T) string) string {
	var b strings.Builder
	for i := range list {
		if b.Len() > maxJoined {
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		n := name(list[i])
		b.WriteString(n[:min(len(n), maxJoined)])
	}
	return b.String()
}

// An annotationLabel is the word for one value of a tool annotation.
type annotationLabel struct{ member, value, word string }

var everyLabel = []annotationLabel{
	{"readOnlyHint", "true", "read-only"},
	{"destructiveHint", "true", "destructive"},
	{"destructiveHint", "false", "non-destructive"},
	{"idempotentHint", "true", "idempotent"},
	{"openWorldHint", "true", "open-world"},
	{"openWorldHint", "false", "closed-world"},
}

// annotationLabels returns the words for the annotations of a tool.
func annotationLabels(it offer.Item) []annotationLabel {
	annotations := it.Member("annotations")
	value := func(name string) string { return string(jsonrpc.Get(annotations, name)) }
	readOnly := value("readOnlyHint") == "true"
	var labels []annotationLabel
	for _, l := range everyLabel {
		if readOnly && (l.member == "destructiveHint" && l.value == "false" || l.member == "idempotentHint") {
			continue // meaningless for a read-only tool
		}
		if value(l.member) == l.value {
			labels = append(labels, l)
		}
	}
	return labels
}

// SizeOf returns the size that a resource declares.
func SizeOf(it offer.Item) (int64, bool) {
	v := it.Member("size")
	if n, ok := jsonrpc.Integer(v); ok {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return int64(f), err == nil
}
