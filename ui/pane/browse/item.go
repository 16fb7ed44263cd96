package browse

import (
	"strings"

	"mcptea/session"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// sheet is the inside of the item box while it is painted.
type sheet struct{ paint.Sheet }

func (p *Pane) itemBox(pal *paint.Palette, js paint.JSONStyles, e *entry, x, w, h int, focused bool) []string {
	if e == nil {
		s := &sheet{paint.NewSheet(pal, w-2, h-2)}
		p.noItems(s)
		return paint.Box(pal, w, h, focused, nil, nil, s.Rows)
	}
	p.area.item = rect{x + 1, 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	name := pal.Label(nameOf(e.item), max(w/2, 8))
	title := []paint.Span{{Style: st, Text: name}}
	s := &sheet{paint.NewSheet(pal, w-2, h-2)}
	change := p.changed[p.selectedKey()]
	if change != nil && p.part == inList {
		p.changeSheet(s, change)
		var note []paint.Span
		if w >= narrowChange {
			note = p.changeNote(pal, change)
		}
		return paint.Box(pal, w, h, focused, append(title, paint.Span{Style: pal.Muted, Text: "  " + p.changeText(change)}), note, s.Rows)
	}
	if p.part == inResult && e.shown() != nil {
		p.resultSheet(s, js, e, focused)
	} else {
		p.formSheet(s, js, e, focused)
	}
	return paint.Box(pal, w, h, focused, title, p.annotations(pal, e, name, w), s.Rows)
}

// narrowChange is the width from which the title of a change has room for its cause.
const narrowChange = 64

// noItems says beside an empty list what that can come from.
func (p *Pane) noItems(s *sheet) {
	list := p.kind.lists[0]
	if len(p.items) > 0 || p.state.Phase != session.Ready || p.loading() || p.failure() != nil || !p.state.Lists[list].Offered {
		return
	}
	s.Text(s.Pal.TextBold, list+"/list returned an empty list.", 2)
	s.Text(s.Pal.Text, "The server declares the capability \""+list+"\", but has registered none for this client.", 3)
	s.Blank()
	for _, text := range []string{
		"Register the " + p.kind.noun + " before the server connects, or send notifications/" + list + "/list_changed afterwards.",
		"Check whether they depend on a configuration, an environment variable or a token that is missing: see the log of the server.",
	} {
		for i, line := range s.Pal.WrapMost(text, max(s.W-4, 1), 3) {
			s.Line(func(r *paint.Row) {
				if i == 0 {
					r.Put(s.Pal.OK, s.Pal.ArrowOut)
				}
				r.To(3)
				r.Put(s.Pal.Text, line)
			})
		}
	}
	s.Blank()
	hint := func(id command.ID) paint.Hint { return paint.Hint{Key: p.key(id), Label: labelOf(id)} }
	s.Hints(2, hint(command.RefreshList), hint(command.Restart), hint(command.TabLogs), hint(command.Compose))
}

func labelOf(id command.ID) string {
	c, _ := command.Named(id)
	return c.Label()
}

// resultSheet gives all the room to the result.
func (p *Pane) resultSheet(s *sheet, js paint.JSONStyles, e *entry, focused bool) {
	if args := e.shown().sent; args != "" && args != "{}" && s.H > 8 {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, "sent ")
			r.Put(s.Pal.Text, args)
		})
	}
	p.callSection(s, js, e, focused)
}

// formSheet stacks what the item is, its form, the hints, and the call on show.
// When it gets tight the empty rows go first, then the description, and then
// the form scrolls.
func (p *Pane) formSheet(s *sheet, js paint.JSONStyles, e *entry, focused bool) {
	call := 0
	if c := e.shown(); c != nil {
		call = 6
		if !c.over {
			call = 3
		}
		if len(e.calls) > 1 {
			call++
		}
		call = min(call, s.H/2)
	}
	body := p.bodyHeight(s, e, call)
	room := s.H - call - body - 1 // the hints
	gaps := 0
	if room >= 8 {
		gaps = 1
	}
	p.head(s, e, max(room-2*gaps, min(2, s.H/4)))
	if gaps > 0 {
		s.Blank()
	}
	p.body(s, js, e, min(body, max(s.Left()-call-1-gaps, 1)), focused)
	if gaps > 0 {
		s.Blank()
	}
	p.hints(s, e, focused)
	if call > 0 && s.Left() > call+1 && gaps > 0 {
		s.Blank()
	}
	p.callSection(s, js, e, false)
	p.dropdown(s, e)
}

// head says what the item is, in at most n rows.
func (p *Pane) head(s *sheet, e *entry, n int) {
	it := e.item
	p.changedHint(s)
	end := len(s.Rows) + n
	room := func() int { return end - len(s.Rows) }
	if it.Title != "" && it.Title != it.Name && room() > 0 {
		s.Text(s.Pal.TextBold, it.Title, 1)
	}
	facts := p.facts(e)
	below := min(len(facts), max(room()-1, 0))
	p.description(s, e, min(room()-below, 12))
	for _, f := range facts[:below] {
		s.Text(s.Pal.Muted, f, 1)
	}
	if it.Invalid != nil && room() > 0 {
		s.Text(s.Pal.Error, s.Pal.WarnMark+" "+it.Invalid.Error()+"; not callable, except with --lenient", 2)
	}
	if e.Tree.Unclear != "" && room() > 0 {
		s.Text(s.Pal.Warn, s.Pal.WarnMark+" "+e.Tree.Unclear, 1)
	}
}

// description says what the item is for, in at most n rows.
func (p *Pane) description(s *sheet, e *entry, n int) {
	rows, ok := e.description.Rows(s.Pal, e.item.Description, max(s.W-2, 1), max(n, 0))
	if !ok {
		s.Text(s.Pal.Muted, e.item.Description, n)
		return
	}
	for _, row := range rows {
		s.Line(func(r *paint.Row) { r.Spans(row...) })
	}
}

// facts are what else is known of an item, a row each.
func (p *Pane) facts(e *entry) []string {
	it := e.item
	facts := e.traits.before
	if s := p.taskFact(e); s != "" {
		facts = append(facts[:len(facts):len(facts)], s)
	}
	facts = append(facts[:len(facts):len(facts)], e.traits.after...)
	var rows []string
	if len(facts) > 0 {
		rows = append(rows, strings.Join(facts, "   "))
	}
	if sub := p.subscribed[it.URI]; it.Kind == "resources" && sub.on {
		rows = append(rows, p.subscribedFact(it))
	} else if sub.refused != "" && it.Kind == "resources" {
		rows = append(rows, "subscribe failed: "+sub.refused)
	}
	return rows
}

// annotations is the note of the box: the annotations of a tool, which are not
// to be trusted (specification, server / tools).
func (p *Pane) annotations(pal *paint.Palette, e *entry, title string, w int) []paint.Span {
	if e.item.Kind == "templates" {
		return []paint.Span{{Style: pal.Muted, Text: "template"}}
	}
	var words []string
	room := w - paint.Width(title) - 10
	for _, h := range e.traits.hints {
		if room -= len(h.word) + 3; room < 0 {
			break
		}
		words = append(words, h.word)
	}
	if len(words) == 0 {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: strings.Join(words, " "+pal.Separator+" ")}}
}
