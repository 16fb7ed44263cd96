package browse

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/ui/paint"
)

// sheet is the inside of the item box while it is painted.
type sheet struct{ paint.Sheet }

func (p *Pane) itemBox(pal *paint.Palette, js paint.JSONStyles, e *entry, x, w, h int, focused bool) []string {
	if e == nil {
		return paint.Box(pal, w, h, focused, nil, nil, nil)
	}
	p.area.item = rect{x + 1, 1, max(w-2, 0), max(h-2, 0)}
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	title := []paint.Span{{Style: st, Text: pal.Cut(paint.Sanitize(nameOf(e.item)), max(w/2, 8))}}
	s := &sheet{paint.NewSheet(pal, w-2, h-2)}
	if p.part == inResult && e.shown() != nil {
		p.resultSheet(s, js, e, focused)
	} else {
		p.formSheet(s, js, e, focused)
	}
	return paint.Box(pal, w, h, focused, title, p.claims(pal, e, w), s.Rows)
}

// resultSheet gives all the room to the result.
func (p *Pane) resultSheet(s *sheet, js paint.JSONStyles, e *entry, focused bool) {
	if args := e.shown().arguments(); args != "" && args != "{}" && s.H > 8 {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Muted, "sent ")
			r.Foreign(s.Pal.Text, args)
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
	end := len(s.Rows) + n
	room := func() int { return end - len(s.Rows) }
	if it.Title != "" && it.Title != it.Name && room() > 0 {
		s.Text(s.Pal.TextBold, it.Title, 1)
	}
	facts := p.facts(e)
	below := min(len(facts), max(room()-1, 0))
	s.Text(s.Pal.Muted, it.Description, min(room()-below, 12))
	for _, f := range facts[:below] {
		s.Text(s.Pal.Muted, f, 1)
	}
	if it.Invalid != nil && room() > 0 {
		s.Text(s.Pal.Error, s.Pal.WarnMark+" "+it.Invalid.Error()+"; it is kept back, --lenient calls it", 2)
	}
	if e.Schema.Unclear != "" && room() > 0 {
		s.Text(s.Pal.Warn, s.Pal.WarnMark+" "+e.Schema.Unclear, 1)
	}
}

// facts are what else is known of an item, a row each.
func (p *Pane) facts(e *entry) []string {
	it := e.item
	var rows, facts []string
	switch it.Kind {
	case "resources":
		facts = append(facts, it.URI)
		if it.MIME != "" {
			facts = append(facts, it.MIME)
		}
		if n, ok := sizeOf(it); ok {
			facts = append(facts, paint.HumanSize(n))
		}
	case "templates":
		facts = append(facts, it.URI)
		if it.MIME != "" {
			facts = append(facts, it.MIME)
		}
	}
	facts = append(facts, marks(it.Raw)...)
	if n := count(it.Member("icons")); n == 1 {
		facts = append(facts, "1 icon")
	} else if n > 1 {
		facts = append(facts, strconv.Itoa(n)+" icons")
	}
	if s := p.taskFact(e); s != "" {
		facts = append(facts, s)
	}
	if params, err := paramheader.Read(it.Member("inputSchema")); err == nil && len(params) > 0 {
		var names []string
		for _, h := range params {
			names = append(names, h.Header)
		}
		facts = append(facts, "in HTTP headers too: "+strings.Join(names, ", "))
	}
	if e.output != nil {
		var names []string
		for _, f := range e.output.Fields {
			names = append(names, f.Name)
		}
		facts = append(facts, "gives "+strings.Join(names, ", "))
	}
	if len(facts) > 0 {
		rows = append(rows, strings.Join(facts, "   "))
	}
	if sub := p.subscribed[it.URI]; it.Kind == "resources" && sub.on {
		rows = append(rows, p.subscribedFact(it))
	} else if sub.refused != "" && it.Kind == "resources" {
		rows = append(rows, "subscribing did not work: "+sub.refused)
	}
	return rows
}

func marks(raw []byte) []string {
	var facts []string
	if list, ok := jsonrpc.Member(raw, "annotations", "audience"); ok {
		var who []string
		for e := range jsonrpc.Elements(list) {
			who = append(who, loose(e))
		}
		facts = append(facts, "for "+strings.Join(who, " and "))
	}
	if v, ok := jsonrpc.Member(raw, "annotations", "priority"); ok {
		facts = append(facts, "priority "+string(v))
	}
	if s := text(raw, "annotations", "lastModified"); s != "" {
		facts = append(facts, "changed "+s)
	}
	return facts
}

func count(array []byte) int {
	n := 0
	for range jsonrpc.Elements(array) {
		n++
	}
	return n
}

// hint says with what words the annotations of a tool are shown. They are what
// the server claims.
var hint = []struct {
	member, value, word string
	risky               bool
}{
	{"readOnlyHint", "true", "read-only", false},
	{"destructiveHint", "true", "destructive", true},
	{"destructiveHint", "false", "only adds", false},
	{"idempotentHint", "true", "idempotent", false},
	{"openWorldHint", "true", "open world", true},
	{"openWorldHint", "false", "closed world", false},
}

// claims is the note of the box: what the server says of a tool.
func (p *Pane) claims(pal *paint.Palette, e *entry, w int) []paint.Span {
	if e.item.Kind == "templates" {
		return []paint.Span{{Style: pal.Muted, Text: "template"}}
	}
	readOnly := string(e.item.Member("annotations", "readOnlyHint")) == "true"
	var note []paint.Span
	room := w - paint.Width(paint.Sanitize(nameOf(e.item))) - 18
	for _, h := range hint {
		if string(e.item.Member("annotations", h.member)) != h.value {
			continue
		}
		if readOnly && (h.member == "destructiveHint" || h.member == "idempotentHint") {
			continue // they mean something only for what changes things
		}
		if room -= len(h.word) + 2; room < 0 {
			break
		}
		st := pal.OK
		if h.risky {
			st = pal.Warn
		}
		note = append(note, paint.Span{Style: st, Text: "  " + h.word})
	}
	if len(note) > 0 {
		note = append([]paint.Span{{Style: pal.Muted, Text: "claims"}}, note...)
	}
	return note
}
