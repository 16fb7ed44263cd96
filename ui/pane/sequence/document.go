package sequence

import (
	"bytes"
	"encoding/json"
	"slices"
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
	d.lines = foldMeta(bytes.Split(b.Bytes(), []byte("\n")))
	if len(p.bodies) > 64 {
		clear(p.bodies)
	}
	p.bodies[row] = d
	return d
}

// foldMeta leaves out the lines of _meta: what every message says about itself. What this one
// says is in sight.
func foldMeta(lines [][]byte) [][]byte {
	from := slices.IndexFunc(lines, func(l []byte) bool { return bytes.HasSuffix(l, []byte(`"_meta": {`)) })
	if from < 0 {
		return lines
	}
	margin := lines[from][:bytes.IndexByte(lines[from], '"')]
	n := slices.IndexFunc(lines[from:], func(l []byte) bool {
		after, ok := bytes.CutPrefix(l, margin)
		return ok && len(after) > 0 && after[0] == '}'
	})
	if n < 0 {
		return lines // it goes on after what was read
	}
	lines[from] = append(append(lines[from], " … "...), bytes.TrimSpace(lines[from+n])...)
	return slices.Delete(lines, from+1, from+n+1)
}
