package sequence

import (
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
)

// maxDocument is how much of a frame is read for its lines, in bytes, and maxBodies how many frames
// are kept.
const maxDocument, maxBodies = 32 << 10, 64

// body reads a frame once.
func (p *Pane) body(row int32) *jsonview.View {
	v := p.bodies[row]
	if v == nil {
		if len(p.bodies) >= maxBodies {
			clear(p.bodies)
		}
		head, _ := p.store.Head(row, maxDocument)
		v = frames.Tree(head)
		p.bodies[row] = v
	}
	return v
}
