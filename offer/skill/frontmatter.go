package skill

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcptea/client/jsonrpc"
	"mcptea/internal/yamldoc"
)

const (
	// maxFrontmatter bounds the bytes of a front matter that are parsed: the format permits about
	// 2 kB of texts.
	maxFrontmatter = 256 << 10
	// maxValues bounds what its aliases grow to: a few lines can be billions of values.
	maxValues = 10_000
	// maxShown bounds a value in a failure.
	maxShown = 200
)

// split divides a SKILL.md into its front matter and the rest.
func split(content []byte) (head, rest []byte, err error) {
	content = bytes.TrimPrefix(content, byteOrderMark)
	first, after, _ := bytes.Cut(content, []byte("\n"))
	if string(bytes.TrimRight(first, "\r \t")) != "---" {
		return nil, nil, errors.New("the first line is not ---")
	}
	for at := 0; at < len(after); {
		line, _, more := bytes.Cut(after[at:], []byte("\n"))
		next := at + len(line)
		if more {
			next++
		}
		if string(bytes.TrimRight(line, "\r \t")) == "---" {
			return after[:at], after[next:], nil
		}
		at = next
	}
	return nil, nil, errors.New("a second line --- is missing")
}

// frontmatter returns the YAML mapping at the top of a SKILL.md.
func frontmatter(content []byte) (*yaml.Node, error) {
	head, _, err := split(content)
	if err != nil {
		return nil, err
	}
	if len(head) > maxFrontmatter {
		return nil, fmt.Errorf("it has more than %d bytes", maxFrontmatter)
	}
	doc, err := yamldoc.Parse("", head)
	if err != nil {
		return nil, fmt.Errorf("it is not YAML: %w", err)
	}
	top := yamldoc.Top(doc)
	if top == nil || top.Kind != yaml.MappingNode {
		return nil, errors.New("it is not a mapping")
	}
	return top, nil
}

// Frontmatter returns the front matter of a SKILL.md as a JSON object.
func Frontmatter(content []byte) ([]byte, error) {
	node, err := frontmatter(content)
	if err != nil {
		return nil, err
	}
	count := 0
	object := appendJSON(nil, node, &count)
	if count > maxValues {
		return nil, fmt.Errorf("it has more than %d values", maxValues)
	}
	return object, nil
}

// appendJSON appends a YAML value as JSON. Values beyond the maximum number become null.
func appendJSON(dst []byte, n *yaml.Node, count *int) []byte {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if *count++; *count > maxValues {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		first := true
		for key, value := range yamldoc.Members(n) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(append(dst, jsonrpc.Quote(key.Value)...), ':')
			dst = appendJSON(dst, value, count)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item, count)
		}
		return append(dst, ']')
	}
	return append(dst, scalar(n)...)
}

// compareFrontmatter compares the front matter of an entry with the front matter of its SKILL.md.
func compareFrontmatter(entry, content []byte) (failures, doubts []Failure) {
	node, err := frontmatter(content)
	if err != nil {
		return []Failure{{What: "frontmatter", Expected: "YAML between two lines ---", Found: err.Error()}}, nil
	}
	if jsonrpc.TypeOf(entry) != "object" {
		return []Failure{{What: "frontmatter", Expected: "an object in the entry", Found: "another value"}}, nil
	}
	c := comparison{}
	c.values("", node, entry)
	if c.count > maxValues {
		c.failures = append(c.failures, Failure{What: "frontmatter", Expected: "at most " + strconv.Itoa(maxValues) + " values", Found: "more"})
	}
	return c.failures, c.doubts
}

// comparison compares YAML with JSON.
type comparison struct {
	failures, doubts []Failure
	count            int
}

// fail reports a field that differs; without a node or a value it is absent there.
func (c *comparison) fail(field string, n *yaml.Node, value []byte) {
	if len(c.failures) < maxFaults {
		c.failures = append(c.failures, Failure{What: "frontmatter", Field: field, Expected: shown(value), Found: shownNode(n)})
	}
}

func (c *comparison) values(field string, n *yaml.Node, value []byte) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if c.count++; c.count > maxValues {
		return
	}
	kind := jsonrpc.TypeOf(value)
	switch {
	case n.Kind == yaml.MappingNode && kind == "object":
		c.mapping(field, n, value)
	case n.Kind == yaml.SequenceNode && kind == "array":
		items := slices.Collect(jsonrpc.Elements(value))
		if len(items) != len(n.Content) {
			c.fail(field, n, value)
			return
		}
		for i, item := range n.Content {
			c.values(below(field, strconv.Itoa(i)), item, items[i])
		}
	case n.Kind != yaml.ScalarNode || kind == "object" || kind == "array":
		c.fail(field, n, value)
	case jsonrpc.Equal(scalar(n), value):
	case n.Style == 0 && similar(n, value):
		c.doubts = append(c.doubts[:min(len(c.doubts), maxFaults)], Failure{What: "frontmatter", Field: field, Expected: shown(value), Found: shownNode(n)})
	default:
		c.fail(field, n, value)
	}
}

func (c *comparison) mapping(field string, n *yaml.Node, object []byte) {
	known := map[string]bool{}
	for name, inner := range yamldoc.Members(n) {
		key := name.Value
		value := jsonrpc.Get(object, key)
		switch {
		case known[key]:
			c.failures = append(c.failures, Failure{What: "frontmatter", Field: below(field, key), Expected: "once", Found: "twice"})
		case value == nil:
			c.fail(below(field, key), inner, nil)
		default:
			c.values(below(field, key), inner, value)
		}
		known[key] = true
	}
	for key, value := range jsonrpc.Members(object) {
		if !known[string(key)] {
			c.fail(below(field, string(key)), nil, value)
		}
	}
}

func below(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// scalar returns a YAML scalar as JSON. Numbers that JSON cannot express become strings.
func scalar(n *yaml.Node) []byte {
	if value, ok := yamldoc.Scalar(n); ok {
		return value
	}
	return []byte(jsonrpc.Quote(n.Value))
}

// similar reports whether another YAML version may have read a plain scalar as value: yes as true, 1.0 as
// "1.0", a date as a time.
func similar(n *yaml.Node, value []byte) bool {
	text, isText := jsonrpc.Unquote(value)
	switch strings.ToLower(n.Value) {
	case "yes", "on", "y", "true":
		return string(value) == "true" || isText && strings.EqualFold(text, n.Value)
	case "no", "off", "n", "false":
		return string(value) == "false" || isText && strings.EqualFold(text, n.Value)
	case "", "~", "null":
		return string(value) == "null" || isText && (text == "" || text == n.Value)
	}
	if isText {
		return text == n.Value || n.ShortTag() == "!!timestamp" && strings.HasPrefix(text, n.Value)
	}
	return jsonrpc.TypeOf(value) == "number" && strings.ContainsAny(n.Value[:1], "+-.0123456789") && n.ShortTag() != "!!str" && strings.HasPrefix(strings.TrimLeft(n.Value, "+-"), "0")
}

func shown(value []byte) string {
	if value == nil {
		return "absent"
	}
	return shortened(string(value))
}

func shownNode(n *yaml.Node) string {
	switch {
	case n == nil:
		return "absent"
	case n.Kind == yaml.ScalarNode:
		return shortened(string(scalar(n)))
	case n.Kind == yaml.SequenceNode:
		return "a list of " + strconv.Itoa(len(n.Content))
	}
	return "a mapping of " + strconv.Itoa(len(n.Content)/2)
}

func shortened(text string) string {
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "…"
	}
	return text
}
