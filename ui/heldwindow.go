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

// heldWindow edits the bytes of a held frame, or writes a response to it.
type heldWindow struct {
	edit   action.EditHeld
	editor *editor.Editor
	js     paint.JSONStyles
	at     [2]int
}

var _ worker = (*heldWindow)(nil)

func newHeldWindow(a action.EditHeld) *heldWindow {
	o := &heldWindow{edit: a, editor: editor.New("")}
	o.editor.SetBytes(a.Bytes, true)
	return o
}

func (o *heldWindow) size(w, h int) (int, int)    { return min(w-4, 140), min(h-4, 40) }
func (o *heldWindow) scroll(n int)                { o.editor.Scroll(n) }
func (o *heldWindow) close()                      {}
func (o *heldWindow) refresh(time.Time, int) bool { return o.editor.Checking() }
func (o *heldWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }
func (o *heldWindow) paste(text string)           { o.editor.Paste(text) }

// do implements [worker].
func (o *heldWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	if c, _ := command.Lookup(command.HeldText, k.String()); c.ID != command.AcceptText {
		return nil, false
	}
	b := []byte(o.editor.Value())
	if o.edit.Respond {
		return action.Accepted{Action: action.Decide{ID: o.edit.ID, Decision: intercept.Decision{Action: intercept.Respond, Bytes: b}}}, true
	}
	return action.Accepted{Action: action.SetHeld{ID: o.edit.ID, Bytes: b}}, true
}

func (o *heldWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.HeldText, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	o.editor.Key(k)
	return nil, false
}

func (o *heldWindow) paint(p *paint.Palette, w, h int) []string {
	o.js = paint.NewJSONStyles(p.Theme)
	s := paint.NewSheet(p, w-2, h-2)
	room := max(1, h-2-2)
	for _, row := range o.editor.Rows(p, o.js, w-4, room, true) {
		s.Rows = append(s.Rows, " "+row)
	}
	x, y := o.editor.Cursor()
	o.at = [2]int{2 + x, 1 + y}
	for s.Left() > 2 {
		s.Blank()
	}
	if text := o.editor.Sentence(); text != "" {
		s.Text(p.Warn, text, 1)
	} else {
		s.Text(p.Muted, "Every byte is sent as it is here; control bytes and invalid UTF-8 are shown as \\xNN.", 1)
	}
	title, label := "Edit the held frame", "accept; it goes on when you forward it"
	if o.edit.Respond {
		title, label = "Respond to the held request", "send"
	}
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.HeldText, command.AcceptText, true), Label: label},
		paint.Hint{Key: command.KeyIn(command.HeldText, command.Dismiss, true), Label: "cancel"})
	note := []paint.Span{{Style: p.Muted, Text: paint.HumanSize(int64(o.editor.Buffer().Size()))}}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: title}}, note, s.Rows)
}
