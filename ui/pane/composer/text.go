package composer

import (
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema/variables"
	"mcptea/internal/words/display"
	"mcptea/offer/compose"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// text is the text field of the draft that has the focus.
type text struct{ *Pane }

// Key implements [app.Field].
func (t text) Key(k tea.KeyPressMsg) (taken bool) {
	c := &t.candidates
	switch {
	case k.Mod == tea.ModCtrl && k.Code == 'j': // sends the frame; not a line feed
		return false
	case t.opening != nil:
		return k.Text != "" // the text is still being read
	case c.open() && (k.Code == tea.KeyUp || k.Code == tea.KeyDown):
		n := c.list.Len()
		step := 1
		if k.Code == tea.KeyUp {
			step = n - 1
		}
		c.list.SelectIndex((c.list.Index() + step) % n)
		return true
	case k.Code == tea.KeyEnter && c.open():
		t.insert(true)
		return true
	case k.Code == tea.KeyEnter && t.field != fieldParams:
		t.next()
		return true
	case t.field == fieldMethod:
		taken = t.method.Key(k)
	case t.field == fieldID:
		taken = t.id.Key(k)
	default:
		taken = t.params.Key(k)
	}
	if taken {
		t.suggest(len(k.Text) > 0)
	}
	return taken
}

// Paste implements [app.Field]. An object or an array is not a method, so pasting one there replaces the whole
// frame. The candidates were for the text before.
func (t text) Paste(pasted string) {
	t.candidates.close()
	frame := strings.TrimSpace(pasted)
	switch {
	case t.opening != nil:
	case t.field == fieldMethod && !t.raw && strings.IndexAny(frame, "{[") == 0:
		t.ComposeFrame([]byte(frame))
		// It was written with its id, unlike a frame that is sent again.
		if e := jsonrpc.Scan([]byte(frame)); e.Kind == jsonrpc.Request && !t.raw {
			t.idKind = idGiven
			t.id.SetValue(string(e.ID.Of([]byte(frame)).Shown()))
		}
	case t.field == fieldMethod:
		t.method.Paste(pasted)
	case t.field == fieldID:
		t.id.Paste(pasted)
	default:
		t.params.Paste(pasted)
	}
}

// PasteFrame handles text pasted while no text field had the focus: a frame replaces the draft, anything else
// is inserted at the cursor.
func (p *Pane) PasteFrame(pasted string) {
	p.enter(ofDraft)
	if strings.IndexAny(strings.TrimSpace(pasted), "{[") == 0 {
		p.field = fieldMethod
	}
	text{p}.Paste(pasted)
}

// move moves between the fields. In the first row of the text, up opens the history.
func (p *Pane) move(m keys.Motion) bool {
	first := p.field == fieldMethod || p.raw
	switch {
	case m == keys.Next && p.candidates.open():
		p.insert(false)
	case m == keys.Back && p.candidates.open():
		p.candidates.close()
	case (m == keys.Next || m == keys.Down) && p.field != fieldParams:
		p.next()
	case (m == keys.Previous || m == keys.Up) && !first:
		p.previous()
	case m == keys.Up:
		p.searchHistory()
	default:
		return false
	}
	return true
}

// candidates holds the texts that can replace the token at the cursor. They are closed if there is no list.
type candidates struct {
	all      []compose.Candidate
	list     widget.List[int]
	from, to int // range that they replace
	of       int // number of candidates before filtering by the typed text
	label    int // cells of the labels
	detail   int // width of the texts next to them
}

func (c *candidates) init() {
	c.list.Items = widget.Items[int]{
		Len: func() int { return len(c.all) }, Key: func(i int) int { return i },
		Row: c.row,
	}
}

func (c *candidates) open() bool { return len(c.all) > 0 }
func (c *candidates) close()     { c.set(nil, 0, 0, 0) }

func (c *candidates) set(list []compose.Candidate, from, to, of int) {
	c.all, c.from, c.to, c.of = list, from, to, of
	c.list.SelectIndex(0)
	c.label, c.detail = 0, 0
	for i := range list[:min(len(list), maxCandidates)] {
		c.label = max(c.label, min(display.Width(display.Sanitize(list[i].Label)), 40))
		c.detail = max(c.detail, min(display.Width(display.Sanitize(list[i].Describe())), 76))
	}
}

// suggest looks for candidates at the cursor. While text is being typed, it shows the suggestions that
// help; otherwise it only updates an open list.
func (p *Pane) suggest(typing bool) {
	was := p.candidates.open()
	p.candidates.close()
	if !typing && !was {
		return
	}
	p.find(false)
	// A token that is complete needs no list, unless arguments can follow.
	if c := &p.candidates; len(c.all) == 1 && c.all[0].Form == nil && c.all[0].Text == p.token() {
		c.close()
	}
}

// token returns the text that the candidates replace.
func (p *Pane) token() string {
	if p.field == fieldMethod {
		return p.method.Value()
	}
	return p.params.Head(p.candidates.to)[p.candidates.from:]
}

// maxComplete is the last offset of the cursor with completion, because the text before the cursor is read at
// each key.
const maxComplete = 64 << 10

// find finds the candidates at the cursor. For an empty place, it finds them only on request.
func (p *Pane) find(asked bool) {
	buf := p.params
	switch {
	case p.field == fieldMethod:
		if typed := p.method.Value(); typed != "" || asked {
			all := p.completer.Methods()
			p.candidates.set(compose.Matching(all, typed), 0, len(typed), len(all))
		}
	case p.field == fieldParams && buf.Offset() <= maxComplete && p.opening == nil:
		text := buf.Head(maxComplete)
		at := compose.PlaceAt(text, min(buf.Offset(), len(text)))
		if at.Quoted || at.Typed != "" || asked {
			all := p.completer.Body(compose.Text{JSON: text, Method: p.method.Value(), Raw: p.raw, Meta: p.noMeta}, at)
			p.candidates.set(compose.Matching(all, at.Typed), at.From, at.To, len(all))
		}
	}
}

// complete opens the candidates. If there are none, it moves to the next field.
func (p *Pane) complete() {
	if _, whole := revision.Lookup(p.method.Value()); whole && p.field == fieldMethod {
		p.next()
		return
	}
	p.find(true)
	switch {
	case len(p.candidates.all) == 1:
		p.insert(false)
	case p.candidates.open():
	case p.field != fieldParams:
		p.next()
	default:
		p.app.Say("There is nothing to suggest here.")
	}
}

// insert inserts the selected candidate. If that is the name of a tool or prompt, and the text has no arguments
// yet, it inserts its arguments, too.
func (p *Pane) insert(withArguments bool) {
	s := &p.candidates
	c, from, to := s.all[s.list.Index()], s.from, s.to
	s.close()
	if p.field == fieldMethod {
		p.method.SetValue(c.Text)
		p.next()
		return
	}
	buf := p.params
	text := c.Text
	if c.After == "" {
		text = p.literal(text)
	}
	head := buf.Head(to + 64)
	if c.After != "" && !strings.HasPrefix(strings.TrimLeft(head[min(to, len(head)):], " \t"), ":") {
		text += c.After
	}
	buf.Replace(from, to, text)
	switch {
	case strings.HasSuffix(text, `""`), strings.HasSuffix(text, "{}"), strings.HasSuffix(text, "[]"):
		if c.After != "" {
			buf.SetOffset(from + len(text) - 1)
		}
	case withArguments && c.Form != nil:
		p.addArguments(c)
	}
	if c.After != "" {
		p.suggest(true)
	}
}

// literal returns JSON of the server in the form that is inserted into the text.
func (p *Pane) literal(raw string) string {
	if p.raw {
		return raw
	}
	return string(variables.LiteralJSON([]byte(raw)))
}

// addArguments adds the arguments of a tool or prompt unless there are some. The text must be JSON with its
// name.
func (p *Pane) addArguments(c compose.Candidate) {
	buf := p.params
	text, arguments := buf.Value(), p.literal(string(compose.Template(c.Form())))
	if arguments == "" || !json.Valid([]byte(text)) {
		return
	}
	path := []string{"arguments"}
	if p.raw {
		path = []string{"params", "arguments"}
	}
	raw := []byte(text)
	given, ok := jsonrpc.Member(raw, path[0], path[1:]...)
	switch {
	case ok && jsonrpc.Count(given) > 0:
		return
	case ok:
		at := cap(raw) - cap(given) // given is a part of raw
		buf.Replace(at, at+len(given), arguments)
	default:
		at := buf.Offset()
		buf.Replace(at, at, `,"arguments":`+arguments)
	}
	if !p.raw {
		p.params.Format()
	}
	// Put the cursor inside the first empty string of the arguments.
	text = buf.Value()
	if start := strings.Index(text, `"arguments"`); start >= 0 {
		if gap := strings.Index(text[start:], `""`); gap >= 0 {
			buf.SetOffset(start + gap + 1)
		}
	}
}

// maxCandidates is the number of visible candidates.
const maxCandidates = 8

func (c *candidates) row(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	r.Cell(pal.AccentBold, c.all[i].Label, c.label)
	r.Gap(2)
	r.Put(pal.Muted, pal.Label(c.all[i].Describe(), 200))
}

// paint paints the candidates under the cursor, or over it if there is no room below, within the first w
// columns.
func (c *candidates) paint(on *app.Canvas, p *Pane, w, x, y int) {
	rows := min(len(c.all), maxCandidates)
	h := rows + 3
	if y+1+h > on.H {
		y -= h + 1
	}
	most := w - 4
	w = min(most, 76, max(c.label+c.detail+8, 62))
	box := on.Above(min(x-2, most+2-w), max(y+1, 0), w, h)
	count := fmt.Sprintf("%d of %d", len(c.all), c.of)
	in := box.Box(nil, []paint.Span{{Style: on.Pal.Muted, Text: count}}, true)
	in.Rows(c.list.Paint(on.Pal, in.W, rows, true)...)
	in.Click(0, 0, in.W, rows, func(_, y int) {
		if _, again := c.list.Click(y); again {
			p.insert(true)
		}
	})
	box.Wheel(c.list.Move)
	hints := [][2]string{{on.Names.Name("dialog.accept"), "insert"}, {on.Names.Name("dialog.close"), "close"}}
	if c.all[c.list.Index()].Form != nil {
		hints = [][2]string{{hints[0][0], "insert with arguments"}, {on.Names.Name("pane.next"), "name only"}, hints[1]}
	}
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		for _, h := range hints {
			r.Put(on.Pal.AccentBold, h[0])
			r.Put(on.Pal.Muted, " "+h[1]+"   ")
		}
	})
}
