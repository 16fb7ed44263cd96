package intercept

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/session/intercept"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/hexview"
	"mcptea/ui/widget/masterdetail"
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

// SetDraft keeps what the user has written for a frame and has not accepted: the editor
// opens with it again. A frame that is not held any more has its text in the list.
func (p *Pane) SetDraft(id int64, respond bool, text []byte) {
	h := p.heldFrame(id)
	switch {
	case h == nil:
		p.Keep(p.names[id], text)
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

// Decided takes note that the user has decided about a frame: what was written for it has
// gone with it, or is not wanted.
func (p *Pane) Decided(id int64) { p.decided[id] = true }

// Keep keeps a text of the user for a frame that is gone.
func (p *Pane) Keep(name string, text []byte) {
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
	p.news = paint.Sanitize(name) + " is not held any more. Your text is kept in Intercept: y copies it there."
	p.arrange()
}

// News says, once, that a frame went without what the user had written for it.
func (p *Pane) News() string {
	news := p.news
	p.news = ""
	return news
}

// keepLost keeps the texts of frames that do not wait any more, unless the user has
// decided about them.
func (p *Pane) keepLost(waiting map[int64]bool) {
	var lost []kept
	for id, text := range p.edited {
		if !waiting[id] {
			if !p.decided[id] {
				lost = append(lost, kept{id, p.names[id], text})
			}
			delete(p.edited, id)
		}
	}
	for of, text := range p.drafts {
		if !waiting[of.id] {
			if !p.decided[of.id] {
				lost = append(lost, kept{of.id, p.names[of.id], text})
			}
			delete(p.drafts, of)
		}
	}
	for id := range p.decided {
		if !waiting[id] {
			delete(p.decided, id)
		}
	}
	for _, k := range lost {
		p.Keep(k.name, k.text)
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
	i := slices.IndexFunc(p.kept, func(k kept) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return &p.kept[i]
}

// onKept acts on a text whose frame is gone.
func (p *Pane) onKept(name command.ID, k *kept) action.Action {
	switch name {
	case command.CopyFrame:
		return action.Copy{Text: string(k.text), What: "text"}
	case command.DropFrame:
		p.kept = slices.DeleteFunc(p.kept, func(other kept) bool { return other.id == k.id })
		p.arrange()
		return nil
	}
	return action.Flash{Text: "Its frame is not held any more, only your text is left: " +
		command.KeyIn(command.Held, command.CopyFrame, false) + " copies it, " + command.KeyIn(command.Held, command.DropFrame, false) + " removes it."}
}

func (p *Pane) keptRow(r *paint.Row, pal *paint.Palette, k *kept, st paint.Style) {
	r.Right(paint.Span{Style: pal.Muted, Text: paint.HumanSize(int64(len(k.text))) + " "})
	r.Put(st, k.name)
}

func (p *Pane) keptBox(pal *paint.Palette, k *kept, at masterdetail.Rect) masterdetail.Box {
	s := paint.NewSheet(pal, at.W, at.H)
	s.Text(pal.Text, "This is your text. Its frame is not held any more: it went on without it, or its connection or its request has ended.", 3)
	s.Blank()
	s.Hints(2, p.hint(command.Held, command.CopyFrame, "copy"), p.hint(command.Held, command.DropFrame, "remove"))
	s.Blank()
	view := hexview.New(k.text[:min(len(k.text), maxShown)])
	view.SetMode(hexview.Text)
	rows := append(s.Rows, view.Rows(pal, at.W, max(1, at.H-len(s.Rows)))...)
	return masterdetail.Box{Title: []paint.Span{{Style: pal.TextBold, Text: pal.Label(k.name, 50)}}, Rows: rows[:min(len(rows), at.H)]}
}
