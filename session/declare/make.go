package declare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
)

// Offered holds the lists of a server, as JSON, with responses to requests.
type Offered struct {
	Info         []byte // serverInfo; may be nil
	Instructions string
	Lists        map[string][][]byte // lists by their names in package revision
	Calls        []Call              // calls in order
}

// Call is a request for a tool, resource or prompt with its response.
type Call struct {
	Method        string
	Params        []byte
	Result, Error []byte // exactly one is nil
}

const (
	// maxResponses bounds the responses of an entry that are written, and maxResponseBytes their total size.
	maxResponses     = 50
	maxResponseBytes = 64 << 10
)

// Make writes a file that declares a server's offer, in YAML. left is the number of responses that were left
// out because there are too many.
func Make(o Offered) (text []byte, left int, err error) {
	doc := []byte("{")
	for _, name := range []string{"name", "title", "version"} {
		if value := jsonrpc.Get(o.Info, name); value != nil {
			doc = jsonrpc.AppendMember(doc, name, value)
		}
	}
	if o.Instructions != "" {
		doc = jsonrpc.AppendMember(doc, "instructions", encoded(o.Instructions))
	}
	for _, l := range revision.Lists {
		if l.Name == revision.Skills.Name {
			continue // the files of skills are not known
		}
		known := keysAt("/" + l.Member + "/0")
		var items []byte
		for _, entry := range o.entries(l) {
			item := []byte("{")
			for name, value := range jsonrpc.Members(entry) {
				if slices.Contains(known, string(name)) && !slices.Contains(responseKeys, string(name)) {
					item = jsonrpc.AppendMember(item, string(name), value)
				}
			}
			responses, more := responsesTo(l, entry, o.Calls)
			left += more
			items = append(append(append(append(items, ','), item...), responses...), '}')
		}
		if len(items) > 0 {
			items[0] = '['
			doc = jsonrpc.AppendMember(doc, l.Member, append(items, ']'))
		}
	}
	text, err = asYAML(append(doc, '}'))
	return text, left, err
}

// entries returns the entries of a list, and entries that were used without being listed.
func (o *Offered) entries(l revision.List) [][]byte {
	entries, known := slices.Clone(o.Lists[l.Name]), map[string]bool{}
	for _, entry := range entries {
		known[jsonrpc.Text(entry, l.Key)] = true
	}
	for _, c := range o.Calls {
		param, _ := revision.NameParam(c.Method)
		key := jsonrpc.Text(c.Params, param)
		if c.Method != l.Use || l.Name == revision.Templates.Name || c.Error != nil || key == "" || known[key] {
			continue
		}
		known[key] = true
		entries = append(entries, append(jsonrpc.AppendMember([]byte("{"), l.Key, encoded(key)), '}'))
	}
	return entries
}

// responsesTo returns the members of an entry that hold its responses, and the number of responses left out.
func responsesTo(l revision.List, entry []byte, calls []Call) (members []byte, left int) {
	var found []recorded
	key, size := jsonrpc.Text(entry, l.Key), 0
	for _, c := range calls {
		param, _ := revision.NameParam(c.Method)
		if c.Method != l.Use || jsonrpc.Text(c.Params, param) != key {
			continue
		}
		r := recorded{when: jsonrpc.Get(c.Params, "arguments"), response: responseOf(l, c)}
		if i := slices.IndexFunc(found, func(f recorded) bool { return jsonrpc.Equal(f.when, r.when) && jsonrpc.Equal(f.response, r.response) }); i >= 0 || r.response == nil {
			continue
		}
		if size += len(r.when) + len(r.response); len(found) == maxResponses || size > maxResponseBytes {
			left++
			continue
		}
		found = append(found, r)
	}
	if len(found) == 0 {
		return nil, left
	}
	if l.Name == revision.Resources.Name { // a resource has no arguments
		return append([]byte{','}, found[0].response[1:len(found[0].response)-1]...), left + len(found) - 1
	}
	// Responses with more arguments come first: one with fewer matches their requests, too.
	slices.SortStableFunc(found, func(a, b recorded) int { return cmp.Compare(b.arguments(), a.arguments()) })
	var list []byte
	for i, r := range found {
		item := []byte("{")
		if len(r.when) > 0 && string(r.when) != "{}" {
			item = jsonrpc.AppendMember(item, "when", r.when)
		}
		if slices.ContainsFunc(found[i+1:], func(f recorded) bool { return jsonrpc.Equal(f.when, r.when) }) {
			item = jsonrpc.AppendMember(item, "times", []byte("1"))
		}
		if len(item) > 1 {
			item = append(item, ',')
		}
		list = append(append(append(list, ','), item...), r.response[1:]...)
	}
	list[0] = '['
	return jsonrpc.AppendMember([]byte(" "), "responses", append(list, ']')), left
}

// recorded is a response that was recorded, as an object of the file.
type recorded struct{ when, response []byte }

func (r recorded) arguments() (n int) {
	for range jsonrpc.Members(r.when) {
		n++
	}
	return n
}

// responseOf returns a response as an object, or nil if it cannot be written to a file.
func responseOf(l revision.List, c Call) []byte {
	member := func(name string, value []byte) []byte {
		return append(jsonrpc.AppendMember([]byte("{"), name, value), '}')
	}
	if c.Error != nil {
		return member("errorResponse", literal(onlyMembers(c.Error, "code", "message", "data")))
	}
	switch l.Name {
	case revision.Tools.Name:
		return toolResponse(c.Result)
	case revision.Prompts.Name:
		var messages []byte
		for m := range jsonrpc.Elements(jsonrpc.Get(c.Result, "messages")) {
			one := fmt.Appendf(nil, `,{"role":%s,`, jsonrpc.Get(m, "role"))
			if text, ok := textOf(jsonrpc.Get(m, "content")); ok {
				one = fmt.Appendf(one, `"text":%s}`, literal(text))
			} else {
				one = fmt.Appendf(one, `"content":%s}`, literal(jsonrpc.Get(m, "content")))
			}
			messages = append(messages, one...)
		}
		if messages == nil {
			return nil
		}
		messages[0] = '['
		return member("messages", append(messages, ']'))
	}
	for contents := range jsonrpc.Elements(jsonrpc.Get(c.Result, "contents")) {
		for _, name := range []string{"text", "blob"} {
			if value := jsonrpc.Get(contents, name); value != nil {
				return member(name, value)
			}
		}
	}
	return nil
}

func toolResponse(result []byte) []byte {
	content, structured := jsonrpc.Get(result, "content"), jsonrpc.Get(result, "structuredContent")
	isError := string(jsonrpc.Get(result, "isError")) == "true"
	out := []byte("{")
	var blocks [][]byte
	for b := range jsonrpc.Elements(content) {
		blocks = append(blocks, b)
	}
	text, isText := []byte(nil), false
	if len(blocks) == 1 {
		text, isText = textOf(blocks[0])
	}
	switch {
	case isText && isError && structured == nil:
		return append(jsonrpc.AppendMember(out, "toolError", literal(text)), '}')
	case isText:
		out = jsonrpc.AppendMember(out, "text", literal(text))
	case content != nil:
		out = jsonrpc.AppendMember(out, "content", literal(content))
	}
	if structured != nil {
		out = jsonrpc.AppendMember(out, "structuredContent", literal(structured))
	}
	if isError {
		out = jsonrpc.AppendMember(out, "isError", []byte("true"))
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, '}')
}

// textOf returns the text of a content block that has only a text.
func textOf(block []byte) ([]byte, bool) {
	text := jsonrpc.Get(block, "text")
	if jsonrpc.Text(block, "type") != "text" || text == nil {
		return nil, false
	}
	for name := range jsonrpc.Members(block) {
		if string(name) != "type" && string(name) != "text" {
			return nil, false
		}
	}
	return text, true
}

func onlyMembers(object []byte, names ...string) []byte {
	out := []byte("{")
	for name, value := range jsonrpc.Members(object) {
		if slices.Contains(names, string(name)) {
			out = jsonrpc.AppendMember(out, string(name), value)
		}
	}
	return append(out, '}')
}

// literal escapes what would be a placeholder in JSON.
func literal(value []byte) []byte {
	return placeholder().ReplaceAllFunc(value, func(m []byte) []byte {
		if bytes.HasPrefix(m, []byte(`\\`)) {
			return m
		}
		return append([]byte(`\\`), m...)
	})
}

func encoded(text string) []byte {
	b, _ := json.Marshal(text) // Marshal never fails here
	return b
}

// asYAML writes JSON as YAML in lines, with the members in their order.
func asYAML(doc []byte) ([]byte, error) {
	tokens := jsonrpc.NewTokens(doc)
	root := nodeOf(&tokens, tokens.Next())
	plain(root, 1) // a document is around it
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return []byte(phrase.EscapeYAML(b.String())), nil
}

// nodeOf returns the valid JSON value that begins with a token. A parser of YAML would refuse names of more
// than 1,024 characters.
func nodeOf(tokens *jsonrpc.Tokens, token []byte) *yaml.Node {
	switch token[0] {
	case '"':
		text, _ := jsonrpc.Unquote(token)
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	case '{', '[':
		n := &yaml.Node{Kind: yaml.MappingNode}
		if token[0] == '[' {
			n.Kind = yaml.SequenceNode
		}
		for inner := tokens.Next(); inner[0] != '}' && inner[0] != ']'; inner = tokens.Next() {
			if inner[0] != ',' && inner[0] != ':' {
				n.Content = append(n.Content, nodeOf(tokens, inner))
			}
		}
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(token)}
}

// plain lets the encoder choose the style of values that were JSON. Short lists, and small values deep in the
// file, stay on one line. So do all values below maxIndented levels, because their indentation would take many
// times their size.
func plain(n *yaml.Node, depth int) {
	const deep, short, maxIndented = 5, 60, 40
	if n.Kind == yaml.ScalarNode {
		if n.Style = 0; strings.IndexFunc(n.Value, phrase.IsHiddenInText) >= 0 {
			n.Style = yaml.DoubleQuotedStyle
		}
		return
	}
	nested := slices.ContainsFunc(n.Content, func(inner *yaml.Node) bool { return inner.Kind != yaml.ScalarNode })
	n.Style = 0
	if depth >= maxIndented || width(n, short) <= short && (depth >= deep && n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode && !nested) {
		n.Style = yaml.FlowStyle
	}
	for _, inner := range n.Content {
		plain(inner, depth+1)
		if n.Style == yaml.FlowStyle && inner.Kind != yaml.ScalarNode {
			inner.Style = yaml.FlowStyle
		}
	}
}

// width returns the approximate width of a value on one line, or a number above most. It visits only as many
// nodes as that takes.
func width(n *yaml.Node, most int) int {
	sum := len(n.Value) + 2
	for _, inner := range n.Content {
		if sum > most {
			break
		}
		sum += width(inner, most-sum)
	}
	return sum
}
