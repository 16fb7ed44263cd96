package browse

import (
	"cmp"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Paint implements [app.Pane].
func (e *Item) Paint(c *app.Canvas, focused bool) {
	pal, p := c.Pal, e.p
	st := paint.If(focused, pal.TextBold, pal.Text)
	half := max(c.W/2, 8) // maximum width of the name, if there is more in the title
	if e.Change != nil && !p.list.Inside() {
		note, below := p.changeNote(pal, e.Change), []paint.Span(nil)
		if c.W < narrowChange {
			note, below = nil, note
		}
		change := paint.Span{Style: pal.Muted, Text: "  " + changeText(e.Change)}
		const around = 8 // borders and gaps of the title and the note
		room := c.W - around - paint.SpansWidth(note) - paint.SpansWidth([]paint.Span{change})
		name := paint.Span{Style: st, Text: pal.Label(e.item.Label(), max(half, room))}
		d := doc.On(c.Box([]paint.Span{name, change}, note, focused))
		if below != nil {
			d.Row(below...).Give(8, 0)
		}
		e.changeSheet(d, e.Change)
		d.Paint()
		return
	}
	note := e.annotations(pal, pal.Label(e.item.Label(), half), c.W)
	in := c.Box([]paint.Span{{Style: st, Text: pal.Label(e.item.Label(), c.W)}}, note, focused)
	in.ClickText(0, 0, in.W, in.H, func(int, int) { e.focus() })
	beside := e.beside(in.W) && !c.Alone
	d, section := doc.On(in), in
	if beside {
		var left *app.Canvas
		left, section = in.Beside(in.W / 2)
		d = doc.On(left)
	} else if p.list.Inside() && p.inResult && e.shown() != nil && (c.Alone || !e.formFits(in.W, in.H)) {
		if e.Change != nil {
			d.Row(e.changedHint(d, e.Change, focused)...)
		}
		if args := e.shown().sent; args != "" && args != "{}" && in.H > 8 {
			d.Row(paint.Span{Style: pal.Muted, Text: "sent "}, paint.Span{Style: pal.Text, Text: args})
		}
		e.repeatSection(d)
		e.callSection(d, e.callRows(), focused)
		d.Paint()
		return
	}
	if p.list.Inside() && e.Change != nil {
		d.Row(e.changedHint(d, e.Change, focused)...).Give(8, 0)
	}
	e.head(d)
	d.Gap()
	inCall := p.inResult && e.shown() != nil
	inForm := focused && !inCall
	top := e.body(d, inForm)
	d.Gap()
	if e.Warned != nil {
		d.Lines(1, func(r *paint.Row, _ int) {
			e.PutWarning(r, pal, cmp.Or(d.Names.Name(e.checkedFor), d.Names.Name("call.send")))
		})
	}
	e.repeatSection(d)
	if !beside {
		rows := min(e.callRows(), in.H/2)
		if inCall {
			rows = e.callNeeds(in.W, in.H)
		}
		e.callSection(d, rows, focused && inCall)
	}
	if e.shown() == nil && !e.AsJSON {
		d.WhereRoom("schema", e.laidOut)
	}
	d.Paint()
	if beside {
		d = doc.On(section)
		e.callSection(d, e.callRows(), focused && inCall)
		d.Paint()
	}
	if inForm {
		e.dropdown(c, *top)
	}
}

// formFits reports whether the form remains visible above the focused call: it must contain the arguments of the
// call, and both must fit.
func (e *Item) formFits(w, h int) bool {
	const rules = 2
	return !e.differs(e.shown()) && !e.AsJSON && e.callNeeds(w, h)+rules+max(e.Form.Len(), 1) <= h
}

// besideForm is the minimum width for showing the selected call next to the form.
const besideForm = 104

// beside reports whether the selected call is next to the form in a box w cells wide.
func (e *Item) beside(w int) bool { return w >= besideForm && e.shown() != nil }

// Needs returns the number of rows that the item needs: head, form and selected call.
func (e *Item) Needs(s *app.Screen, w, h int) int {
	const border, rule = 2, 2
	w -= border
	beside, call := e.beside(w), 0
	if beside {
		w /= 2
	}
	form := doc.Measure(s, w, h, func(d *doc.Doc) {
		e.head(d)
		d.Gap()
		e.body(d, false)
		e.repeatSection(d)
	})
	if e.shown() != nil {
		call = e.callNeeds(w, h) + rule
	}
	if beside {
		return max(form, call) + border
	}
	return form + call + border
}

// callNeeds returns the number of rows that the selected call needs, without its rule.
func (e *Item) callNeeds(w, h int) int {
	c, rows := e.shown(), e.callRows()
	if c.over && c.crash == nil {
		history := paint.If(len(e.calls) > 1, 1, 0)
		rows = max(rows, c.view.Height(w, h)+len(e.p.besides(c))+history+e.p.remedyCount(c))
	}
	return rows
}

// narrowChange is the minimum width at which the cause fits into the title of a change.
const narrowChange = 68

// head shows the item. If there are few rows, the description shrinks first, then the facts.
func (e *Item) head(d *doc.Doc) {
	it, pal := e.item, d.Pal
	if it.Title != "" && !sameName(it.Title, it.Name) {
		d.Text(pal.TextBold, it.Title, 1)
	}
	if _, ok := e.description.Rows(pal, it.Description, max(d.W-2, 1), 1); !ok {
		d.Text(pal.Muted, it.Description, maxDescription).Give(7, 1)
	} else {
		rows, _ := e.description.Rows(pal, it.Description, max(d.W-2, 1), maxDescription)
		d.Add(len(rows), func(n int) {
			rows, _ := e.description.Rows(pal, it.Description, max(d.W-2, 1), n)
			d.Write(len(rows), func(r *paint.Row, i int) { r.Spans(rows[i]...) })
		}).Give(7, 1)
	}
	for _, f := range e.facts() {
		d.Text(pal.Muted, f, 2).Give(6, 0)
	}
	e.appRows(d)
	e.found(d)
	if it.Invalid != nil {
		d.Text(pal.Error, pal.WarnMark+" "+it.Invalid.Error()+"; not callable, except with --lenient", 2).Give(5, 0)
	}
	if e.Tree.Unclear != "" {
		d.Text(pal.Warn, pal.WarnMark+" "+e.Tree.Unclear, 1).Give(5, 0)
	}
}

// sameName reports whether a title repeats the name.
func sameName(title, name string) bool {
	return strings.EqualFold(strings.NewReplacer("-", " ", "_", " ").Replace(title), strings.NewReplacer("-", " ", "_", " ").Replace(name))
}

// maxDescription bounds the rows of a description.
const maxDescription = 12

// facts returns the remaining facts about an item, one per row.
func (e *Item) facts() []string {
	p, it := e.p, e.item
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
		rows = append(rows, p.subscribedFact(e))
	} else if sub.refused != "" && it.Kind == "resources" {
		rows = append(rows, "subscribe failed: "+sub.refused)
	}
	return rows
}

// annotations returns the note of the box: the annotations of a tool, which are untrusted (specification,
// server / tools).
func (e *Item) annotations(pal *paint.Palette, title string, w int) []paint.Span {
	if e.item.Kind == "templates" {
		return []paint.Span{{Style: pal.Muted, Text: "template"}}
	}
	var words []string
	room := w - display.Width(title) - 10
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
