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
	switch {
	case p.opening != nil:
		return nil, !isKey(command.Composer, command.Back, key) // the text is still being read
	case p.history.open:
		return p.history.key(p, k)
	case p.malform.open:
		return p.malformKey(k)
	case p.repeat.open:
		return p.repeatKey(k)
	}
	if p.suggestions.open() {
		if taken := p.suggestionKey(key); taken {
			return nil, true
		}
	}
	if p.moveKey(key) {
		return nil, true
	}
	if cmd, ok := command.Lookup(command.Composer, key); ok && cmd.Context == command.Composer {
		p.suggestions = suggestions{} // the key means the command of the composer
		return nil, false
	}
	if p.focus != fieldParams && isKey(command.Suggestions, command.Accept, key) {
		p.next()
		return nil, true
	}
	taken := p.editKey(k)
	if taken {
		p.suggest(len(k.Text) > 0)
	}
	return nil, taken
}

// isKey reports whether a key runs a command in a context.
func isKey(c command.Context, id command.ID, key string) bool {
	cmd, ok := command.Lookup(c, key)
	return ok && cmd.ID == id
}

// editKey gives a key to the text field that has the focus.
func (p *Pane) editKey(k tea.KeyPressMsg) bool {
	switch p.focus {
	case fieldMethod:
		return p.method.Key(k)
	case fieldID:
		return p.id.Key(k)
	}
	return p.params.Key(k)
}

// moveKey moves between the fields. In the first row of the text, up opens the
// history.
func (p *Pane) moveKey(key string) (moved bool) {
	cmd, ok := command.Lookup(command.Fields, key)
	if !ok {
		return false
	}
	arrow := len(cmd.Binding.Keys()) > 1 && key == cmd.Binding.Keys()[1]
	switch {
	case cmd.ID == command.NextField && p.focus != fieldParams && arrow:
		p.next()
		return true
	case cmd.ID == command.NextField: // enter and tab in the method, tab in the text: complete
		return false
	case cmd.ID != command.PreviousField:
		return false
	case p.focus == fieldParams && arrow && !p.params.Buffer().FirstRow():
		return false
	case p.focus == fieldMethod || p.raw:
		if arrow {
			p.openHistory()
			return true
		}
		return false // the program goes to the pane before
	}
	p.previous()
	return true
}

// next goes to the field after the one with the focus. Empty params get the template
// of the method.
func (p *Pane) next() {
	p.suggestions = suggestions{}
	if p.focus == fieldMethod && p.idKind == idGiven {
		p.focus = fieldID
		return
	}
	p.focus = fieldParams
	m, ok := revision.Lookup(p.method.Value())
	if ok && p.params.Buffer().Size() < maxFollowed && strings.TrimSpace(p.params.Value()) == "" && !p.raw {
		p.params.SetValue(m.Params)
		p.arrange(m.Params)
		p.suggest(true)
	}
}

func (p *Pane) previous() {
	p.suggestions = suggestions{}
	if p.focus == fieldParams && p.idKind == idGiven {
		p.focus = fieldID
		return
	}
	p.focus = fieldMethod
}

// PasteFrame takes what was pasted while no text field had the focus: a frame
// replaces the draft, anything else is inserted at the cursor.
func (p *Pane) PasteFrame(text string) {
	p.history.open, p.malform.open, p.repeat.open = false, false, false
	if strings.IndexAny(strings.TrimSpace(text), "{[") == 0 {
		p.focus = fieldMethod
	}
	p.Paste(text)
}

// Paste takes pasted text. An object or an array is no method: pasted there, it
// is the whole frame. Candidates are for the text before it.
func (p *Pane) Paste(text string) {
	p.suggestions = suggestions{}
	switch {
	case p.history.open:
		p.history.filter.Insert(text)
		p.history.at, p.history.top = 0, 0
		return
	case p.repeat.open:
		p.repeat.problem = ""
		p.repeat.often.Insert(text)
		return
	case p.malform.open || p.opening != nil:
		return
	}
	if frame := strings.TrimSpace(text); p.focus == fieldMethod && !p.raw && strings.IndexAny(frame, "{[") == 0 {
		p.ComposeFrame([]byte(frame))
		p.keepID([]byte(frame))
		return
	}
	switch p.focus {
	case fieldMethod:
		p.method.Paste(text)
	case fieldID:
		p.id.Paste(text)
	default:
		p.params.Paste(text)
	}
}
