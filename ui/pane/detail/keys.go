package detail

import (
	"unicode"
	"unicode/utf8"

	"mcptea/session/filter"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		if p.query.Clear() {
			p.find()
			return nil
		}
		return action.Leave{}
	case command.SwitchView:
		p.nextMode()
		return nil
	case command.JumpToPair:
		if p.mode == Pair && p.pairOf != nil {
			p.lower = !p.lower // both are on the screen
			return nil
		}
		return frames.OtherOfPair(p.source.Store(), p.row)
	case command.Explain:
		return action.ExplainRow{Row: p.row, AsHTTP: p.mode == HTTP}
	case command.ExplainFindings:
		p.why = !p.why
		return nil
	case command.PinCall:
		return action.Pin{Row: p.row}
	case command.MarkFrame:
		return action.MarkFrame{Row: p.row}
	case command.EditNote:
		return action.EditNote{Row: p.row}
	case command.UnmarkAll:
		return action.MarkFrame{Row: store.None}
	case command.DiffFrames:
		return action.DiffFrames{Row: p.row}
	case command.Resend, command.EditFrame:
		return action.OnFrame{Row: p.row, Command: name}
	}
	if p.view == nil {
		return nil
	}
	switch p.mode {
	case Tree, Pair:
		return p.onTree(name)
	case Sides:
		command.ApplyScroll(&p.both, name)
	case HTTP:
		command.ApplyScroll(&p.exchange, name)
	default:
		command.ApplyScroll(p.hex, name)
	}
	if name == command.CopyValue {
		return action.OnFrame{Row: p.row, Command: command.CopyFrame}
	}
	return nil
}

func (p *Pane) onTree(name command.ID) action.Action {
	v := p.tree()
	if command.ApplyFold(v, name) || command.ApplyScroll(v, name) {
		return nil
	}
	switch name {
	case command.Search:
		p.query.Open()
	case command.NextMatch:
		p.search(v, v.SearchNext())
	case command.PreviousMatch:
		p.search(v, v.SearchPrev())
	case command.CopyValue:
		return action.Copy{Bytes: v.Value(), What: "value"}
	case command.CopyPath:
		return action.Copy{Text: paint.Sanitize(v.Path()), What: "path " + paint.Cut(paint.Sanitize(v.Path()), 40)}
	case command.FilterByValue:
		return action.Filter{Text: filterFor(v.Value())}
	}
	return nil
}

// filterFor makes a filter of one value: of its bytes in the frame, since that is
// where a filter looks. A long value is cut, and so is one in front of bytes that a
// text field cannot keep.
func filterFor(value []byte) string {
	const most = 60
	if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
		value = value[1 : n-1]
	}
	end := 0
	for end < len(value) {
		r, size := utf8.DecodeRune(value[end:])
		if end+size > most || !unicode.IsPrint(r) || r == utf8.RuneError {
			break
		}
		end += size
	}
	return filter.Quote(string(value[:end]))
}

// Scroll moves what is at a row of the painted pane by lines, as the wheel does.
func (p *Pane) Scroll(y, n int) {
	switch {
	case p.view == nil:
	case p.mode == Pair && p.split > 0 && y-1 >= p.split:
		p.pairOf.Scroll(n)
	case p.mode == Tree || p.mode == Pair:
		p.view.Scroll(n)
	case p.mode == Sides:
		p.both.Move(n)
	case p.mode == HTTP:
		p.exchange.Move(n)
	default:
		p.hex.Move(n)
	}
}

// Click moves to the line painted at a cell of the pane.
func (p *Pane) Click(x, y int) {
	switch {
	case p.view == nil || p.mode != Tree && p.mode != Pair:
	case p.mode == Pair && p.split > 0 && y >= p.split:
		p.lower = true
		p.pairOf.Click(x, y-p.split)
	default:
		p.lower = false
		p.view.Click(x, y)
	}
}
