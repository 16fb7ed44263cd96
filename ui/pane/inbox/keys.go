package inbox

import (
	"encoding/json"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/schemaform"
	"mcptea/ui/widget/masterdetail"
)

// Typing reports whether keys are text here.
func (p *Pane) Typing() bool {
	e := p.selected()
	return p.editing() && e != nil && e.writable()
}

// Type takes a key before it is looked up among the commands.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	e, name := p.selected(), k.String()
	if e == nil {
		return nil, false
	}
	cmd, _ := command.Lookup(command.EditResponse, name)
	switch {
	case cmd.Context == command.EditResponse:
		return nil, false
	case cmd.ID == command.NextPane && e.moveField(1), cmd.ID == command.PreviousPane && e.moveField(-1):
		return nil, true
	case cmd.ID == command.NextPane:
		return action.Leave{Forward: true}, true
	case cmd.ID == command.PreviousPane:
		p.view.Focus = masterdetail.InList
		return nil, true
	}
	if send, _ := command.Lookup(command.Form, name); send.ID == command.SendCall && !e.asJSON && e.kind == form && !e.draft.InLong() {
		return p.respond(e), true // as in the form of a call
	}
	return nil, e.typed(k) || k.Text != "" // a letter is never a command here
}

// moveField goes to the next field, or to the one before. It reports false at the
// last one.
func (e *entry) moveField(step int) bool {
	switch {
	case e.asJSON || e.kind != form:
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
	case e.kind == form:
		before := e.draft.Form.Version()
		taken := e.draft.Key(k)
		e.draft.Edited(e.draft.Form.Version() != before)
		return taken
	}
	e.warned = false
	return e.text.Key(k)
}

// Paste takes pasted text where text can be typed.
func (p *Pane) Paste(s string) {
	e := p.selected()
	switch {
	case e == nil || !p.Typing():
	case e.asJSON:
		e.json.Paste(s)
	case e.kind == form:
		e.draft.Paste(s)
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
		return p.back()
	}
	if name == command.ChoosePolicy {
		if p.Policies == nil {
			return action.Flash{Text: "A recording has no policies: nothing is sent."}
		}
		p.Policies.Choose()
		return nil
	}
	e := p.selected()
	if e == nil {
		return nil
	}
	switch name {
	case command.ShowRequestFrame:
		return e.frame()
	case command.CopyRequest:
		if e.kind == page {
			return action.Copy{Text: paint.Sanitize(e.url), What: "URL"}
		}
		return action.Copy{Text: paint.EscapeJSON(string(e.req.Params)), What: "request"}
	case command.OpenRequest:
		return p.open(e)
	case command.SaveResponse:
		return p.save(e)
	}
	if !e.waits() {
		return notWaiting
	}
	switch name {
	case command.SendResponse:
		return p.respond(e)
	case command.DeclineRequest:
		return p.reply(e, action.Reply{How: action.RespondDecline})
	case command.DismissRequest:
		return p.dismiss(e)
	case command.ToggleResponseJSON:
		return p.toggleJSON(e)
	case command.AddItem, command.RemoveItem, command.MoveItemUp, command.MoveItemDown, command.CycleEmpty, command.ToggleValueJSON:
		if why := e.editFields(name); why != "" {
			return action.Flash{Text: why}
		}
	case command.ChooseResponse:
		if e.req.Required() {
			return p.toggleJSON(e)
		}
		p.Responses.Choose(e.req.Method, func(result []byte) {
			if e.waits() {
				e.take(result)
				p.view.Focus = masterdetail.InDetail
			}
		})
	case command.OpenEditor:
		if e.req.Required() {
			return p.toggleJSON(e)
		}
		return e.edit()
	}
	return nil
}

var notWaiting = action.Flash{Text: "The server no longer waits for this response.", Wrong: true}

// back leaves the response, and then the pane: right after a response, for the call
// that waited for it.
func (p *Pane) back() action.Action {
	tab := p.caller
	switch {
	case p.editing():
		p.view.Focus = masterdetail.InList
		return nil
	case tab != "":
		p.caller = ""
		return action.ShowTab{Tab: tab}
	}
	return action.Leave{}
}

// navigate moves in the list; by pages it scrolls the request.
func (p *Pane) navigate(name command.ID) bool {
	switch name {
	case command.PageDown, command.PageUp, command.HalfDown, command.HalfUp:
		e := p.selected()
		return e != nil && command.ApplyScroll(&e.view, name)
	}
	if !command.ApplyScroll(&p.view.List, name) {
		return false
	}
	p.caller = ""
	return true
}

// open moves the focus to the response, or shows the frame of a request that has
// one.
func (p *Pane) open(e *entry) action.Action {
	send := command.KeyIn(command.Inbox, command.SendResponse, false)
	switch {
	case !e.waits():
		return e.frame()
	case e.req.Required():
		return action.Flash{Text: "Visit the page, then " + send + " calls again. mcptea opens nothing."}
	case !e.writable():
		return action.Flash{Text: send + " accepts. mcptea opens nothing."}
	}
	p.view.Focus = masterdetail.InDetail
	return nil
}

func (e *entry) frame() action.Action {
	if e.req.Row < 0 {
		return action.Flash{Text: "The frame is not in Traffic."}
	}
	return action.SelectFrame{Row: e.req.Row}
}

// respond sends the response. An empty text, and a form that the schema does not
// allow, are sent only the second time.
func (p *Pane) respond(e *entry) action.Action {
	switch {
	case !e.waits():
		return notWaiting
	case e.req.Required():
		return p.reply(e, action.Reply{How: action.CallAgain})
	case e.kind == sampling && !e.asJSON && !e.warned && !e.sent && strings.TrimSpace(e.text.Value()) == "":
		e.warned = true
		p.view.Focus = masterdetail.InDetail
		return action.Flash{Text: "The response is empty. " + p.keyOf(command.SendResponse) + " again sends it.", Wrong: true}
	}
	result := e.result()
	switch {
	case result != nil:
		return p.reply(e, action.Reply{How: action.RespondResult, Result: result})
	case e.said != "" && e.warnedJSON != nil:
		return action.Flash{Text: e.said + " " + p.keyOf(command.SendResponse) + " again sends it.", Wrong: true}
	case e.said != "":
		return action.Flash{Text: e.said, Wrong: true}
	}
	p.view.Focus = masterdetail.InDetail // at the first invalid field
	return nil
}

// dismiss responds that the user made no choice; for sampling that is an error.
func (p *Pane) dismiss(e *entry) action.Action {
	switch {
	case e.elicits():
		return p.reply(e, action.Reply{How: action.RespondCancel})
	case e.kind == roots:
		return p.reply(e, action.Reply{How: action.RespondDecline})
	}
	return p.reply(e, action.Reply{How: action.RespondError, Code: jsonrpc.CodeInternalError, Text: "The user responded with an error"})
}

func (p *Pane) reply(e *entry, r action.Reply) action.Action {
	if e.sent {
		return action.Flash{Text: "The response is being sent."}
	}
	r.ID = e.req.ID
	e.sent = true
	p.caller = e.call.tab
	p.next()
	return r
}

func (p *Pane) toggleJSON(e *entry) action.Action {
	if e.req.Required() {
		return action.Flash{Text: "This request has no response: it came with the error of a call."}
	}
	if !e.asJSON {
		e.toJSON()
		p.view.Focus = masterdetail.InDetail
		return nil
	}
	if problem := e.fromJSON(); problem != "" {
		return action.Flash{Text: problem, Wrong: true}
	}
	if !e.writable() {
		p.view.Focus = masterdetail.InList
	}
	return nil
}

// edit opens the response in the user's editor: a text as it is, everything else as
// the JSON of the whole result.
func (e *entry) edit() action.Action {
	switch {
	case e.asJSON:
		return action.Edit{Text: e.json.Value(), Suffix: ".json", Ref: keyOf(&e.req).ref()}
	case e.kind == sampling:
		return action.Edit{Text: e.text.Value(), Suffix: ".txt", Ref: keyOf(&e.req).ref()}
	}
	return action.Edit{Text: content.Indented(e.unchecked()), Suffix: ".json", Ref: keyOf(&e.req).ref()}
}

// ref is the reference of a request in actions and events.
func (k key) ref() string { return "inbox " + string(k.id) + " " + strconv.FormatInt(k.arrived, 10) }

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(ev action.Event) {
	for k, e := range p.entries {
		switch ev := ev.(type) {
		case action.Edited:
			if k.ref() == ev.Ref {
				e.edited(ev.Text)
			}
		}
	}
}

// take fills the response with a result; it is sent by the user.
func (e *entry) take(result []byte) {
	e.read()
	e.json.SetValue(content.Indented(result))
	e.asJSON, e.said = true, ""
	if text, _ := str(result, "action"); e.kind == sampling || e.kind == form && text == "accept" {
		e.fromJSON() // into the text or the form, where it fits
	}
}

// save asks for a name for the response: what is being written, or what was sent.
func (p *Pane) save(e *entry) action.Action {
	result := e.req.Result
	if e.waits() {
		if result = e.result(); result == nil {
			result = e.unchecked()
		}
		e.said, e.warnedJSON = "", nil
	}
	if e.asJSON && e.waits() {
		result = []byte(e.json.Value())
	}
	if !json.Valid(result) {
		return action.Flash{Text: "There is no response to save that is valid JSON.", Wrong: true}
	}
	p.Responses.Save(e.req.Method, schemaform.Compact(result))
	return nil
}

// Caller is the tab of the call whose request has got its response, once no other
// request waits for the user; empty otherwise.
func (p *Pane) Caller() command.ID {
	for _, e := range p.order {
		if e.waits() && !e.sent && !e.req.Sampling() {
			return ""
		}
	}
	tab := p.caller
	p.caller = ""
	return tab
}

// edited takes the text of the user's editor.
func (e *entry) edited(text string) {
	switch {
	case e.asJSON:
		e.json.SetValue(text)
	case e.kind == sampling:
		e.text.SetValue(text)
	default:
		e.json.SetValue(text)
		e.asJSON = true
		e.fromJSON() // back into the form where it fits
	}
}

// Click selects a request, opens the selected one, or puts the text cursor into the
// response.
func (p *Pane) Click(x, y int) action.Action {
	hit, e := p.view.Click(x, y), p.selected()
	switch {
	case hit == masterdetail.Selected:
		p.caller = ""
	case hit == masterdetail.Again:
		return p.open(e)
	case hit == masterdetail.OnDetail && p.response.Has(x, y) && e.writable():
		p.view.Focus = masterdetail.InDetail
		x, y = x-p.response.X, y-p.response.Y
		switch {
		case e.asJSON:
			e.json.Click(x, y)
		case e.kind == form:
			e.draft.Click(x, y)
		default:
			e.text.Click(x, y)
		}
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if e := p.selected(); !p.view.Scroll(x, y, n) && e != nil && p.view.Detail().Has(x, y) {
		e.view.Move(n)
	}
}

// Cursor is the cell of the text cursor.
func (p *Pane) Cursor() (x, y int, ok bool) {
	at := p.response
	if !p.Typing() || at.H == 0 {
		return 0, 0, false
	}
	ok = true
	switch e := p.selected(); {
	case e.asJSON:
		x, y = e.json.Cursor()
	case e.kind == form:
		x, y, ok = e.draft.Form.Cursor()
	default:
		x, y = e.text.Cursor()
	}
	return x + at.X, y + at.Y, ok && y >= 0 && y < at.H
}

// editFields changes which fields the form has, or what the one with the focus is. It
// returns why that is not possible.
func (e *entry) editFields(id command.ID) (why string) {
	if e.kind != form || e.asJSON {
		return "this works in a form"
	}
	switch id {
	case command.AddItem:
		return e.draft.AddItem()
	case command.RemoveItem:
		return e.draft.RemoveItem()
	case command.MoveItemUp:
		return e.draft.MoveItem(-1)
	case command.MoveItemDown:
		return e.draft.MoveItem(1)
	case command.CycleEmpty:
		return e.draft.CycleEmpty()
	}
	return e.draft.ToggleValueJSON()
}
