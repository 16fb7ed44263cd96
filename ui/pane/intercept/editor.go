package intercept

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/phrase"
	"mcptea/session/intercept"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// A textWindow edits the bytes of a held frame, or a response to it. The clock of the frame is stopped during
// that time. If the frame is released anyway, the text stays.
type textWindow struct {
	p         *Pane
	id        int64
	name      string
	respond   bool
	editor    *textfield.Editor
	before    []byte         // forwarded if nothing is changed
	shown     string         // before, in the form for editing
	indents   bool           // shown is indented, and is sent in one line
	last      intercept.Held // the frame when it was held
	endNotice string         // a sentence about the end of the frame, or "" while it is held
	done      bool           // the text was accepted

	sending  sending // belongs to the version of the text
	commands []keys.Command
}

// A sending is the form in which a text is sent.
type sending struct {
	version int
	b       []byte
	valid   bool // for indented text: it is valid JSON
	lost    bool // the white space between its tokens that the frame had before the edit
}

// maxEdited is the size of a frame up to which it can be edited, in bytes.
const maxEdited = 4 << 20

func tooLarge(p *Pane) func(h *intercept.Held) string {
	return func(h *intercept.Held) string {
		size := len(p.texts.Bytes(h))
		return keys.Reason(size > maxEdited, "This frame of "+phrase.Size(int64(size))+" is too large to edit here.")
	}
}

// edit opens the window on the bytes of a held frame.
func (p *Pane) edit(h *intercept.Held) { p.openText(h, false, p.texts.Bytes(h)) }

// respond opens the window on a response to a held request.
func (p *Pane) respond(h *intercept.Held) {
	frame := append([]byte(`{"jsonrpc":"2.0","id":`), h.MessageID.String()...)
	p.openText(h, true, append(frame, `,"result":{}}`...))
}

// openText opens the window on bytes. JSON is indented; other text and large frames are edited byte for byte.
func (p *Pane) openText(h *intercept.Held, respond bool, b []byte) {
	o := &textWindow{p: p, id: h.ID, name: h.Name(), respond: respond, editor: textfield.NewEditor(""), before: b, last: *h, sending: sending{version: -1}}
	text, indents := indented(b)
	o.shown, o.indents = string(text), indents
	if draft, ok := p.texts.Draft(h.ID, respond); ok {
		text = draft
	}
	o.editor.SetBytes(text, !indents || textfield.Clean(string(text)) != string(text))
	o.commands = textCommands(o)
	p.app.Open(o)
	p.stopClock(h.ID, true)
}

// TextCommands returns the commands of the window, for lists of all commands.
func TextCommands() []keys.Command { return textCommands(&textWindow{}) }

func textCommands(o *textWindow) []keys.Command {
	return []keys.Command{
		{ID: "text.accept", Keys: keys.On("ctrl+s"), Label: "keep the edit", Now: o.accepts, Help: "Keep the edited frame, which is still held, or send the response", Words: "save accept", Footer: 10, Run: o.accept},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the text", Words: "clipboard", Footer: 11, Run: func() { o.p.app.Copy(o.editor.Value(), nil, "text") }},
	}
}

// accepts returns the label of the key that accepts the text: an edited frame is still held, a response is sent.
func (o *textWindow) accepts() string { return paint.If(o.respond, "send", "keep the edit") }

// sent returns the form in which the text is sent. Unchanged text is sent as before.
func (o *textWindow) sent() *sending {
	if v := o.editor.Version(); v != o.sending.version {
		text := []byte(o.editor.Value())
		o.sending = sending{version: v, b: text, valid: true}
		switch {
		case string(text) == o.shown:
			o.sending.b = o.before
		case o.indents:
			if o.sending.b, o.sending.valid = joined(text); o.sending.valid {
				var kept bool
				o.sending.b, kept = like(o.before, o.sending.b)
				o.sending.lost = !kept
			}
		}
	}
	return &o.sending
}

func (o *textWindow) accept() {
	b := slices.Clone(o.sent().b)
	switch o.checkHeld(); {
	case o.endNotice != "":
		o.p.app.Fail("The frame is no longer held: nothing was changed. " + o.p.app.Key("copy") + " copies your text.")
		return
	case o.respond:
		o.p.decide(o.id, intercept.Decision{Action: intercept.Respond, Bytes: b})
	default:
		o.p.setEdited(o.id, b)
		notice := "The frame is still held: " + o.p.app.Key("held.forward") + " forwards it."
		if problem := problemOf(b); problem != "" {
			notice = "Not JSON: " + problem + ". " + notice
		}
		o.p.app.Say(notice)
	}
	o.done = true
	o.p.app.Close(o)
}

// Close implements [app.Closer]. The text is kept until the frame is released.
func (o *textWindow) Close() {
	switch text := o.editor.Value(); {
	case o.done:
	case text == o.shown:
		o.p.texts.SetDraft(o.id, o.respond, o.before) // nothing was written
	default:
		o.p.texts.SetDraft(o.id, o.respond, []byte(text))
	}
	if !o.done || !o.respond {
		o.p.stopClock(o.id, false)
	}
}

// checkHeld checks whether the frame is still held.
func (o *textWindow) checkHeld() {
	o.p.readGate()
	if h := o.p.heldFrame(o.id); h != nil {
		o.last, o.endNotice = *h, ""
		return
	}
	o.endNotice = o.p.why(o.last)
}

// Key implements [app.Field].
func (o *textWindow) Key(k tea.KeyPressMsg) bool { return o.editor.Key(k) }

// Paste implements [app.Field].
func (o *textWindow) Paste(text string) { o.editor.Paste(text) }

// Commands implements [app.Pane].
func (o *textWindow) Commands() []keys.Command { return o.commands }

// Motion implements [app.Pane].
func (o *textWindow) Motion(keys.Motion) bool { return false }

// Size implements [app.Dialog].
func (o *textWindow) Size(_ *app.Screen, w, h int) (int, int) { return min(w-4, 140), min(h-4, 40) }

// Refresh implements [app.Pane]. The time that the frame has been held changes.
func (o *textWindow) Refresh(app.Tick) bool {
	o.checkHeld()
	return o.editor.Checking() || o.endNotice == "" && !o.last.Stopped
}

// Closes implements [app.Closed].
func (o *textWindow) Closes() string { return "close, the text is kept" }

// Paint implements [app.Pane].
func (o *textWindow) Paint(c *app.Canvas, _ bool) {
	p := c.Pal
	title, label := "Edit "+o.name, o.accepts()
	if o.respond {
		title = "Respond to " + o.name
	}
	size := phrase.Size(int64(len(o.sent().b)))
	if !o.respond && c.W >= 100 {
		size = sizes(o.last.Bytes, len(o.sent().b))
	}
	note := append(o.clock(p), paint.Span{Style: p.Muted, Text: "  " + size})
	in := c.Box([]paint.Span{{Style: p.TextBold, Text: title}}, note, true)
	text, below := in.Over(max(in.H-3, 1))
	for _, row := range o.editor.Rows(p, c.JS, max(text.W-2, 1), text.H, true) {
		text.Rows(" " + row)
	}
	x, y := o.editor.Cursor()
	text.Field(o, 1+x, y)
	text.ClickText(0, 0, text.W, text.H, func(x, y int) { o.editor.Click(x-1, y) })
	text.Wheel(o.editor.Scroll)
	d := doc.On(below)
	hints := []doc.Key{{ID: "text.accept", Label: label}, {ID: "copy", Label: "copy"}, {ID: "dialog.close", Label: o.Closes()}}
	switch {
	case o.endNotice != "":
		d.Text(p.Error, o.endNotice, 2)
		hints = hints[1:]
	case o.editor.Sentence() != "": // the last row of the editor shows it
		d.Text(p.Warn, o.sending.text(o), 2)
	default:
		d.Text(p.Muted, o.sending.text(o)+o.p.timesOut(&o.last), 2)
	}
	d.Keys(1, hints...)
	d.Paint()
}

// text describes what will be sent.
func (s *sending) text(o *textWindow) string {
	size, original := phrase.Size(int64(len(s.b))), phrase.Size(int64(len(o.last.Bytes)))
	switch {
	case !o.indents:
		return "Sent byte for byte; control bytes and invalid UTF-8 are shown as \\xNN."
	case !s.valid:
		return paint.If(o.respond, "Sends ", "Will be ") + size + " that are not JSON, without line breaks and indentation."
	case o.respond:
		return "Sends " + size + " in one line."
	case string(s.b) == string(o.last.Bytes):
		return "Nothing is changed: the frame has " + size + "."
	}
	return "Will be " + size + " in one line" + paint.If(s.lost, ", without the white space between values", "") + "; before the edit it was " + original + "."
}

// clock describes how long the frame has been held, and when it will be released.
func (o *textWindow) clock(p *paint.Palette) []paint.Span {
	switch age := phrase.Took(max(0, o.p.now.Sub(o.last.Since))); {
	case o.endNotice != "":
		return []paint.Span{{Style: p.ErrorBold, Text: "no longer held"}}
	case o.last.Stopped:
		return []paint.Span{{Style: p.Warn, Text: p.Pause + " held"}, {Style: p.Muted, Text: ", its clock is stopped"}}
	default:
		return []paint.Span{{Style: p.Warn, Text: p.Pause + " held " + age}, {Style: p.Muted, Text: ", forwarded after " + phrase.Took(o.last.Until.Sub(o.last.Since))}}
	}
}
