package syntax

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/yamldoc"
)

func parseYAML(data []byte) (*Tree, *Error) {
	document, err := yamldoc.Parse("", data)
	if mistake, ok := errors.AsType[*yamldoc.Error](err); ok {
		return nil, &Error{Message: strings.TrimPrefix(mistake.Text, yamldoc.NotValid), Line: max(mistake.Line, 1)}
	}
	w := yamlWalker{places: newPlaces(data)}
	root := &Node{Kind: Null}
	if len(document.Content) > 0 {
		root = w.node(document.Content[0], 0)
	}
	if w.tooDeep {
		return nil, &Error{Message: fmt.Sprintf("values are nested deeper than %d levels, or aliases refer to themselves", maxDepth), Line: 1}
	}
	if w.left() < 0 {
		return nil, &Error{Message: manyValues + ", or aliases that refer to themselves", Line: 1, Large: true}
	}
	return &Tree{Root: root}, nil
}

type yamlWalker struct {
	places places
	count  int

	tooDeep  bool
	anchored int // nodes with an anchor that the node is in
}

func (w *yamlWalker) left() int { return maxNodes - w.count }

// places converts lines and characters of a file to offsets: the parser counts characters, and a line may be as
// long as the file.
type places struct {
	data  []byte
	lines []int // the characters before each line
	some  []int // the offset of each character whose number is a multiple of charsBetween
	chars int
}

const charsBetween = 256

func newPlaces(data []byte) places {
	p := places{data: data, lines: []int{0}}
	for at := 0; at < len(data); p.chars++ {
		if p.chars%charsBetween == 0 {
			p.some = append(p.some, at)
		}
		_, size := utf8.DecodeRune(data[at:])
		if data[at] == '\n' {
			p.lines = append(p.lines, p.chars+1)
		}
		at += size
	}
	return p
}

// offset returns the byte offset of a character; line and column count from 1.
func (p *places) offset(line, column int) int {
	char := max(column-1, 0)
	if line > 1 && line <= len(p.lines) {
		char += p.lines[line-1]
	}
	if char >= p.chars {
		return len(p.data)
	}
	at := p.some[char/charsBetween]
	for range char % charsBetween {
		_, size := utf8.DecodeRune(p.data[at:])
		at += size
	}
	return at
}

func (w *yamlWalker) node(y *yaml.Node, depth int) *Node {
	n := &Node{Start: w.places.offset(y.Line, y.Column)}
	w.count++
	if depth >= maxDepth && y.Kind != yaml.ScalarNode {
		w.count, w.tooDeep = maxNodes+1, true
	}
	if w.left() < 0 {
		return n
	}
	if y.Anchor != "" {
		w.anchored++
		defer func() { w.anchored-- }()
	}
	switch y.Kind {
	case yaml.AliasNode:
		target := w.node(y.Alias, depth+1)
		target.Start = n.Start
		return target
	case yaml.MappingNode:
		n.Kind = Object
		w.members(n, y, depth)
	case yaml.SequenceNode:
		n.Kind = List
		for i, c := range y.Content {
			n.Items = append(n.Items, w.node(c, depth+1))
			w.release(y.Content[i : i+1])
		}
	case yaml.ScalarNode:
		scalar(n, y)
	}
	return n
}

// release releases nodes that were read, so that a large file is not in memory twice. It keeps
// nodes that an alias refers to.
func (w *yamlWalker) release(read []*yaml.Node) {
	if w.anchored == 0 {
		clear(read)
	}
}

// members converts a mapping, including the mappings that it merges.
func (w *yamlWalker) members(n *Node, y *yaml.Node, depth int) {
	var merged []*Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], w.node(y.Content[i+1], depth+1)
		if key.Tag == "!!merge" {
			merged = append(merged, value)
		} else {
			value.Key, value.At = key.Value, w.places.offset(key.Line, key.Column)
			n.add(value)
		}
		w.release(y.Content[i : i+2])
	}
	for _, from := range merged {
		for _, source := range append(from.Items, from) {
			for _, m := range source.Members {
				if n.Get(m.Key) == nil {
					n.add(m)
				}
			}
		}
	}
}

func scalar(n *Node, y *yaml.Node) {
	n.Kind, n.Text = String, y.Value
	switch y.Tag {
	case "!!null":
		n.Kind = Null
	case "!!bool":
		n.Kind = Bool
		n.Text = strings.ToLower(y.Value)
	case "!!int", "!!float":
		n.Kind = Number
	}
}
