package browse

import (
	"strconv"

	"mcptea/client"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// send makes the request, or shows what is wrong with it at first.
func (p *Pane) send(key string, e *entry) action.Action {
	if e.reading != nil {
		return action.Flash{Text: "the schema is still being read"}
	}
	if line, _, msg := e.Editor.Verify(); e.AsJSON && msg != "" {
		return action.Flash{Text: "line " + strconv.Itoa(line) + ": " + msg + "; the composer sends text that is not JSON", Wrong: true}
	}
	if paths := e.Paths(); len(paths) > 0 {
		return action.ReadFiles{Ref: p.ref(refFiles, key), Paths: paths}
	}
	kept := e.Unresolved()
	args, fine := e.Check()
	if !fine {
		return nil
	}
	if e.item.Kind == "prompts" && string(args) == "{}" {
		args = nil
	}
	params, err := e.shape.params(e.item, args)
	if err != nil {
		return action.Flash{Text: err.Error(), Wrong: true}
	}
	if w := p.wishOf(e); w.on {
		params = client.AsTask(params, w.ttl)
	}
	e.values = nil
	start := action.Start{Ref: p.ref(refCall, key), Method: e.shape.method, Params: params}
	if string(kept) != "{}" && e.item.Kind != "resources" {
		start.Subject, start.Arguments = p.subject(e), kept
	}
	return start
}

// use fills arguments in.
func (e *entry) use(arguments []byte) {
	e.Use(arguments)
	e.Edited(true)
}

// subject names an item in what is kept from one session to the next: the server by the
// name that it has given, and the item.
func (p *Pane) subject(e *entry) string {
	name := e.item.Name
	if e.item.Kind == "templates" {
		name = e.item.URI
	}
	return p.state.Handshake.Server.Name + " " + name
}

// filesRead takes the files that a call needs, which is sent next.
func (p *Pane) filesRead(key string, ev action.FilesRead) {
	e := p.entries[key]
	for path, content := range ev.Contents {
		e.SetFile(path, content, nil)
	}
	for path, err := range ev.Errors {
		e.SetFile(path, nil, err)
	}
	p.ready = key
}

// Resume returns what the pane goes on with after an event: the call whose files were
// read. It is nil most of the time.
func (p *Pane) Resume() action.Action {
	key := p.ready
	p.ready = ""
	if e := p.entries[key]; key != "" && e != nil {
		return p.send(key, e)
	}
	return nil
}

// editStructure changes which fields the form has, or what the one with the focus is.
func (e *entry) editStructure(id command.ID) action.Action {
	if e.AsJSON {
		return action.Flash{Text: "this works in the form, not in JSON"}
	}
	why := ""
	switch id {
	case command.AddItem:
		why = e.AddItem()
	case command.RemoveItem:
		why = e.RemoveItem()
	case command.MoveItemUp:
		why = e.MoveItem(-1)
	case command.MoveItemDown:
		why = e.MoveItem(1)
	case command.CycleEmpty:
		why = e.CycleEmpty()
	case command.ToggleValueJSON:
		why = e.ToggleValueJSON()
	}
	e.Edited(true)
	if why != "" {
		return action.Flash{Text: why}
	}
	return nil
}

func (e *entry) toggleJSON() action.Action {
	if !e.AsJSON {
		if e.item.Kind == "resources" {
			return action.Flash{Text: "a resource has no arguments"}
		}
		e.ToJSON()
		return nil
	}
	if why := e.ToForm(); why != "" {
		return action.Flash{Text: why, Wrong: true}
	}
	return nil
}

func (p *Pane) edit(key string, e *entry) action.Action {
	if e.item.Kind == "resources" {
		return action.Flash{Text: "a resource has no arguments"}
	}
	return action.Edit{Ref: p.ref(refEdit, key), Text: e.Written(), Suffix: ".json"}
}

// extend gives the pending call more time.
func (e *entry) extend() action.Action {
	if c := e.shown(); c != nil && !c.over {
		return action.ExtendTimeout{ID: c.Last()}
	}
	return action.Flash{Text: "no call is pending"}
}

// cancel gives up the call on show, or the newest one that runs.
func (e *entry) cancel() action.Action {
	if c := e.shown(); c != nil && !c.over {
		return action.Cancel{ID: c.ID}
	}
	for i := len(e.calls) - 1; i >= 0; i-- {
		if !e.calls[i].over {
			return action.Cancel{ID: e.calls[i].ID}
		}
	}
	return action.Flash{Text: "no call is pending"}
}

// pin pins the call on show.
func (e *entry) pin() action.Action {
	c := e.shown()
	if c == nil || !c.over || c.err != nil {
		return action.Flash{Text: "Send the request first: a call is pinned with its response."}
	}
	return action.Pin{Call: c.Call}
}

// compareServers sends the call on show to two servers; without a call it compares what
// they offer.
func (e *entry) compareServers() action.Action {
	c := e.shown()
	if c == nil {
		return action.CompareServers{}
	}
	return action.CompareServers{Method: c.Method, Params: c.Params}
}
