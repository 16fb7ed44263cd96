package syntax

import (
	"bytes"
	"strconv"

	"github.com/tailscale/hujson"

	"mcptea/internal/lazyregexp"
)

func parseJSON(data []byte) (*Tree, *Error) {
	if err := tooLarge(data, `"`); err != nil {
		return nil, err
	}
	v, err := hujson.Parse(data)
	if err != nil {
		return nil, jsonError(data, err)
	}
	w := jsonWalker{}
	w.Root = w.node(&v)
	return &w.Tree, nil
}

var jsonPlace = lazyregexp.New(`^hujson: line (\d+), column (\d+): (?:parsing value: )?`)

func jsonError(data []byte, err error) *Error {
	text := err.Error()
	if m := jsonPlace().FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2]) // column in bytes
		at := 0
		for range line - 1 {
			at = Text(data).NextLine(at)
		}
		return errorAt(data, at+column-1, text[len(m[0]):])
	}
	return errorAt(data, len(data), text)
}

func errorAt(data []byte, offset int, message string) *Error {
	line, column := Position(data, offset)
	return &Error{Message: message, Line: line, Column: column, Offset: min(offset, len(data))}
}

type jsonWalker struct{ Tree }

// comments notes the comments between two tokens.
func (w *jsonWalker) comments(extra hujson.Extra, start int) {
	if i := bytes.IndexByte(extra, '/'); i >= 0 {
		w.Deviations = append(w.Deviations, Deviation{Comment: true, Offset: start + i})
	}
}

func (w *jsonWalker) node(v *hujson.Value) *Node {
	w.comments(v.BeforeExtra, v.StartOffset-len(v.BeforeExtra))
	n := &Node{Start: v.StartOffset, End: v.EndOffset, Flow: true}
	var last *hujson.Value // last value inside the brackets
	var extra hujson.Extra // before the closing one
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.Kind, extra = Object, value.AfterExtra
		for i := range value.Members {
			name := &value.Members[i].Name
			w.comments(name.BeforeExtra, name.StartOffset-len(name.BeforeExtra))
			w.comments(name.AfterExtra, name.EndOffset)
			last = &value.Members[i].Value
			member := w.node(last)
			key, _ := name.Value.(hujson.Literal)
			member.Key, member.At = key.String(), name.StartOffset
			n.add(member)
		}
	case *hujson.Array:
		n.Kind, extra = List, value.AfterExtra
		for i := range value.Elements {
			last = &value.Elements[i]
			n.Items = append(n.Items, w.node(last))
		}
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
	if last != nil && last.AfterExtra != nil { // a comma follows it
		w.Deviations = append(w.Deviations, Deviation{Offset: last.EndOffset + len(last.AfterExtra), Around: n})
	}
	w.comments(extra, v.EndOffset-1-len(extra))
	w.comments(v.AfterExtra, v.EndOffset)
	return n
}
