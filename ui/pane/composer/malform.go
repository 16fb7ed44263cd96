package composer

import (
	"bytes"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// malformList chooses how the frame is made invalid. Entry 0 leaves it valid.
type malformList struct {
	open bool // it has the keys
	selection
	rows int // painted last
	made malformedFrame
}

// malformedFrame is a frame before and after a malformation.
type malformedFrame struct {
	key           malformKey
	before, after []byte
}

type malformKey struct {
	frame assembledKey
	at    int
}

// provokes is the rule that reports each malformation; a test sends them all.
var provokes = map[string]string{
	"truncated": "J001", "trailing-comma": "J001", "single-quotes": "J001", "no-version": "J004", "version-1": "J005",
	"version-number": "J005", "id-null": "J009", "id-fraction": "J010", "id-object": "J010", "id-twice": "J019",
	"method-number": "J007", "method-empty": "J007", "params-string": "J018", "params-array": "J018",
	"result-too": "J016", "extra-member": "J017", "not-utf8": "J002", "lone-surrogate": "J002", "nan": "J001",
	"bom": "K004", "two-in-one": "K006", "empty-batch": "B001", "nested-batch": "B001", "scalar": "J003",
	"content-length": "J001", "deep": "J017",
}

func (p *Pane) openMalform() action.Action {
	if p.params.Buffer().Size() > maxForm {
		return action.Flash{Text: "Frames larger than 1 MB are malformed by editing their bytes", Wrong: true}
	}
	p.suggestions = suggestions{}
	p.malform.open, p.malform.at = true, p.malformed
	return nil
}

// malformKey takes a key while the list has them.
func (p *Pane) malformKey(k tea.KeyPressMsg) (action.Action, bool) {
	key, n := k.String(), len(jsonrpc.Mutations())+1
	if isKey(command.Composer, command.Malform, key) {
		p.malform.open = false
		return nil, true
	}
	cmd, ok := command.Lookup(command.Dialog, key)
	if isKey(command.Suggestions, command.InsertSuggestion, key) {
		cmd, _ = command.In(command.Dialog, command.Accept)
	} else if !ok {
		return nil, k.Text != ""
	}
	if step, moves := command.Steps(cmd.ID, 8, 4, n); moves && cmd.Context == command.Dialog {
		p.malform.move(step, n)
		return nil, true
	}
	switch cmd.ID {
	case command.Accept:
		p.applyMalformation(p.malform.at)
		p.malform.open = false
	case command.Dismiss:
		p.malform.open = false
	}
	return nil, true
}

// applyMalformation chooses a malformation. In raw mode it changes the text, which
// undo takes back; otherwise it is applied when the frame is sent.
func (p *Pane) applyMalformation(i int) {
	if !p.raw {
		p.malformed = i
		return
	}
	if i == 0 {
		return
	}
	buf := p.params.Buffer()
	frame := []byte(buf.Value())
	made := jsonrpc.Mutations()[i-1].Apply(frame)
	start, end := difference(frame, made)
	buf.Replace(start, len(frame)-end, string(made[start:len(made)-end]))
}

// difference returns how many bytes two texts have in common at their start and at
// their end.
func difference(a, b []byte) (start, end int) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// malformedPreview is the frame before and after the selected malformation.
func (p *Pane) malformedPreview() (malformedFrame, bool) {
	if p.params.Buffer().Size() > maxFollowed {
		return malformedFrame{}, false
	}
	frame, _ := p.preview()
	key := malformKey{frame.key, p.malform.at}
	if p.malform.made.key != key {
		chosen := p.malformed
		p.malformed = 0
		made := malformedFrame{key: key, before: p.assemble(p.idKind, p.masked())}
		p.malformed = chosen
		made.after = made.before
		if p.malform.at > 0 {
			made.after = jsonrpc.Mutations()[p.malform.at-1].Apply(made.before)
		}
		p.malform.made = made
	}
	return p.malform.made, true
}

// around is how many bytes the preview shows before a change.
const around = 14

// malformRows paints the list and the preview.
func (p *Pane) malformRows(pal *paint.Palette, w, h int) []string {
	list := jsonrpc.Mutations()
	m := &p.malform
	if !m.open {
		m.at = p.malformed
	}
	inner := w - 4
	preview := 4
	if h < 12 {
		preview = 0
	}
	room := max(h-2-preview, 1)
	n := len(list) + 1
	from := min(m.top, max(n-room, 0))
	to := min(from+room, n)
	if m.open {
		from, to = m.window(room, n)
	}
	m.top, m.rows = from, to-from
	var body []string
	for i := from; i < to; i++ {
		body = append(body, p.malformRow(pal, inner, i))
	}
	if preview > 0 {
		for len(body) < room {
			body = append(body, "")
		}
		body = append(body, p.previewRows(pal, inner)...)
	}
	key := command.KeyIn(command.Composer, command.Malform, true)
	return paint.Box(pal, w, h, m.open, title(pal, "Malform", m.open), []paint.Span{{Style: pal.AccentBold, Text: key}}, padded(body))
}

func (p *Pane) malformRow(pal *paint.Palette, w, i int) string {
	r := pal.Row()
	base, mark, st := paint.Style{}, pal.Ring, pal.Text
	if i == p.malformed && !p.raw {
		mark = pal.Dot
	}
	if i == p.malform.at && p.malform.open {
		base, st = pal.Selected, pal.Strong
	}
	r.Start(w, base)
	text, rule := "none", ""
	if i > 0 {
		m := jsonrpc.Mutations()[i-1]
		text, rule = m.Summary, provokes[m.Name]
	}
	r.Right(paint.Span{Style: pal.Muted, Text: rule})
	r.Put(pal.Accent, mark+" ")
	r.Put(st, text)
	return r.String()
}

// previewRows show the bytes around the change and the sizes.
func (p *Pane) previewRows(pal *paint.Palette, w int) []string {
	rows := []string{paint.Rule(pal, w, paint.Span{Style: pal.Muted, Text: "preview"})}
	made, ok := p.malformedPreview()
	if !ok {
		return append(rows, "")
	}
	r := pal.Row()
	r.Start(w, paint.Style{})
	start, end := difference(made.before, made.after)
	from := max(start-around, 0)
	if from > 0 {
		r.Put(pal.Muted, pal.Ellipsis)
	}
	r.Put(pal.Text, edit.Escape(string(bytes.ReplaceAll(made.after[from:start], []byte("\n"), []byte("⏎")))))
	changed := made.after[start : len(made.after)-end]
	switch {
	case len(changed) > 0:
		r.Put(pal.Error.Reverse(), shortened(changed, w))
	case len(made.before) > len(made.after):
		r.Put(pal.Error, "["+strconv.Itoa(len(made.before)-len(made.after))+" B removed]")
	}
	r.Put(pal.Text, shortened(made.after[len(made.after)-end:], w))
	rows = append(rows, r.String())
	r.Start(w, paint.Style{})
	r.Put(pal.Text, paint.HumanCount(len(made.after))+" B")
	if p.malform.at > 0 {
		r.Put(pal.Muted, " instead of "+paint.HumanCount(len(made.before))+" B")
	}
	rows = append(rows, r.String())
	r.Start(w, paint.Style{})
	if p.raw {
		r.Put(pal.Muted, "changes the text; undo reverts it")
	} else {
		r.Put(pal.Muted, "applied when the frame is sent")
	}
	return append(rows, r.String())
}

// shortened is the start of some bytes, with escapes.
func shortened(b []byte, w int) string {
	b = b[:min(len(b), max(w, 0)*4)]
	return edit.Escape(string(bytes.ReplaceAll(b, []byte("\n"), []byte("⏎"))))
}
