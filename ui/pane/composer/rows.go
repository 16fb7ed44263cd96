package composer

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// Height is how many rows the pane wants, its border included.
func (p *Pane) Height() int {
	rows := 2 + 2 + max(2, min(p.params.Lines(), 8)) // border, method, answer, text
	if p.idKind == idGiven && !p.raw {
		rows++
	}
	if p.method.Completing() {
		rows = max(rows, 11)
	}
	return rows
}

// Paint draws the pane with its border: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	inner := w - 4
	p.hasCursor = false
	var body []string
	if !p.raw {
		body = append(body, p.methodRows(pal, inner, h, focused)...)
		if p.idKind == idGiven {
			body = append(body, p.idRow(pal, inner, len(body), focused))
		}
	}
	foot := p.foot(pal, inner)
	room := h - 2 - len(body) - len(foot)
	if room > 0 {
		top := len(body)
		body = append(body, p.params.Rows(pal, js, inner, room, focused && p.focus == fieldParams)...)
		if x, y := p.params.Cursor(); focused && p.focus == fieldParams {
			p.setCursor(x, y+top)
		}
	}
	body = append(body, foot...)
	for i, row := range body {
		body[i] = " " + row + " "
	}
	return paint.Box(pal, w, h, focused, []paint.Span{{Style: pal.TextBold, Text: "Composer"}}, p.note(pal), body)
}

func (p *Pane) setCursor(x, y int) { p.cursor, p.hasCursor = [2]int{x + 2, y + 1}, true }

// Cursor is where the text cursor stands.
func (p *Pane) Cursor() (x, y int, ok bool) { return p.cursor[0], p.cursor[1], p.hasCursor }

func (p *Pane) methodRows(pal *paint.Palette, w, h int, focused bool) []string {
	on := focused && p.focus == fieldMethod
	rows := p.method.Rows(pal, w, max(1, h-5), on)
	if x, y := p.method.Cursor(); on {
		p.setCursor(x, y)
	}
	return rows
}

func (p *Pane) idRow(pal *paint.Palette, w, y int, focused bool) string {
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Put(pal.Muted, "id ")
	token := string(idToken(p.id.Value()))
	field := p.id.Rows(pal, pal.Field, 24, 1, edit.Plain(pal.Text))
	r.Painted(field[0], 24)
	r.Put(pal.Muted, "  goes out as ")
	r.Foreign(pal.Value, token)
	if x, _ := p.id.Cursor(); focused && p.focus == fieldID {
		p.setCursor(x+3, y)
	}
	return r.String()
}

// note is what stands in the upper border: the id, what is wrong on purpose,
// and how much speaks against the draft.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var spans []paint.Span
	if p.wrong > 0 {
		m := jsonrpc.Mutations()[p.wrong-1]
		spans = append(spans, paint.Span{Style: pal.Warn, Text: "wrong: " + m.Summary + "   "})
	}
	if p.raw {
		spans = append(spans, paint.Span{Style: pal.Accent, Text: "bytes as they are   "})
	} else {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "id "}, paint.Span{Style: pal.Text, Text: idNames[p.idKind] + "   "})
	}
	st, count := pal.Muted, "0"
	if n := len(p.warnings()); n > 0 && !p.Empty() {
		st, count = pal.Warn, string(rune('0'+min(n, 9)))
	}
	return append(spans, paint.Span{Style: st, Text: pal.WarnMark + " " + count})
}

// foot is what is below the text: what speaks against it, or the answer.
func (p *Pane) foot(pal *paint.Palette, w int) []string {
	var r paint.Row
	r.Start(w, paint.Style{})
	switch {
	case p.call != nil:
		p.answer(&r, pal)
	case p.Empty() && p.raw:
		r.Put(pal.Muted, "the whole frame, byte by byte; ctrl+b goes back to the form")
	case p.Empty():
		r.Put(pal.Muted, "the method, then its params; ↑ brings back what was sent before")
	default:
		// What is no JSON is said by the editor already.
		if _, _, problem := p.params.Problem(); problem != "" {
			break
		}
		if found := p.warnings(); len(found) > 0 {
			r.Put(pal.Warn, pal.WarnMark+" ")
			r.Foreign(pal.Muted, strings.Join(found, "; "))
			if p.focus == fieldMethod {
				r.Put(pal.AccentBold, "   tab")
				r.Put(pal.Muted, " completes")
			}
		}
	}
	return []string{r.String()}
}

// whyNoAnswer says what is to be expected after a frame without an id of its
// own.
func (p *Pane) whyNoAnswer() string {
	if p.call.Method == "" || p.wrong > 0 {
		return "; what the server makes of it stands in the traffic"
	}
	return "; a notification gets no answer"
}

// answer writes what became of the frame that was sent last.
func (p *Pane) answer(r *paint.Row, pal *paint.Palette) {
	if p.call.Running() {
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
		r.Put(pal.Muted, "sent as ")
		r.Foreign(pal.Text, string(p.call.ID))
		r.Put(pal.Muted, ", waiting for "+paint.HumanDuration(max(0, p.now.Sub(p.call.Started))))
		return
	}
	if p.outcome.call != p.call {
		answer, err := p.call.Outcome()
		p.outcome = outcome{call: p.call, answer: answer, err: err, rpc: answer.Err()}
	}
	answer := p.outcome.answer
	switch {
	case p.outcome.err != nil:
		r.Put(pal.Error, pal.Last+" ")
		r.Foreign(pal.Error, p.outcome.err.Error())
		return
	case answer.Frame == nil:
		r.Put(pal.OK, "sent")
		r.Put(pal.Muted, p.whyNoAnswer())
		return
	}
	cmd, _ := command.Named(command.ShowResponse)
	r.Right(paint.Span{Style: pal.AccentBold, Text: cmd.Key(true)}, paint.Span{Style: pal.Muted, Text: " frame"})
	if rpc := p.outcome.rpc; rpc != nil {
		r.Put(pal.Error, pal.Last+" ")
		r.Foreign(pal.Error, rpc.Error())
		r.Put(pal.Muted, "  "+paint.HumanDuration(answer.Took))
		return
	}
	r.Put(pal.OK, pal.Last+" ok ")
	r.Put(pal.Muted, "id ")
	r.Foreign(pal.Text, string(p.call.ID)+" ")
	r.Put(pal.Muted, paint.HumanDuration(answer.Took)+"  ")
	r.ForeignBytes(pal.Text, answer.Result())
}

// Press puts the cursor where the mouse points.
func (p *Pane) Press(x, y int) action.Action {
	x, y = x-2, y-1
	switch {
	case p.raw:
		p.params.Click(x, y)
	case y == 0:
		p.focus = fieldMethod
		p.method.Click(x, y)
	case y == 1 && p.idKind == idGiven:
		p.focus = fieldID
	default:
		p.focus = fieldParams
		top := 1
		if p.idKind == idGiven {
			top = 2
		}
		p.params.Click(x, y-top)
	}
	return nil
}
