package browse

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/command"
)

// Typing reports whether keys go to Type first: into the filter or the form,
// and in the result, where the arrows go through the calls.
func (p *Pane) Typing() bool { return p.list.Typing() || p.part != inList }

// Type takes a key before it is looked up among the commands.
func (p *Pane) Type(k tea.KeyPressMsg) (command.Action, bool) {
	if p.list.Typing() {
		return nil, p.list.Key(k)
	}
	key, e := p.selected()
	switch {
	case e == nil:
		return nil, false
	case p.part == inForm:
		return p.typeForm(key, e, k)
	case p.part == inResult:
		return nil, e.typeResult(k.String())
	}
	return nil, false
}

func (p *Pane) typeForm(key string, e *entry, k tea.KeyPressMsg) (command.Action, bool) {
	name := k.String()
	if e.values != nil {
		if a, taken := p.choose(key, e, k); taken {
			return a, true
		}
	}
	switch name {
	case "ctrl+space", "ctrl+@":
		return p.complete(key, e), true
	case "tab":
		if e.asJSON || !e.form.Next() {
			return p.step(true), true
		}
		return nil, true
	case "shift+tab":
		if e.asJSON || !e.form.Prev() {
			return p.step(false), true
		}
		return nil, true
	}
	// Commands of a form come before what an editor would make of the key;
	// enter alone means more than one thing.
	if cmd, ok := command.Lookup(command.Form, name); ok && cmd.Context == command.Form && name != "enter" {
		return nil, false
	}
	if e.bare() {
		return p.typeBare(name)
	}
	if e.asJSON {
		before := e.editor.Buffer().Version()
		taken := e.editor.Key(k)
		e.edited(e.editor.Buffer().Version() != before)
		return nil, taken || k.Text != ""
	}
	before := e.form.Version()
	taken := e.form.Key(k)
	e.edited(e.form.Version() != before)
	return nil, taken || k.Text != "" // a letter is never a command here
}

// edited takes back what was said of the arguments when they have changed.
func (e *entry) edited(changed bool) {
	if changed {
		e.warned, e.said = nil, ""
	}
}

// typeBare finds the commands of the list also where there is nothing to type.
func (p *Pane) typeBare(name string) (command.Action, bool) {
	cmd, ok := command.Lookup(command.Browse, name)
	if !ok {
		return nil, false
	}
	switch cmd.Name {
	case command.BrowseCopy, command.BrowseCompose, command.BrowseFollow, command.BrowseRefresh:
		return p.Do(cmd.Name), true
	}
	return nil, false
}

// typeResult goes through the calls, and folds where the result is a tree.
func (e *entry) typeResult(name string) bool {
	c := e.shown()
	if c != nil && c.view != nil {
		if tree := c.view.Tree(); tree != nil {
			switch name {
			case "left":
				tree.Fold()
				return true
			case "right":
				tree.Unfold()
				return true
			case "space":
				tree.Toggle()
				return true
			}
		}
	}
	switch name {
	case "left", "[":
		e.at = max(e.at-1, 0)
	case "right", "]":
		e.at = min(e.at+1, len(e.calls)-1)
	default:
		return false
	}
	return true
}

// Paste takes pasted text where text can be typed.
func (p *Pane) Paste(s string) {
	if p.list.Paste(s) {
		return
	}
	if _, e := p.selected(); e != nil && p.part == inForm {
		if e.asJSON {
			e.editor.Paste(s)
		} else {
			e.form.Paste(s)
		}
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.Name) command.Action {
	p.seen = p.changes()
	key, e := p.selected()
	switch name {
	case command.BrowseFilter:
		p.part = inList
		p.list.StartTyping()
		return nil
	case command.BrowseRefresh:
		return command.Fetch{Kind: p.kind.lists[0]}
	case command.NextRegion:
		return p.step(true)
	case command.PrevRegion:
		return p.step(false)
	case command.Back:
		return p.back(e)
	}
	if e == nil {
		if name == command.BrowseOpen {
			return command.Fetch{Kind: p.kind.lists[0]}
		}
		return nil
	}
	switch name {
	case command.BrowseOpen:
		p.part = inForm
		if e.item.Kind == "resources" {
			return p.send(key, e) // reading takes no arguments and changes nothing
		}
	case command.BrowseCopy:
		args, _ := e.arguments()
		return command.Copy{Text: commandLine(e, args, p.session.Target()), What: "command"}
	case command.BrowseCompose:
		args, _ := e.arguments()
		params, _ := e.shape.params(e.item, args) // what does not work out is what the composer is for
		return command.Compose{Method: e.shape.method, Params: string(params)}
	case command.BrowseFollow:
		return p.subscribe(e)
	case command.FormSend:
		return p.send(key, e)
	case command.FormSwitch:
		return e.toggleJSON()
	case command.FormEditor:
		return e.edit()
	case command.FormCancel:
		return e.cancel()
	case command.FormResult:
		if e.shown() == nil {
			return command.Flash{Text: "there is no result yet"}
		}
		p.part = inResult
	default:
		if p.part == inList {
			p.moveList(name)
			return nil
		}
		return p.onResult(e, name)
	}
	return nil
}

// step goes to the next part of the pane, or out of it.
func (p *Pane) step(forward bool) command.Action {
	_, e := p.selected()
	switch {
	case e == nil:
		return command.Leave{Forward: forward}
	case forward && p.part == inList:
		p.part = inForm
	case forward && p.part == inForm && e.shown() != nil:
		p.part = inResult
	case !forward && p.part == inForm:
		p.part = inList
	case !forward && p.part == inResult:
		p.part = inForm
	default:
		return command.Leave{Forward: forward}
	}
	return nil
}

// back is one step back.
func (p *Pane) back(e *entry) command.Action {
	switch {
	case p.part == inResult && e != nil && !e.bare():
		p.part = inForm
	case p.part != inList:
		p.part = inList
	case p.list.Filter() != "":
		p.list.SetFilter("")
	default:
		return command.Leave{}
	}
	return nil
}

func (p *Pane) moveList(name command.Name) {
	half := max(p.area.list.h/2, 1)
	switch name {
	case command.Down:
		p.list.Move(1)
	case command.Up:
		p.list.Move(-1)
	case command.PageDown:
		p.list.Page(1)
	case command.PageUp:
		p.list.Page(-1)
	case command.HalfDown:
		p.list.Move(half)
	case command.HalfUp:
		p.list.Move(-half)
	case command.Top:
		p.list.Home()
	case command.Bottom:
		p.list.End()
	}
}

// onResult does what needs the result on show.
func (p *Pane) onResult(e *entry, name command.Name) command.Action {
	c := e.shown()
	if c == nil || c.view == nil {
		return nil
	}
	v := c.view
	switch name {
	case command.ResultSwitch:
		if !v.Switch() {
			return command.Flash{Text: "there is no JSON: nothing was answered"}
		}
	case command.ResultCopy:
		return command.Copy{Text: v.Text(), What: "result"}
	case command.ResultFrame:
		if row := p.frameOf(c); row >= 0 {
			return command.SelectFrame{Row: row}
		}
		return command.Flash{Text: "the frame is not in the traffic"}
	case command.Down:
		v.Move(1)
	case command.Up:
		v.Move(-1)
	case command.PageDown:
		v.Page(1)
	case command.PageUp:
		v.Page(-1)
	case command.HalfDown:
		v.HalfPage(1)
	case command.HalfUp:
		v.HalfPage(-1)
	case command.Top:
		v.Home()
	case command.Bottom:
		v.End()
	}
	return nil
}

// send makes the request, or shows what is wrong with it at first.
func (p *Pane) send(key string, e *entry) command.Action {
	if line, _, msg := e.editor.Problem(); e.asJSON && msg != "" {
		return command.Flash{Text: "line " + number(float64(line)) + ": " + msg + "; the composer sends what is no JSON", Wrong: true}
	}
	args, fine := e.check()
	if !fine {
		return nil
	}
	if e.item.Kind == "prompts" && string(args) == "{}" {
		args = nil
	}
	params, err := e.shape.params(e.item, args)
	if err != nil {
		return command.Flash{Text: err.Error(), Wrong: true}
	}
	e.values = nil
	return command.Start{Method: e.shape.method, Params: params, Then: func(c *session.Call) {
		e.addCall(c)
		p.running[key], p.called[key] = e, e
	}}
}

func (e *entry) toggleJSON() command.Action {
	if !e.asJSON {
		if e.item.Kind == "resources" {
			return command.Flash{Text: "there is nothing to fill in"}
		}
		e.toJSON()
		return nil
	}
	if why := e.toForm(); why != "" {
		return command.Flash{Text: why, Wrong: true}
	}
	return nil
}

func (e *entry) edit() command.Action {
	if e.item.Kind == "resources" {
		return command.Flash{Text: "there is nothing to fill in"}
	}
	args, _ := e.arguments()
	if string(args) == "{}" {
		args = e.schema.Skeleton()
	}
	text := string(args)
	if json.Valid(args) && !e.asJSON {
		text = indented(args)
	} else if e.asJSON && e.editor.Value() != "" {
		text = e.editor.Value()
	}
	return command.Edit{Text: text, Suffix: ".json", Then: e.setJSON}
}

// cancel gives up the call on show, or the newest one that runs.
func (e *entry) cancel() command.Action {
	if c := e.shown(); c != nil && !c.over {
		return command.Cancel{ID: c.ID}
	}
	for i := len(e.calls) - 1; i >= 0; i-- {
		if !e.calls[i].over {
			return command.Cancel{ID: e.calls[i].ID}
		}
	}
	return command.Flash{Text: "no call is running"}
}
