package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/revision"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// Type takes a key.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	key := k.String()
	if key == "tab" && p.focus == fieldMethod && p.completes(k) {
		return nil, true
	}
	switch key {
	case "tab", "enter":
		if p.focus != fieldParams {
			p.next()
			return nil, true
		}
		if key == "tab" {
			return action.Leave{Forward: true}, true
		}
	case "shift+tab":
		if p.focus == fieldMethod || p.raw {
			return action.Leave{}, true
		}
		p.previous()
		return nil, true
	case "up", "down":
		if p.walk(key, k) {
			return nil, true
		}
	}
	if cmd, ok := command.Lookup(command.Composer, key); ok && cmd.Context == command.Composer {
		return nil, false
	}
	switch p.focus {
	case fieldMethod:
		return nil, p.method.Key(k)
	case fieldID:
		return nil, p.id.Key(k)
	}
	return nil, p.params.Key(k)
}

// completes gives tab to the completion of the method, unless the method is
// whole already; false when there was nothing to complete.
func (p *Pane) completes(k tea.KeyPressMsg) bool {
	before := p.method.Value()
	if _, whole := revision.Lookup(before); whole && !p.method.Completing() {
		return false
	}
	return p.method.Key(k) || p.method.Value() != before
}

// walk moves between the fields with the arrows, and through the history from
// the method of an empty draft.
func (p *Pane) walk(key string, k tea.KeyPressMsg) bool {
	switch {
	case p.focus == fieldMethod && p.method.Completing():
		return p.method.Key(k)
	case p.focus == fieldMethod && key == "up":
		p.recall(1)
		return true
	case p.focus == fieldMethod && p.past > 0:
		p.recall(-1)
		return true
	case p.focus != fieldParams && key == "down":
		p.next()
		return true
	case p.focus == fieldID || p.focus == fieldParams && key == "up":
		if p.focus == fieldParams {
			if row, _ := p.params.Buffer().Position(); row > 0 || p.raw {
				return false
			}
		}
		p.previous()
		return true
	}
	return false
}

func (p *Pane) next() {
	if p.focus == fieldMethod && p.idKind == idGiven {
		p.focus = fieldID
		return
	}
	p.focus = fieldParams
	if m, ok := revision.Lookup(p.method.Value()); ok && strings.TrimSpace(p.params.Value()) == "" && !p.raw {
		p.params.SetValue(m.Params)
		if gap := strings.Index(m.Params, `""`); gap >= 0 {
			p.params.Buffer().SetPosition(0, gap+1) // where there is something to fill in
		}
	}
}

func (p *Pane) previous() {
	if p.focus == fieldParams && p.idKind == idGiven {
		p.focus = fieldID
		return
	}
	p.focus = fieldMethod
}

// recall goes back and forth in what was sent.
func (p *Pane) recall(step int) {
	to := p.past + step
	if to < 0 || to > len(p.history) {
		return
	}
	p.past = to
	if to == 0 {
		p.Compose("", "")
		return
	}
	d := p.history[len(p.history)-to]
	p.raw = d.raw
	p.method.SetValue(d.method)
	p.params.SetValue(d.params)
}

// PasteFrame takes what was pasted while nothing was being typed: a frame takes
// the place of the draft, anything else goes where the cursor is.
func (p *Pane) PasteFrame(text string) {
	if strings.IndexAny(strings.TrimSpace(text), "{[") == 0 {
		p.focus = fieldMethod
	}
	p.Paste(text)
}

// Paste takes pasted text. An object or an array is no method: pasted there, it
// is meant as the whole frame.
func (p *Pane) Paste(text string) {
	if frame := strings.TrimSpace(text); p.focus == fieldMethod && strings.IndexAny(frame, "{[") == 0 {
		p.ComposeFrame([]byte(frame))
		p.keepID([]byte(frame))
		return
	}
	switch p.focus {
	case fieldMethod:
		p.method.Paste(text)
	case fieldID:
		p.id.Insert(text)
	default:
		p.params.Paste(text)
	}
}
