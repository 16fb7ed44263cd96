package syntax

import (
	"bytes"
	"strconv"

	"github.com/tailscale/hujson"

	"mcptea/internal/lazyregexp"
)

func parseJSON(data []byte) (*Tree, *Error) {
	if err := tooDeep(data, `"`); err != nil {
		return nil, err
	}
	v, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonError(data, err)
	}
	w := jsonWalker{data: data, tree: &Tree{}}
	w.comments(v.BeforeExtra, 0)
	w.tree.Root = w.node(&v, "")
	w.comments(v.AfterExtra, v.EndOffset)
	return w.tree, nil
}

var jsonPlace = lazyregexp.New(`^hujson: line (\d+), column (\d+): (?:parsing value: )?`)

func jsonError(data []byte, err error) *Error {
	text := err.Error()
	if m := jsonPlace().FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		return &Error{Message: text[len(m[0]):], Line: line, Column: column}
	}
	line, column := Position(data, len(data))
	return &Error{Message: text, Line: line, Column: column}
}

type jsonWalker struct {
	data []byte
	tree *Tree
}

// comments notes the comments between two tokens.
func (w *jsonWalker) comments(extra hujson.Extra, start int) {
	if extra.IsStandard() {
		return
	}
	if i := bytes.IndexByte(extra, '/'); i >= 0 {
		w.tree.Deviations = append(w.tree.Deviations, Deviation{Comment: true, Offset: start + i})
	}
}

func (w *jsonWalker) comma(last *hujson.Value, after int, pointer string) {
	comma := last.EndOffset + len(last.AfterExtra)
	if comma < after && w.data[comma] == ',' {
		w.tree.Deviations = append(w.tree.Deviations, Deviation{Offset: comma, Pointer: pointer})
	}
}

func (w *jsonWalker) node(v *hujson.Value, pointer string) *Node {
	n := &Node{Start: v.StartOffset, End: v.EndOffset, Flow: true}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.Kind = Object
		for i := range value.Members {
			m := &value.Members[i]
			key := m.Name.Value.(hujson.Literal).String()
			w.comments(m.Name.BeforeExtra, m.Name.StartOffset-len(m.Name.BeforeExtra))
			w.comments(m.Name.AfterExtra, m.Name.EndOffset)
			w.comments(m.Value.BeforeExtra, m.Value.StartOffset-len(m.Value.BeforeExtra))
			child := w.node(&m.Value, Pointer(pointer, key))
			w.comments(m.Value.AfterExtra, m.Value.EndOffset)
			n.Members = append(n.Members, Member{Key: key, KeyStart: m.Name.StartOffset, Value: child})
		}
		if len(value.Members) > 0 {
			w.comma(&value.Members[len(value.Members)-1].Value, v.EndOffset, pointer)
		}
		w.comments(value.AfterExtra, v.EndOffset-1-len(value.AfterExtra))
	case *hujson.Array:
		n.Kind = List
		for i := range value.Elements {
			e := &value.Elements[i]
			w.comments(e.BeforeExtra, e.StartOffset-len(e.BeforeExtra))
			n.Items = append(n.Items, w.node(e, Index(pointer, i)))
			w.comments(e.AfterExtra, e.EndOffset)
		}
		if len(value.Elements) > 0 {
			w.comma(&value.Elements[len(value.Elements)-1], v.EndOffset, pointer)
		}
		w.comments(value.AfterExtra, v.EndOffset-1-len(value.AfterExtra))
	case hujson.Literal:
		n.Text = string(value)
		switch value.Kind() {
		case 't', 'f':
			n.Kind = Bool
		case '0':
			n.Kind = Number
		case '"':
			n.Kind, n.Text = String, value.String()
		}
	}
	return n
}
