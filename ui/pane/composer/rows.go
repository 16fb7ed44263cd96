package composer

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// geometry is where the parts were painted last, for the mouse and the cursor.
type geometry struct {
	method, id, params int  // rows inside of the box of the draft; -1 for a part that is not there
	response           int  // the row in which the box of the response begins
	malform, history   area // the lists; zero where one is not shown
	over               bool // a list is over the draft
}

// area is a part of the pane, in cells.
type area struct{ x, y, w, h int }

func (a area) has(x, y int) bool { return x >= a.x && x < a.x+a.w && y >= a.y && y < a.y+a.h }

// The sizes from which the lists of malformations and of the history have a place of
// their own, and the response its own box.
const (
	minSide, sideWidth = 100, 38
	minResponse        = 16
)

// Height is how many rows the pane takes while another pane has the focus, its border
// included. With the focus it takes the whole window.
func (p *Pane) Height() int { return 4 }

// Paint draws the pane with its border: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.hasCursor = false
	if h <= p.Height() || !focused && h < minResponse {
		return p.summary(pal, w, h, focused)
	}
	side := w >= minSide && h >= minResponse
	left := w
	if side {
		left = w - sideWidth
	}
	reply := 0
	if p.call != nil || p.repeat.running != nil {
		reply = p.responseHeight(h)
	}
	rows := p.draftBox(pal, js, left, h-reply, focused)
	p.at.response = len(rows)
	if reply > 0 {
		rows = append(rows, p.responseBox(pal, js, left, reply)...)
	}
	if focused && p.suggestions.open() && p.hasCursor {
		box := p.suggestionRows(pal, min(left-4, 76))
		x := min(max(p.cursor[0]-2, 2), left-2-paint.Width(box[0]))
		y := p.cursor[1] + 1
		if y+len(box) > h {
			y = max(p.cursor[1]-len(box), 0)
		}
		rows = paint.Overlay(rows, box, x, y)
	}
	if side {
		lower := min(max(h*2/5, 8), h-8)
		p.at.malform = area{left, 0, sideWidth, h - lower}
		p.at.history = area{left, h - lower, sideWidth, lower}
		right := p.malformRows(pal, sideWidth, h-lower)
		right = append(right, p.history.rows(p, pal, sideWidth, lower)...)
		if p.history.open && focused {
			p.setCursor(left+2+p.filterCursor, h-lower+1)
		}
		return paint.JoinSide(rows, right)
	}
	return p.dialog(pal, rows, w, h, focused)
}

// dialog lays an open list over the draft of a narrow window.
func (p *Pane) dialog(pal *paint.Palette, rows []string, w, h int, focused bool) []string {
	width, height := min(w-4, 64), min(h-2, 20)
	x, y := (w-width)/2, max((h-height)/2, 0)
	switch {
	case p.malform.open:
		p.at.malform, p.at.over = area{x, y, width, height}, true
		return paint.Overlay(rows, p.malformRows(pal, width, height), x, y)
	case p.history.open:
		p.at.history, p.at.over = area{x, y, width, height}, true
		rows = paint.Overlay(rows, p.history.rows(p, pal, width, height), x, y)
		if focused {
			p.setCursor(x+2+p.filterCursor, y+1)
		}
	}
	return rows
}

// responseHeight is how many rows the response takes of h.
func (p *Pane) responseHeight(h int) int {
	want := 6
	if r := p.outcome(); r != nil {
		want = len(r.lines) + 5
		if r.what != "" && r.also != "" {
			want++
		}
	}
	return max(min(want, h*2/5, h-8), 4)
}

// maxSummary is how many bytes of the params are put on one line.
const maxSummary = 4 << 10

// summary is what shows while another pane has the focus.
func (p *Pane) summary(pal *paint.Palette, w, h int, focused bool) []string {
	p.at = geometry{method: -1, id: -1, params: h, response: h}
	r := pal.Row()
	r.Start(w-4, paint.Style{})
	cmd, _ := command.Named(command.Compose)
	r.Right(hint(pal, cmd.Key(true), "edit")...)
	if p.raw {
		r.Put(pal.Accent, "raw bytes  ")
		r.Put(pal.Text, shortened([]byte(p.params.Buffer().Head(w*4)), w))
	} else {
		r.Put(pal.Text, p.method.Value()+"  ")
		r.PutBytes(pal.Muted, oneLine(p.params.Buffer().Head(maxSummary)))
	}
	body := []string{r.String()}
	if p.call != nil && h > 3 {
		r.Start(w-4, paint.Style{})
		if out := p.outcome(); out != nil {
			r.Spans(p.responseNote(pal, out)...)
		} else {
			r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" waiting")
		}
		body = append(body, r.String())
	}
	return paint.Box(pal, w, h, focused, title(pal, "Compose", focused), nil, padded(body))
}

// draftBox paints the draft: the form or the bytes, what is sent, and the warnings.
func (p *Pane) draftBox(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	inner := w - 4
	p.at = geometry{method: -1, id: -1}
	body := []string{p.optionsRow(pal, inner)}
	if !p.raw {
		p.at.method = len(body)
		body = append(body, p.methodRow(pal, inner, len(body), focused))
		if p.idKind == idGiven {
			p.at.id = len(body)
			body = append(body, p.idRow(pal, inner, len(body), focused))
		}
		if row, ok := p.metaRow(pal, inner); ok {
			body = append(body, row)
		}
	}
	foot := p.foot(pal, inner, h)
	room := h - 2 - len(body) - len(foot)
	p.at.params = len(body)
	if room > 0 {
		top := len(body)
		on := focused && p.focus == fieldParams && !p.history.open && !p.malform.open && !p.repeat.open
		body = append(body, p.params.Rows(pal, js, inner, room, focused && p.focus == fieldParams)...)
		if x, y := p.params.Cursor(); on && p.opening == nil {
			p.setCursor(x+2, y+top+1)
		}
	}
	body = append(body, foot...)
	if p.repeat.open && focused {
		p.setCursor(2+p.fieldCursor, len(body))
	}
	listOpen := p.history.open || p.malform.open
	return paint.Box(pal, w, h, focused && !listOpen, title(pal, "Compose", focused), p.note(pal), padded(body))
}

func (p *Pane) setCursor(x, y int) { p.cursor, p.hasCursor = [2]int{x, y}, true }

// Cursor is where the text cursor is.
func (p *Pane) Cursor() (x, y int, ok bool) { return p.cursor[0], p.cursor[1], p.hasCursor }

// optionsRow names the choices and the keys that change them.
func (p *Pane) optionsRow(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	option := func(id command.ID, name, value string, st paint.Style) {
		if r.Used() > 0 {
			r.Gap(3)
		}
		if r.Left() < len(name)+len(value)+8 {
			return
		}
		r.Put(pal.AccentBold, command.KeyIn(command.Composer, id, true))
		r.Put(pal.Muted, " "+name+" ")
		r.Put(st, value)
	}
	if p.raw {
		option(command.ToggleRawBytes, "edit", "raw bytes", pal.Accent)
	} else {
		option(command.ToggleRawBytes, "edit", "form", pal.Text)
		option(command.CycleID, "id", p.idText(), pal.Text)
		value, st := "none", pal.Text
		if p.malformed > 0 {
			value, st = jsonrpc.Mutations()[p.malformed-1].Summary, pal.Warn
		}
		option(command.Malform, "malform", value, st)
	}
	option(command.SendRepeatedly, "send", "once", pal.Text)
	return r.String()
}

func (p *Pane) idText() string {
	if p.idKind == idAuto && p.autoID() != "" {
		return "auto, " + string(p.reserved)
	}
	return idNames[p.idKind]
}

func (p *Pane) methodRow(pal *paint.Palette, w, y int, focused bool) string {
	on := focused && p.focus == fieldMethod
	r := pal.Row()
	ground := paint.Style{}
	if on {
		ground = pal.Field
	}
	r.Start(w, ground)
	r.Put(pal.Accent, pal.Prompt+" ")
	if p.method.Empty() {
		r.Put(pal.Muted, "method, such as tools/call")
	} else {
		n := r.Left()
		r.Painted(p.method.Rows(pal, ground, n, 1, edit.Plain(pal.TextBold))[0], n)
	}
	if on && !p.history.open && !p.malform.open && !p.repeat.open {
		x, _ := p.method.Cursor()
		p.setCursor(x+4, y+1)
	}
	return r.String()
}

func (p *Pane) idRow(pal *paint.Palette, w, y int, focused bool) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Put(pal.Muted, "id ")
	field := p.id.Rows(pal, pal.Field, 24, 1, edit.Plain(pal.Text))
	r.Painted(field[0], 24)
	r.Put(pal.Muted, "  sent as ")
	r.Put(pal.Value, string(idToken(p.id.Value())))
	if x, _ := p.id.Cursor(); focused && p.focus == fieldID {
		p.setCursor(x+5, y+1)
	}
	return r.String()
}

// note is in the upper border: what the frame is and whether it is JSON.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	kind := "request"
	switch {
	case p.raw:
		kind = paint.HumanSize(int64(p.params.Buffer().Size())) + p.endsWith()
	case p.idKind == idNone:
		kind = "notification"
	}
	spans := []paint.Span{{Style: pal.Muted, Text: kind}}
	add := func(st paint.Style, text string) {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: " " + pal.Separator + " "}, paint.Span{Style: st, Text: text})
	}
	if p.malformed > 0 {
		add(pal.Warn, "malformed")
	}
	switch _, _, problem := p.params.Problem(); {
	case problem == "":
	case strings.HasPrefix(problem, "Unexpected end"), strings.HasPrefix(problem, "String not closed"):
		add(pal.Warn, "incomplete JSON")
	case strings.HasPrefix(problem, "Byte"):
		add(pal.Warn, "invalid UTF-8")
	default:
		add(pal.Warn, "invalid JSON")
	}
	return spans
}

// endsWith says what the transport adds to the bytes of a frame.
func (p *Pane) endsWith() string {
	if p.isStdio() {
		return `, ends with \n`
	}
	return ""
}

// Press puts the cursor where the mouse points, or selects in a list. Beside a list it
// closes that.
func (p *Pane) Press(x, y int) action.Action {
	p.suggestions = suggestions{}
	switch {
	case p.at.malform.has(x, y):
		p.pressMalformation(y - p.at.malform.y - 1)
		return nil
	case p.at.history.has(x, y):
		return p.pressPast(y - p.at.history.y - 1)
	}
	p.history.open, p.malform.open = false, false
	if p.at.over || y >= p.at.response {
		return nil
	}
	x, y = x-2, y-1
	switch {
	case y < 0:
	case y == p.at.method:
		p.focus = fieldMethod
		p.method.Click(max(x-2, 0), 0)
	case y == p.at.id:
		p.focus = fieldID
	case y >= p.at.params:
		p.focus = fieldParams
		p.params.Click(x, y-p.at.params)
	}
	return nil
}

// Scroll turns the wheel by n rows over a cell.
func (p *Pane) Scroll(x, y, n int) {
	switch {
	case p.suggestions.open():
		p.suggestions.move(n, len(p.suggestions.list))
	case p.malform.open || p.at.malform.has(x, y):
		p.malform.scroll(n, len(jsonrpc.Mutations())+1)
	case p.history.open || p.at.history.has(x, y):
		p.history.scroll(n, len(p.history.shown()))
	case y >= p.at.response:
		p.response.top = max(p.response.top+n, 0)
	default:
		p.params.Scroll(n)
	}
}

// pressMalformation chooses the malformation in a row of the list.
func (p *Pane) pressMalformation(row int) {
	if i := p.malform.top + row; row >= 0 && row < p.malform.rows {
		p.applyMalformation(i)
		p.malform.at = i
	}
}

// pressPast selects the frame in a row of the history; a second click inserts it.
func (p *Pane) pressPast(row int) action.Action {
	h := &p.history
	if h.open {
		row-- // the filter
	}
	i := h.top + row
	shown := h.shown()
	if row < 0 || i >= len(shown) {
		return nil
	}
	if h.open && h.at == i {
		return p.insertPast(shown[i])
	}
	if !h.open {
		p.openHistory()
	}
	h.at = i
	return nil
}

// hint names a key and what it does.
func hint(pal *paint.Palette, key, text string) []paint.Span {
	return []paint.Span{{Style: pal.AccentBold, Text: key}, {Style: pal.Muted, Text: " " + text}}
}

func title(pal *paint.Palette, text string, focused bool) []paint.Span {
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	return []paint.Span{{Style: st, Text: text}}
}

// padded puts a blank at both sides of each row.
func padded(rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = " " + row + " "
	}
	return out
}

func metaKey() string { return command.KeyIn(command.Composer, command.ToggleMeta, true) }
