package intercept

import (
	"maps"
	"slices"
)

// maxKept bounds the kept texts of frames that are gone. The oldest are dropped.
const maxKept = 20

// Texts holds the texts that a user has written for held frames and that were not sent. It keeps the text of a
// frame that is forwarded without it. It belongs to one goroutine.
type Texts struct {
	// Lost is called for each text that is kept because its frame, which has a name, is
	// gone.
	Lost func(name string)

	held    []Held
	edited  map[int64][]byte
	drafts  map[written][]byte // texts that the user has not accepted
	decided map[int64]bool     // the frames about which the user has decided
	names   map[int64]string
	kept    []Kept // oldest first
	last    int64
}

// Kept is a text whose frame is gone.
type Kept struct {
	ID   int64
	Name string // name of the frame
	Text []byte
}

// written is a text that is not sent: the ID of its frame, and whether it is a response.
type written struct {
	id      int64
	respond bool
}

// NewTexts returns no texts.
func NewTexts(lost func(name string)) *Texts {
	return &Texts{Lost: lost, edited: map[int64][]byte{}, drafts: map[written][]byte{}, decided: map[int64]bool{}, names: map[int64]string{}}
}

// Look records the currently held frames.
func (t *Texts) Look(held []Held) {
	t.held = held
	waiting := map[int64]bool{}
	for i := range held {
		h := &held[i]
		waiting[h.ID] = true
		if t.names[h.ID] == "" || h.Row >= 0 {
			t.names[h.ID] = h.Name()
		}
	}
	maps.DeleteFunc(t.edited, func(id int64, text []byte) bool { return t.lost(waiting, id, text) })
	maps.DeleteFunc(t.drafts, func(of written, text []byte) bool { return t.lost(waiting, of.id, text) })
	maps.DeleteFunc(t.decided, func(id int64, _ bool) bool { return !waiting[id] })
	if len(t.names) > 4*(len(waiting)+maxKept) { // an editor may be open on a frame that is gone
		maps.DeleteFunc(t.names, func(id int64, _ string) bool { return !waiting[id] })
	}
}

// lost keeps a text whose frame is gone, unless the user has decided about that.
func (t *Texts) lost(waiting map[int64]bool, id int64, text []byte) bool {
	if waiting[id] {
		return false
	}
	if !t.decided[id] {
		t.keep(id, text)
	}
	return true
}

func (t *Texts) keep(id int64, text []byte) {
	if len(text) == 0 || slices.ContainsFunc(t.kept, func(k Kept) bool { return string(k.Text) == string(text) }) {
		return
	}
	name := t.names[id]
	if name == "" {
		name = "a frame"
	}
	t.last++
	t.kept = append(t.kept, Kept{t.last, name, text})
	if len(t.kept) > maxKept {
		t.kept = t.kept[1:]
	}
	t.Lost(name)
}

func (t *Texts) frame(id int64) *Held {
	for i := range t.held {
		if t.held[i].ID == id {
			return &t.held[i]
		}
	}
	return nil
}

// Edited returns the frame that the user has written instead of a frame, or nil.
func (t *Texts) Edited(id int64) []byte { return t.edited[id] }

// Bytes returns the bytes that are forwarded for a held frame.
func (t *Texts) Bytes(h *Held) []byte {
	if b, ok := t.edited[h.ID]; ok {
		return b
	}
	return h.Bytes
}

// SetEdited replaces the bytes that a held frame has when the user forwards it.
func (t *Texts) SetEdited(id int64, b []byte) {
	h := t.frame(id)
	if h == nil {
		t.keep(id, b)
		return
	}
	delete(t.decided, id)
	delete(t.drafts, written{id, false})
	if string(b) == string(h.Bytes) {
		delete(t.edited, id)
		return
	}
	t.edited[id] = b
}

// SetDraft stores a text that the user has written and not yet accepted: a replacement for a frame,
// or a response to it.
func (t *Texts) SetDraft(id int64, respond bool, text []byte) {
	h := t.frame(id)
	switch {
	case h == nil:
		t.keep(id, text)
	case !respond && string(text) == string(t.Bytes(h)):
		delete(t.drafts, written{id, respond})
	default:
		t.drafts[written{id, respond}] = text
	}
}

// Draft returns the text that the user has written for a frame and not accepted.
func (t *Texts) Draft(id int64, respond bool) (text []byte, ok bool) {
	text, ok = t.drafts[written{id, respond}]
	return text, ok
}

// Decide records whether the user has decided about a frame. After a decision, its text is sent or discarded.
func (t *Texts) Decide(id int64, decided bool) {
	if delete(t.decided, id); decided {
		t.decided[id] = true
	}
}

// Kept returns the texts whose frames are gone, oldest first.
func (t *Texts) Kept() []Kept { return t.kept }

// Drop drops a text whose frame is gone.
func (t *Texts) Drop(id int64) {
	t.kept = slices.DeleteFunc(t.kept, func(k Kept) bool { return k.ID == id })
}
