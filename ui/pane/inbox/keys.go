package inbox

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Typing reports whether keys are text here.
func (p *Pane) Typing() bool {
	if p.part != inAnswer {
		return false
	}
	e := p.selected()
	return e != nil && e.writable()
}

// Type takes a key before it is looked up among the commands.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	e, name := p.selected(), k.String()
	if e == nil {
		return nil, false
	}
	if cmd, ok := command.Lookup(command.EditResponse, name); ok && cmd.Context == command.EditResponse {
		return nil, false
	}
	switch {
	case name == "tab" && !e.next(1):
		return action.Leave{Forward: true}, true
	case name == "shift+tab" && !e.next(-1):
		p.part = inList
		return nil, true
	case name == "tab" || name == "shift+tab":
		return nil, true
	case name == "enter" && !e.asJSON && e.shape == form && !e.draft.InLong():
		return p.answer(e), true
	}
	return nil, e.typed(k) || k.Text != "" // a letter is never a command here
}

// next goes to another field; false when there is none in that direction.
func (e *entry) next(step int) bool {
	switch {
	case e.asJSON || e.shape != form:
		return false
	case step > 0:
		return e.draft.Form.Next()
	}
	return e.draft.Form.Prev()
}

func (e *entry) typed(k tea.KeyPressMsg) bool {
	switch {
	case e.asJSON:
		e.said = ""
		return e.json.Key(k)
	case e.shape == form:
		before := e.draft.Form.Version()
		taken := e.draft.Form.Key(k)
		e.draft.Edited(e.draft.Form.Version() != before)
		return taken
	}
	return e.text.Key(k)
}

// Paste takes pasted text where text can be typed.
func (p *Pane) Paste(s string) {
	e := p.selected()
	switch {
	case e == nil || !p.Typing():
	case e.asJSON:
		e.json.Paste(s)
	case e.shape == form:
		e.draft.Form.Paste(s)
		e.draft.Edited(true)
	default:
		e.text.Insert(s)
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	if p.navigate(name) {
		return nil
	}
	if name == command.Back {
		if p.part == inAnswer {
			p.part = inList
			return nil
		}
		return action.Leave{}
	}
	e := p.selected()
	if e == nil {
		return nil
	}
	switch name {
	case command.ShowRequestFrame:
		return e.frame()
	case command.CopyRequest:
		if e.shape == page {
			return action.Copy{Text: paint.Sanitize(e.url), What: "URL"}
		}
		return action.Copy{Text: paint.EscapeJSON(string(e.ask.Params)), What: "request"}
	case command.OpenRequest:
		return p.open(e)
	}
	if e.shape == unread || !e.waits() {
		return action.Flash{Text: "the server no longer waits for this", Wrong: true}
	}
	switch name {
	case command.SendResponse:
		return p.answer(e)
	case command.DeclineRequest:
		return p.reply(e, action.Reply{How: action.RespondDecline})
	case command.DismissRequest:
		return p.dismiss(e)
	case command.ToggleResponseJSON:
		return p.toggleJSON(e)
	case command.OpenEditor:
		if e.ask.Required() {
			return p.toggleJSON(e)
		}
		return e.edit()
	}
	return nil
}

// navigate moves in the list, or in the request where that is longer than its
// room.
func (p *Pane) navigate(name command.ID) bool {
	page := max(p.area.request.h-1, 1)
	by, ok := command.Steps(name, page, page, len(p.order))
	switch name {
	case command.PageDown, command.PageUp, command.HalfDown, command.HalfUp:
		p.scroll(by)
	default:
		if ok {
			p.move(p.place() + by)
		}
	}
	return ok
}

// scroll moves the request by rows; painting keeps it in its bounds.
func (p *Pane) scroll(n int) {
	if e := p.selected(); e != nil {
		e.top = max(e.top+n, 0)
	}
}

// open goes to the answer, or to the frame of a request that has one.
func (p *Pane) open(e *entry) action.Action {
	switch {
	case !e.waits():
		return e.frame()
	case e.ask.Required():
		return action.Flash{Text: "visit the page, then " + command.KeyOf(command.SendResponse) + " calls again; mcptea itself opens nothing"}
	case !e.writable():
		return action.Flash{Text: command.KeyOf(command.SendResponse) + " accepts; mcptea itself opens nothing"}
	}
	p.part = inAnswer
	return nil
}

func (e *entry) frame() action.Action {
	if e.ask.Row < 0 {
		return action.Flash{Text: "the frame is not in the traffic"}
	}
	return action.SelectFrame{Row: e.ask.Row}
}

func (p *Pane) answer(e *entry) action.Action {
	if !e.waits() {
		return action.Flash{Text: "the server no longer waits for this", Wrong: true}
	}
	if e.ask.Required() {
		return p.reply(e, action.Reply{How: action.CallAgain})
	}
	result := e.result()
	if result == nil {
		if e.said != "" {
			return action.Flash{Text: e.said, Wrong: true}
		}
		p.part = inAnswer // to what is wrong
		return nil
	}
	return p.reply(e, action.Reply{How: action.RespondResult, Result: result})
}

// dismiss says that nobody chose; sampling has only an error for that.
func (p *Pane) dismiss(e *entry) action.Action {
	if e.ask.Method == client.MethodElicitation {
		return p.reply(e, action.Reply{How: action.RespondCancel})
	}
	return p.reply(e, action.Reply{How: action.RespondError, Code: jsonrpc.CodeInternalError, Text: "The person at mcptea answered with an error"})
}

func (p *Pane) reply(e *entry, r action.Reply) action.Action {
	if e.sent {
		return action.Flash{Text: "the answer is on its way"}
	}
	r.ID = e.ask.ID
	e.sent = true
	p.chosen = false // what waits next comes up
	return r
}

func (p *Pane) toggleJSON(e *entry) action.Action {
	if e.ask.Required() {
		return action.Flash{Text: "nothing is sent for this page"}
	}
	if !e.asJSON {
		e.toJSON()
		p.part = inAnswer
		return nil
	}
	if why := e.fromJSON(); why != "" {
		return action.Flash{Text: why, Wrong: true}
	}
	if !e.writable() {
		p.part = inList
	}
	return nil
}

// edit gives the answer to the person's editor: a text as it is, all else as
// the JSON of the whole result.
func (e *entry) edit() action.Action {
	switch {
	case e.asJSON:
		return action.Edit{Text: e.json.Value(), Suffix: ".json", Ref: keyOf(&e.ask).ref()}
	case e.shape == sampling:
		return action.Edit{Text: e.text.Value(), Suffix: ".txt", Ref: keyOf(&e.ask).ref()}
	}
	return action.Edit{Text: content.Indented(e.plain()), Suffix: ".json", Ref: keyOf(&e.ask).ref()}
}

// ref is the reference of a request in actions and events.
func (k key) ref() string { return "inbox " + string(k.id) + " " + strconv.FormatInt(k.arrived, 10) }

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(ev action.Event) {
	edited, ok := ev.(action.Edited)
	if !ok {
		return
	}
	for k, e := range p.entries {
		if k.ref() == edited.Ref {
			e.edited(edited.Text)
		}
	}
}

// edited takes the text that edit gave away.
func (e *entry) edited(text string) {
	switch {
	case e.asJSON:
		e.json.SetValue(text)
	case e.shape == sampling:
		e.text.SetValue(text)
	default:
		e.json.SetValue(text)
		e.asJSON = true
		e.fromJSON() // back into the form where it fits
	}
}
