package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/intercept"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/editor"
)

// heldWindow edits the bytes of a held frame, or writes a response to it. The clock of the
// frame is stopped meanwhile. When the frame goes nevertheless, the text stays.
type heldWindow struct {
	edit   action.EditHeld
	editor *editor.Editor
	js     paint.JSONStyles
	at     [2]int
	now    time.Time

	frame func() (h intercept.Held, held bool) // the frame now
	last  intercept.Held                       // the frame when it was held
	gone  string                               // a sentence about the end of the frame; empty while it is held
	why   func(h intercept.Held) string        // what became of a frame that is gone
}

var _ worker = (*heldWindow)(nil)

func newHeldWindow(a action.EditHeld, frame func() (intercept.Held, bool), why func(intercept.Held) string) *heldWindow {
	o := &heldWindow{edit: a, editor: editor.New(""), frame: frame, why: why}
	o.editor.SetBytes(a.Bytes, true)
	o.look()
	return o
}

func (o *heldWindow) size(w, h int) (int, int)    { return min(w-4, 140), min(h-4, 40) }
func (o *heldWindow) scroll(n int)                { o.editor.Scroll(n) }
func (o *heldWindow) close()                      {}
func (o *heldWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }
func (o *heldWindow) paste(text string)           { o.editor.Paste(text) }

// refresh implements [worker]: the time for which the frame is held moves.
func (o *heldWindow) refresh(now time.Time, _ int) bool {
	o.now = now
	o.look()
	return o.editor.Checking() || o.gone == "" && !o.last.Stopped
}

// look looks whether the frame is still held.
func (o *heldWindow) look() {
	h, held := o.frame()
	if held {
		o.last, o.gone = h, ""
		return
	}
	o.gone = o.why(o.last)
}

// do implements [worker].
func (o *heldWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	b := []byte(o.editor.Value())
	c, _ := command.Lookup(command.HeldText, k.String())
	switch c.ID {
	case command.CopyFrame:
		return action.Copy{Text: string(b), What: "text"}, true
	case command.Dismiss:
		return action.Accepted{Action: action.DraftHeld{ID: o.edit.ID, Bytes: b, Respond: o.edit.Respond}}, true
	case command.AcceptText:
	default:
		return nil, false
	}
	if o.look(); o.gone != "" {
		return action.Flash{Text: "The frame is not held any more: nothing was changed. " + command.KeyIn(command.HeldText, command.CopyFrame, true) + " copies your text.", Wrong: true}, true
	}
	if o.edit.Respond {
		return action.Accepted{Action: action.Decide{ID: o.edit.ID, Decision: intercept.Decision{Action: intercept.Respond, Bytes: b}}}, true
	}
	return action.Accepted{Action: action.SetHeld{ID: o.edit.ID, Bytes: b}}, true
}

func (o *heldWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	o.editor.Key(k)
	return nil, false
}

func (o *heldWindow) paint(p *paint.Palette, w, h int) []string {
	o.js = paint.NewJSONStyles(p.Theme)
	s := paint.NewSheet(p, w-2, h-2)
	room := max(1, h-2-3)
	for _, row := range o.editor.Rows(p, o.js, w-4, room, true) {
		s.Rows = append(s.Rows, " "+row)
	}
	x, y := o.editor.Cursor()
	o.at = [2]int{2 + x, 1 + y}
	for s.Left() > 3 {
		s.Blank()
	}
	if o.gone != "" {
		s.Text(p.Error, o.gone, 2)
	} else if text := o.editor.Sentence(); text != "" {
		s.Text(p.Warn, text, 1)
	} else {
		s.Text(p.Muted, "Sent byte for byte; control bytes and invalid UTF-8 are shown as \\xNN.", 1)
	}
	title, label := "Edit "+o.edit.Name, "accept, then forward"
	if o.edit.Respond {
		title, label = "Respond to "+o.edit.Name, "send"
	}
	accept := paint.Hint{Key: command.KeyIn(command.HeldText, command.AcceptText, true), Label: label}
	cp := paint.Hint{Key: command.KeyIn(command.HeldText, command.CopyFrame, true), Label: "copy"}
	leave := paint.Hint{Key: command.KeyIn(command.HeldText, command.Dismiss, true), Label: "close, the text is kept"}
	if o.gone != "" {
		s.Hints(1, cp, leave)
	} else {
		s.Hints(1, accept, cp, leave)
	}
	note := append(o.clock(p), paint.Span{Style: p.Muted, Text: "  " + paint.HumanSize(int64(o.editor.Buffer().Size()))})
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: p.Label(title, max(10, w/2))}}, note, s.Rows)
}

// clock says for how long the frame is held, and when it goes on.
func (o *heldWindow) clock(p *paint.Palette) []paint.Span {
	age := paint.HumanDuration(max(0, o.now.Sub(o.last.Since)))
	switch {
	case o.gone != "":
		return []paint.Span{{Style: p.ErrorBold, Text: "not held any more"}}
	case o.last.Stopped:
		return []paint.Span{{Style: p.Warn, Text: p.Pause + " held"}, {Style: p.Muted, Text: ", its clock is stopped"}}
	}
	return []paint.Span{{Style: p.Warn, Text: p.Pause + " held " + age}, {Style: p.Muted, Text: " of " + paint.HumanDuration(o.last.Until.Sub(o.last.Since))}}
}
