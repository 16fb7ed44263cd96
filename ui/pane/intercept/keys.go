package intercept

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/session/intercept"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		return action.Leave{}
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.ForwardAll:
		if len(p.state.Held) == 0 {
			return action.Flash{Text: "No frame is held."}
		}
		return action.ForwardAll{}
	case command.InjectFault:
		return action.EditFault{}
	}
	at := p.selected()
	switch {
	case at.id == 0 || command.ApplyScroll(&p.view.List, name):
		return nil
	case at.kind == held:
		return p.onHeld(name, p.heldFrame(at.id))
	case at.kind == gone:
		return p.onKept(name, p.keptText(at.id))
	case at.kind == breakpoint:
		return p.onBreakpoint(name, int(at.id))
	}
	return p.onFault(name, int(at.id))
}

// maxEdited is the size of a frame up to which it can be edited, in bytes.
const maxEdited = 4 << 20

// onHeld decides about a held frame.
func (p *Pane) onHeld(name command.ID, h *intercept.Held) action.Action {
	decide := func(a intercept.Action) action.Action {
		return action.Decide{ID: h.ID, Decision: intercept.Decision{Action: a, Bytes: p.edited[h.ID]}}
	}
	switch name {
	case command.ForwardFrame:
		return decide(intercept.Forward)
	case command.ForwardReceived:
		return action.Decide{ID: h.ID, Decision: intercept.Decision{Action: intercept.Forward}}
	case command.DropFrame:
		return decide(intercept.Drop)
	case command.DuplicateFrame:
		return decide(intercept.Duplicate)
	case command.DelayFrame:
		return action.DelayHeld{ID: h.ID, Bytes: p.edited[h.ID]}
	case command.EditHeld:
		if size := len(p.bytes(h)); size > maxEdited {
			return action.Flash{Text: "This frame of " + paint.HumanSize(int64(size)) + " is too large to edit here.", Wrong: true}
		}
		return action.EditHeld{ID: h.ID, Name: nameOf(h), Bytes: p.draft(h.ID, false, p.bytes(h))}
	case command.UndoEdit:
		p.SetEdited(h.ID, h.Bytes)
	case command.RespondToHeld:
		if h.Kind != jsonrpc.Request {
			return action.Flash{Text: "Only a request can be responded to."}
		}
		frame := append([]byte(`{"jsonrpc":"2.0","id":`), h.MessageID...)
		return action.EditHeld{ID: h.ID, Name: nameOf(h), Bytes: p.draft(h.ID, true, append(frame, `,"result":{}}`...)), Respond: true}
	case command.CopyFrame:
		return action.Copy{Text: string(p.bytes(h)), What: "frame"}
	case command.ShowHeldFrame:
		if h.Row == store.None {
			return action.Flash{Text: "The frame is in Traffic when it is sent."}
		}
		return action.SelectFrame{Row: h.Row}
	}
	return nil
}

func (p *Pane) onBreakpoint(name command.ID, id int) action.Action {
	all := slices.Clone(p.state.Breakpoints)
	i := slices.IndexFunc(all, func(b intercept.Breakpoint) bool { return b.ID == id })
	switch {
	case i < 0:
		return nil
	case name == command.OpenEntry:
		return action.EditBreakpoint{ID: id, Filter: all[i].Filter}
	case name == command.ToggleEntry:
		all[i].Disabled = !all[i].Disabled
	case name == command.RemoveEntry:
		all = slices.Delete(all, i, i+1)
	default:
		return nil
	}
	return action.SetBreakpoints{List: all}
}

func (p *Pane) onFault(name command.ID, id int) action.Action {
	all := slices.Clone(p.state.Faults)
	i := slices.IndexFunc(all, func(f intercept.Fault) bool { return f.ID == id })
	switch {
	case i < 0:
		return nil
	case name == command.OpenEntry:
		return action.EditFault{ID: id, Fault: all[i]}
	case name == command.ToggleEntry:
		all[i].Disabled = !all[i].Disabled
	case name == command.RemoveEntry:
		all = slices.Delete(all, i, i+1)
	default:
		return nil
	}
	return action.SetFaults{List: all}
}

// Click selects an entry.
func (p *Pane) Click(x, y int) action.Action {
	if p.view.Click(x, y) == masterdetail.Again && p.selected().kind != held {
		return p.Do(command.ToggleEntry)
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if !p.view.Scroll(x, y, n) && p.tree != nil {
		p.tree.Scroll(n)
	}
}
