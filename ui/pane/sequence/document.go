package sequence

import (
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
)

// maxDocument is the number of bytes of a frame that are read for its lines, and maxBodies the number of frames
// kept.
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
