package browse

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session/diff"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/content"
)

// uses are the commands that use content.
var uses = map[command.ID]action.Use{
	command.WriteContent: action.WriteContent, command.PipeContent: action.PipeContent, command.OpenContent: action.OpenContent,
}

// Typing reports whether keys are text here, for the filter or the form.
func (p *Pane) Typing() bool {
	if p.list.Typing() {
		return true
	}
	_, e := p.selected()
	return p.part == inForm && e != nil && !e.bare() || p.searched() != nil
}

// searched is the view whose search is being typed; nil without one.
func (p *Pane) searched() *content.View {
	if p.part != inResult {
		return nil
	}
	if _, e := p.selected(); e != nil && e.shown() != nil {
		if v := e.shown().top(); v != nil && v.Typing() {
			return v
		}
	}
	return nil
}

// Type takes a key before it is looked up among the commands.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	if p.list.Typing() {
		return nil, p.list.Type(k, command.FilterKeys())
	}
	if v := p.searched(); v != nil {
		_, e := p.selected()
		p.watch(e)
		ends := command.FilterKeys()
		if keep := key.Matches(k, ends.Apply); keep || key.Matches(k, ends.Clear) {
			v.EndTyping(keep)
			return nil, true
		}
		return nil, v.Key(k)
	}
	if key, e := p.selected(); e != nil && p.part == inForm && !e.bare() {
		return p.typeForm(key, e, k)
	}
	return nil, false
}

// newLine is the name of the key that starts a line in a text of several lines.
var newLine = tea.KeyPressMsg{Code: tea.KeyEnter}.String()

func (p *Pane) typeForm(key string, e *entry, k tea.KeyPressMsg) (action.Action, bool) {
	name := k.String()
	if e.values != nil {
		if a, taken := p.choose(key, e, k); taken {
			return a, true
		}
	}
	cmd, ok := command.Lookup(command.Form, name)
	switch cmd.ID {
	case command.NextPane:
		if e.AsJSON || !e.Form.Next() {
			return p.step(true), true
		}
		return nil, true
	case command.PreviousPane:
		if e.AsJSON || !e.Form.Prev() {
			return p.step(false), true
		}
		return nil, true
	}
	// Commands of a form come before what an editor would make of the key;
	// enter alone means more than one thing.
	if ok && cmd.Context == command.Form && name != newLine {
		return nil, false
	}
	if e.AsJSON {
		before := e.Editor.Buffer().Version()
		taken := e.Editor.Key(k)
		e.Edited(e.Editor.Buffer().Version() != before)
		return nil, taken || k.Text != ""
	}
	before := e.Form.Version()
	taken := e.Key(k)
	changed := e.Form.Version() != before
	e.Edited(changed)
	if changed && k.Text != "" {
		return p.suggest(key, e, -1), true
	}
	return nil, taken || k.Text != "" // a letter is never a command here
}

// Paste takes pasted text where text can be typed.
func (p *Pane) Paste(s string) {
	if p.list.Paste(s) {
		return
	}
	if v := p.searched(); v != nil {
		v.Paste(s)
		return
	}
	if _, e := p.selected(); e != nil && p.part == inForm {
		if e.AsJSON {
			e.Editor.Paste(s)
		} else {
			e.Paste(s)
		}
		e.Edited(true)
	}
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	key, e := p.selected()
	switch name {
	case command.NextChange:
		return p.nextChange()
	case command.SeeChanges:
		return action.SeeChange{List: strings.Join(p.kind.lists, " ")}
	case command.DiffChange:
		return p.diffChange(key)
	case command.FilterList:
		p.part = inList
		p.list.StartTyping()
		return nil
	case command.RefreshList:
		return action.Fetch{Kind: p.kind.lists[0]}
	case command.NextPane:
		return p.step(true)
	case command.PreviousPane:
		return p.step(false)
	case command.Back:
		return p.back(e)
	}
	if e == nil {
		if name == command.OpenItem {
			return action.Fetch{Kind: p.kind.lists[0]}
		}
		return nil
	}
	switch name {
	case command.OpenItem:
		if c := p.changed[key]; c != nil {
			see := action.SeeChange{List: c.List, Key: c.Key}
			if c.Kind != diff.Removed {
				p.part = inForm
				if e.item.Kind == "resources" {
					see.Then = p.send(key, e)
				}
			}
			return see
		}
		p.part = inForm
		if e.item.Kind == "resources" {
			return p.send(key, e) // reading takes no arguments and changes nothing
		}
	case command.CopyCommand:
		return p.copyCommand(e)
	case command.ComposeItem:
		args, _ := e.Values()
		params, _ := e.shape.params(e.item, args) // what does not work out is what the composer is for
		if w := p.wishOf(e); w.on {
			params = client.AsTask(params, w.ttl)
		}
		return action.Compose{Method: e.shape.method, Params: string(params)}
	case command.Subscribe:
		return p.subscribe(e)
	case command.Complete:
		if p.part == inForm {
			return p.offer(key, e)
		}
	case command.SendCall:
		return p.send(key, e)
	case command.CycleTaskOption:
		return p.nextWish(e)
	case command.ToggleFormJSON:
		return e.toggleJSON()
	case command.ChooseArguments:
		p.Arguments.Choose(e.shape.method, p.subject(e), e.use)
		return nil
	case command.SaveArguments:
		p.Arguments.Save(e.shape.method, p.subject(e), e.Unresolved())
		return nil
	case command.AddItem, command.RemoveItem, command.MoveItemUp, command.MoveItemDown, command.CycleEmpty, command.ToggleValueJSON:
		return e.editStructure(name)
	case command.OpenEditor:
		return p.edit(key, e)
	case command.CancelCall:
		return e.cancel()
	case command.ExtendTimeout:
		return e.extend()
	case command.Resend:
		return p.resend(key, e)
	case command.PinCall:
		return e.pin()
	case command.CompareServers:
		return e.compareServers()
	case command.OpenSource:
		return p.openSource(e)
	case command.Explain:
		return p.explainFinding(e)
	case command.ShowResult:
		if e.shown() == nil {
			return action.Flash{Text: "there is no result yet"}
		}
		p.part = inResult
	default:
		if p.part == inList {
			command.ApplyScroll(&p.list, name)
			return nil
		}
		return p.onResult(e, name)
	}
	return nil
}

// step goes to the next part of the pane, or out of it.
func (p *Pane) step(forward bool) action.Action {
	_, e := p.selected()
	switch {
	case e == nil:
		return action.Leave{Forward: forward}
	case forward && p.part == inList:
		p.part = inForm
	case forward && p.part == inForm && e.shown() != nil:
		p.part = inResult
	case !forward && p.part == inForm:
		p.part = inList
	case !forward && p.part == inResult:
		p.part = inForm
	default:
		return action.Leave{Forward: forward}
	}
	return nil
}

// back is one step back.
func (p *Pane) back(e *entry) action.Action {
	if c := e.onShow(); c != nil && p.part == inResult {
		if v := c.top(); v != nil && v.EndSearch() || c.layers.Pop() {
			return nil
		}
	}
	switch {
	case p.part == inResult && e != nil && !e.bare():
		p.part = inForm
	case p.part != inList:
		p.part = inList
	case p.list.Filter() != "":
		p.list.SetFilter("")
	default:
		return action.Leave{}
	}
	return nil
}

// sideKeys are the keys that move a result sideways.
func (p *Pane) sideKeys() string { return p.key(command.ScrollLeft) + " " + p.key(command.ScrollRight) }

// watch has the calls of an item refreshed until nothing of them is busy.
func (p *Pane) watch(e *entry) {
	key, _ := p.selected()
	p.running[key] = e
}

// onResult does what needs the result on show.
func (p *Pane) onResult(e *entry, name command.ID) action.Action {
	c := e.shown()
	switch {
	case c == nil:
		return nil
	case name == command.PreviousCall:
		e.at = max(e.at-1, 0)
		return nil
	case name == command.NextCall:
		e.at = min(e.at+1, len(e.calls)-1)
		return nil
	case c.top() == nil:
		return nil
	}
	v := c.top()
	if command.ApplyFold(v, name) {
		return nil
	}
	switch name {
	case command.ToggleRaw:
		if !v.Switch() {
			return action.Flash{Text: "no JSON: there was no response"}
		}
		p.watch(e) // it may be parsed in the background
	case command.CopyResult:
		text, raw := v.Whole()
		return action.Copy{Text: text, Bytes: raw, What: "result"}
	case command.DiffFrames:
		if e.at == 0 {
			return action.Flash{Text: "There is no previous call to compare with."}
		}
		old, now := e.calls[e.at-1].rowOf(), c.rowOf()
		if old < 0 || now < 0 {
			return action.Flash{Text: "the frame is not in the traffic"}
		}
		return action.DiffRows{Old: old, New: now}
	case command.MarkFrame:
		if row := c.rowOf(); row >= 0 {
			return action.MarkFrame{Row: row}
		}
		return action.Flash{Text: "The frame is not in Traffic."}
	case command.Search:
		v.StartSearch()
	case command.NextMatch, command.PreviousMatch:
		step := 1
		if name == command.PreviousMatch {
			step = -1
		}
		p.watch(e)
		v.SearchNext(step)
	case command.NextSection:
		v.NextSection(1)
	case command.LastSection:
		v.NextSection(-1)
	case command.ToggleWrap:
		if v.ToggleWrap() {
			return action.Flash{Text: "Long lines are wrapped."}
		}
		return action.Flash{Text: "Long lines are cut. " + p.sideKeys() + " moves sideways."}
	case command.ScrollLeft:
		v.ScrollSide(-1)
	case command.ScrollRight:
		v.ScrollSide(1)
	case command.WriteContent, command.PipeContent, command.OpenContent:
		if name == command.OpenContent && c.crash != nil && c.crash.file != "" {
			return p.openSource(e)
		}
		items, likely := v.Items()
		key, _ := p.selected()
		return action.UseContent{How: uses[name], Items: items, Likely: likely, Ref: p.ref(refContent, key)}
	case command.ShowResultFrame:
		if links := v.Links(); len(links) > 0 && !v.Raw() {
			key, _ := p.selected()
			return action.FollowLink{Links: links, Ref: p.ref(refContent, key)}
		}
		if row := c.rowOf(); row >= 0 {
			return action.SelectFrame{Row: row}
		}
		return action.Flash{Text: "the frame is not in the traffic"}
	default:
		command.ApplyScroll(v, name)
	}
	return nil
}
