package intercept

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/session/intercept"
	"mcptea/ui/paint"
)

// maxKept is how many texts of frames that are gone are kept. Of more, the oldest are
// dropped.
const maxKept = 20

// kept is what the user has written for a frame that went without it.
type kept struct {
	id   int64
	name string // of the frame
	text []byte
}

// written is a text of the user that is not sent: the ID of its frame, and whether it is a
// response to that.
type written struct {
	id      int64
	respond bool
}

// setDraft keeps what the user has written for a frame and has not accepted: the editor
// opens with it again. A frame that is not held any more has its text in the list.
func (p *Pane) setDraft(id int64, respond bool, text []byte) {
	h := p.heldFrame(id)
	switch {
	case h == nil:
		p.keep(p.names[id], text)
	case !respond && string(text) == string(p.bytes(h)):
		delete(p.drafts, written{id, respond})
	default:
		p.drafts[written{id, respond}] = text
	}
}

// draft is what the editor of a frame begins with.
func (p *Pane) draft(id int64, respond bool, otherwise []byte) []byte {
	if text, ok := p.drafts[written{id, respond}]; ok {
		return text
	}
	return otherwise
}

// setEdited replaces the bytes with which a held frame goes on. It goes on when the user
// forwards it.
func (p *Pane) setEdited(id int64, b []byte) {
	h := p.heldFrame(id)
	if h == nil {
		p.keep(p.names[id], b)
		return
	}
	p.treeOf = 0
	delete(p.decided, id)
	delete(p.drafts, written{id, false})
	if string(b) == string(h.Bytes) {
		delete(p.edited, id)
		return
	}
	p.edited[id] = b
}

// bytes are those with which a held frame goes on.
func (p *Pane) bytes(h *intercept.Held) []byte {
	if b, ok := p.edited[h.ID]; ok {
		return b
	}
	return h.Bytes
}

// keep keeps a text of the user for a frame that is gone.
func (p *Pane) keep(name string, text []byte) {
	if len(text) == 0 || slices.ContainsFunc(p.kept, func(k kept) bool { return string(k.text) == string(text) }) {
		return
	}
	if name == "" {
		name = "a frame"
	}
	p.lastKept++
	p.kept = append(p.kept, kept{p.lastKept, name, text})
	if len(p.kept) > maxKept {
		p.kept = p.kept[1:]
	}
	p.app.Fail(paint.Sanitize(name) + " is not held any more. Your text is kept in Intercept: " + p.app.Key("copy.frame") + " copies it there.")
}

// keepLost keeps the texts of frames that do not wait any more, unless the user has
// decided about them.
func (p *Pane) keepLost(waiting map[int64]bool) {
	lost := func(id int64, text []byte) bool {
		if waiting[id] {
			return false
		}
		if !p.decided[id] {
			p.keep(p.names[id], text)
		}
		return true
	}
	for id, text := range p.edited {
		if lost(id, text) {
			delete(p.edited, id)
		}
	}
	for of, text := range p.drafts {
		if lost(of.id, text) {
			delete(p.drafts, of)
		}
	}
	for id := range p.decided {
		if !waiting[id] {
			delete(p.decided, id)
		}
	}
}

// nameOf names a held frame in the list of texts whose frames are gone.
func nameOf(h *intercept.Held) string {
	name := strings.TrimSpace(h.Method + " " + subject(h))
	if h.Kind.IsResponse() {
		name = h.Kind.String() + " of " + name
	}
	if h.Row >= 0 {
		name = "#" + strconv.Itoa(int(h.Row)+1) + " " + name
	}
	return strings.TrimSpace(name)
}

func (p *Pane) keptText(id int64) *kept {
	return find(p.kept, func(k kept) bool { return k.id == id })
}
