package traffic

import (
	"slices"

	"mcptea/session/store"
)

// maxMarks is how many frames can be marked.
const maxMarks = 1000

// Mark marks a row, or unmarks it, and reports whether it is marked now. None unmarks
// all rows.
func (p *Pane) Mark(row int32) bool {
	if row == store.None {
		p.marks = nil
		return false
	}
	if i := slices.Index(p.marks, row); i >= 0 {
		p.marks = slices.Delete(p.marks, i, i+1)
		return false
	}
	if len(p.marks) >= maxMarks {
		p.marks = slices.Delete(p.marks, 0, 1)
	}
	p.marks = append(p.marks, row)
	return true
}

// Marked returns the marked rows in the order in which they were marked. The caller
// owns the slice.
func (p *Pane) Marked() []int32 { return slices.Clone(p.marks) }
