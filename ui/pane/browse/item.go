package browse

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/ui/paint"
)

// sheet is the inside of the item box while it is painted.
type sheet struct {
	pal  *paint.Palette
	r    *paint.Row
	w, h int
	rows []string
}

func (s *sheet) left() int { return s.h - len(s.rows) }

// line writes a row; what write does not use stays empty.
func (s *sheet) line(write func(r *paint.Row)) {
	s.r.Start(s.w, paint.Style{})
	s.r.Gap(1)
	write(s.r)
	s.rows = append(s.rows, s.r.String())
}

func (s *sheet) blank() { s.line(func(*paint.Row) {}) }

// text writes somebody else's text, in at most n rows.
func (s *sheet) text(st paint.Style, text string, n int) {
	if n <= 0 || text == "" {
		return
	}
	lines := paint.WrapFirst(text, max(s.w-2, 1), n+1)
	for i, line := range lines {
		if i == n {
			break
		}
		if i == n-1 && len(lines) > n {
			line = s.pal.Cut(line, max(s.w-4, 1))
			line = strings.TrimSuffix(line, s.pal.Ellipsis) + s.pal.Ellipsis
		}
		s.line(func(r *paint.Row) { r.Put(st, line) })
	}
}

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
	s := &sheet{pal: pal, r: pal.Row(), w: max(w-2, 0), h: max(h-2, 0)}
	if p.part == inResult && e.shown() != nil {
		p.resultSheet(s, js, e, focused)
	} else {
		p.formSheet(s, js, e, focused)
	}
	return paint.Box(pal, w, h, focused, title, p.claims(pal, e, w), s.rows)
}

// resultSheet gives all the room to the result.
func (p *Pane) resultSheet(s *sheet, js paint.JSONStyles, e *entry, focused bool) {
	if args := e.shown().arguments(); args != "" && args != "{}" && s.h > 8 {
		s.line(func(r *paint.Row) {
			r.Put(s.pal.Muted, "sent ")
			r.Foreign(s.pal.Text, args)
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
		call = min(call, s.h/2)
	}
	body := p.bodyHeight(s, e, call)
	room := s.h - call - body - 1 // the hints
	gaps := 0
	if room >= 8 {
		gaps = 1
	}
	p.head(s, e, max(room-2*gaps, min(2, s.h/4)))
	if gaps > 0 {
		s.blank()
	}
	p.body(s, js, e, min(body, max(s.left()-call-1-gaps, 1)), focused)
	if gaps > 0 {
		s.blank()
	}
	p.hints(s, e, focused)
	if call > 0 && s.left() > call+1 && gaps > 0 {
		s.blank()
	}
	p.callSection(s, js, e, false)
	p.dropdown(s, e)
}

// head says what the item is, in at most n rows.
func (p *Pane) head(s *sheet, e *entry, n int) {
	it := e.item
	end := len(s.rows) + n
	room := func() int { return end - len(s.rows) }
	if it.Title != "" && it.Title != it.Name && room() > 0 {
		s.text(s.pal.TextBold, it.Title, 1)
	}
	facts := p.facts(e)
	below := min(len(facts), max(room()-1, 0))
	s.text(s.pal.Muted, it.Description, min(room()-below, 12))
	for _, f := range facts[:below] {
		s.text(s.pal.Muted, f, 1)
	}
	if it.Invalid != nil && room() > 0 {
		s.text(s.pal.Error, s.pal.WarnMark+" "+it.Invalid.Error()+"; it is kept back, --lenient calls it", 2)
	}
	if e.Schema.Unclear != "" && room() > 0 {
		s.text(s.pal.Warn, s.pal.WarnMark+" "+e.Schema.Unclear, 1)
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
		rows = append(rows, "subscribed: the server tells when it changes")
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
