package sequence

import (
	"bytes"
	"encoding/json"
)

// maxDocument is how much of a frame is read for its lines, in bytes.
const maxDocument = 32 << 10

// document is a frame as lines.
type document struct {
	lines [][]byte
	more  int // bytes that were not read
}

// body reads a frame once.
func (p *Pane) body(row int32) document {
	if d, ok := p.bodies[row]; ok {
		return d
	}
	head, err := p.store.Head(row, maxDocument)
	info, _ := p.store.Row(row)
	d := document{more: max(0, int(info.Size)-len(head))}
	if err != nil {
		return document{lines: [][]byte{[]byte(err.Error())}}
	}
	var b bytes.Buffer
	if json.Indent(&b, head, "", "  ") != nil {
		b.Reset()
		b.Write(head)
	}
	d.lines = bytes.Split(b.Bytes(), []byte("\n"))
	if len(p.bodies) > 64 {
		clear(p.bodies)
	}
	p.bodies[row] = d
	return d
}
