package detail

import (
	"mcptea/client/jsonrpc"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.Name) command.Action {
	switch name {
	case command.Back:
		if !p.query.Empty() {
			p.query.SetValue("")
			p.find()
			return nil
		}
		return command.Leave{}
	case command.DetailView:
		p.nextMode()
		return nil
	case command.DetailPair:
		return command.OtherOfPair(p.source.Store(), p.row)
	case command.ExplainIt:
		return command.ExplainRow{Row: p.row, AsHTTP: p.mode == HTTP}
	case command.DetailWhy:
		p.why = !p.why
		return nil
	case command.TrafficResend, command.TrafficEdit:
		return command.OnFrame(p.source.Store(), p.row, name)
	}
	if p.view == nil {
		return nil
	}
	switch p.mode {
	case Tree, Pair:
		return p.onTree(name)
	case HTTP:
		p.scrollHTTP(name)
	default:
		command.Scroll(p.hex, name)
	}
	if name == command.DetailCopy {
		return command.Copy{Text: string(p.body), What: "frame"}
	}
	return nil
}

func (p *Pane) onTree(name command.Name) command.Action {
	v := p.view
	if command.Fold(v, name) || command.Scroll(v, name) {
		return nil
	}
	switch name {
	case command.DetailSearch:
		p.searching = true
	case command.DetailNext:
		v.SearchNext()
	case command.DetailPrev:
		v.SearchPrev()
	case command.DetailCopy:
		return command.Copy{Text: string(v.Value()), What: "value"}
	case command.DetailPath:
		return command.Copy{Text: paint.Sanitize(v.Path()), What: "path " + paint.Cut(paint.Sanitize(v.Path()), 40)}
	case command.DetailFilter:
		return command.Filter{Text: filterFor(v.Value())}
	}
	return nil
}

// filterFor makes a filter of one value.
func filterFor(value []byte) string {
	text, ok := jsonrpc.Unquote(value)
	if !ok {
		text = string(value)
	}
	const most = 60
	if len(text) > most {
		text = text[:most]
	}
	return `"` + text + `"`
}

func (p *Pane) scrollHTTP(name command.Name) {
	if name == command.Bottom {
		return // its length is known when it is painted
	}
	by, _ := command.Steps(name, p.height, p.height/2, p.scroll)
	p.scroll = max(0, p.scroll+by)
}

// Scroll moves by lines, as the wheel does.
func (p *Pane) Scroll(n int) {
	switch {
	case p.view == nil:
	case p.mode == Tree || p.mode == Pair:
		p.view.Scroll(n)
	case p.mode == HTTP:
		p.scroll = max(0, p.scroll+n)
	default:
		p.hex.Move(n)
	}
}

// Click moves to the line painted at a cell of the pane.
func (p *Pane) Click(x, y int) {
	if p.view != nil && (p.mode == Tree || p.mode == Pair) {
		p.view.Click(x, y)
	}
}
