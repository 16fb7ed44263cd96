package syntax

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML parses twice: the decoder of the library checks rules beyond the grammar, such as duplicate tables,
// and its parser provides the offsets.
func parseTOML(data []byte) (*Tree, *Error) {
	if err := tooLarge(data, `"'`); err != nil {
		return nil, err
	}
	var discard map[string]any
	if err := toml.Unmarshal(data, &discard); err != nil {
		return nil, tomlError(err)
	}
	w := tomlWalker{data: data, root: &Node{Kind: Object}}
	w.parser.Reset(data)
	table := w.root
	for w.parser.NextExpression() {
		e := w.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			table = w.table(e, false)
		case unstable.ArrayTable:
			table = w.table(e, true)
		case unstable.KeyValue:
			w.keyValue(table, e)
		}
	}
	if err := w.parser.Error(); err != nil {
		return nil, tomlError(err)
	}
	return &Tree{Root: w.root}, nil
}

func tomlError(err error) *Error {
	var d *toml.DecodeError
	if errors.As(err, &d) {
		line, column := d.Position()
		return &Error{Message: d.Error(), Line: line, Column: column}
	}
	return &Error{Message: err.Error(), Line: 1}
}

type tomlWalker struct {
	data   []byte
	parser unstable.Parser
	root   *Node
}

// table returns the object of a header, [a.b] or [[a.b]], and creates it.
func (w *tomlWalker) table(e *unstable.Node, item bool) *Node {
	at := w.root
	keys := e.Key()
	for keys.Next() {
		at = w.member(at, keys.Node())
		if keys.IsLast() && item {
			at.Kind = List
			at.Items = append(at.Items, &Node{Kind: Object, Start: at.At, End: at.At})
		}
		if at.Kind == List && len(at.Items) > 0 {
			at = at.Items[len(at.Items)-1]
		}
	}
	return at
}

// member returns the member of a key, and creates it as an object.
func (w *tomlWalker) member(at *Node, key *unstable.Node) *Node {
	name := string(key.Data)
	if m := at.Get(name); m != nil {
		return m
	}
	start := int(key.Raw.Offset)
	m := &Node{Kind: Object, Key: name, At: start, Start: start, End: start}
	at.add(m)
	return m
}

// keyValue adds a line, a.b = value, or one of an inline table, and returns the
// offset after it.
func (w *tomlWalker) keyValue(at *Node, e *unstable.Node) int {
	end := 0
	keys := e.Key()
	for keys.Next() {
		at = w.member(at, keys.Node())
		end = int(keys.Node().Raw.Offset + keys.Node().Raw.Length)
	}
	value := w.value(e.Value(), w.skip(end, " \t="))
	value.Key, value.At = at.Key, at.At
	*at = *value
	return at.End
}

// skip returns the offset of the first byte that is not in a set.
func (w *tomlWalker) skip(i int, set string) int {
	for i < len(w.data) {
		c := w.data[i]
		if c == '#' && strings.Contains(set, "\n") {
			i = Text(w.data).NextLine(i)
			continue
		}
		if strings.IndexByte(set, c) < 0 {
			break
		}
		i++
	}
	return i
}

const tomlBetween = " \t\r\n,"

// value converts a value that starts at an offset. The parser has no range for arrays and inline tables, so
// their ends are computed from the ends of their content.
func (w *tomlWalker) value(v *unstable.Node, start int) *Node {
	n := &Node{Start: start, Text: string(v.Data)}
	switch v.Kind {
	case unstable.Array:
		n.Kind, n.Flow, n.Text = List, true, ""
		at := start + 1
		children := v.Children()
		for children.Next() {
			if children.Node().Kind == unstable.Comment {
				continue
			}
			at = w.skip(at, tomlBetween)
			item := w.value(children.Node(), at)
			n.Items = append(n.Items, item)
			at = item.End
		}
		n.End = w.skip(at, tomlBetween) + 1
	case unstable.InlineTable:
		n.Kind, n.Flow, n.Text = Object, true, ""
		at := start + 1
		children := v.Children()
		for children.Next() {
			if children.Node().Kind == unstable.KeyValue {
				at = w.keyValue(n, children.Node())
			}
		}
		n.End = w.skip(at, tomlBetween) + 1
	default:
		if n.End = int(v.Raw.Offset + v.Raw.Length); v.Raw.Length == 0 {
			n.End = start
		}
		switch v.Kind {
		case unstable.Bool:
			n.Kind = Bool
		case unstable.Integer, unstable.Float:
			n.Kind = Number
		default:
			n.Kind = String
		}
		for v.Raw.Length == 0 && n.End < len(w.data) && strings.IndexByte(" \t\r\n,]}#", w.data[n.End]) < 0 {
			n.End++ // a scalar without a range
		}
	}
	return n
}
