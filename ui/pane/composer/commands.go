package composer

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/ui/keys"
	"mcptea/ui/result"
	"mcptea/ui/textfield"
)

// everywhere returns the commands that all parts have.
func (p *Pane) everywhere() []keys.Command {
	return []keys.Command{
		{ID: "send", Keys: keys.On("ctrl+s ctrl+j"), Label: "send", Help: "Send the frame", Words: "run call", Footer: 10, Run: func() { p.send(p.sentID()) }},
		{ID: "again", Verb: keys.Again, Label: "many times", Help: "Send the frame several times", Words: "load benchmark times parallel concurrent stress test repeat", Footer: 18, Run: p.AskRepeat, Off: func() string {
			switch {
			case p.isLarge():
				return "Frames larger than 1 MB are not sent repeatedly."
			case p.reply.repeat.Runs():
				return "Frames are still being sent."
			}
			return ""
		}},
		{ID: "cancel.call", Verb: keys.End, Label: "cancel", Help: "Cancel the pending request, or stop sending repeatedly", Words: "stop abort", Footer: 11, Run: p.cancel, Off: func() string {
			return keys.Reason(!p.reply.repeat.Runs() && (p.reply.call == nil || !p.reply.call.Running()), "No request of the composer is pending.")
		}},
		{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the error of the response", Words: "why what means code", Footer: 17, Run: func() { p.app.Explain(p.reply.card) }, Off: func() string {
			return keys.Reason(p.reply.card.Key == "", "The response has no error to explain.")
		}},
	}
}

func (p *Pane) draftCommands() []keys.Command {
	return append(p.everywhere(), []keys.Command{
		{ID: "complete", Keys: keys.On("ctrl+space ctrl+@"), Label: "complete", Help: "Complete a method, name, URI, argument or value", Words: "completion values suggestions", Footer: 12, Run: p.complete},
		{ID: "view.shown", Verb: keys.NextView, Label: "form/bytes", Help: "Edit the fields, or the bytes of the whole frame as they are sent", Words: "raw exact hex escapes", Footer: 14, Run: p.toggleRaw, Off: func() string {
			return keys.Reason(p.raw && p.isLarge(), "Frames larger than 1 MB are edited as bytes.")
		}},
		{ID: "edit", Verb: keys.Edit, Label: "$EDITOR", Help: "Edit the text in $VISUAL or $EDITOR", Words: "vim external", Footer: 15, Run: p.editText, Off: func() string {
			return keys.Reason(p.params.Size() > 16*maxForm, "Text larger than 16 MB is not opened in an editor.")
		}},
		{ID: "compose.history", Keys: keys.On("ctrl+r"), Label: "history", Help: "Search the frames that were sent, also in earlier sessions", Words: "previous earlier", Footer: 16, Run: p.searchHistory},
		{ID: "result", Keys: keys.On("ctrl+o"), Label: "response", Help: "Move the focus to the response", Words: "result output", Footer: 13, Run: func() { p.enter(ofReply) }, Off: func() string {
			return keys.Reason(!p.reply.any(), "Nothing has been sent yet.")
		}},
		{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the response", Words: "result traffic", Footer: 19, Run: func() { p.app.ShowFrame(p.reply.row()) }, Off: func() string {
			return keys.Reason(p.reply.row() == store.None, "Nothing has been sent yet.")
		}},
		{ID: "compose.id", Label: "id", Help: "Choose the id: automatic, your own, string, null, absent, used before", Words: "duplicate notification", Run: p.nextID, Off: func() string {
			return keys.Reason(p.raw, "The id is edited in the bytes of the frame.")
		}},
		{ID: "compose.meta", Label: "_meta", Help: "Leave out the _meta that is filled in, or fill it in", Words: "progress token", Run: p.toggleMeta, Off: func() string {
			return keys.Reason(p.raw, "Nothing is filled into the bytes of a frame.")
		}},
		{ID: "compose.format", Label: "format", Help: "Indent the JSON", Words: "pretty", Run: p.format, Off: func() string { return keys.Reason(p.isLarge(), "Text larger than 1 MB is not formatted.") }},
	}...)
}

func (p *Pane) historyCommands() []keys.Command {
	return append([]keys.Command{
		p.history.Do(keys.Command{ID: "compose.insert", Keys: keys.On("enter"), Label: "insert", Help: "Put the selected frame into the composer", Words: "again edit", Footer: 9}, p.insertPast),
		{ID: "filter", Keys: keys.On("/ ctrl+r"), Label: "search", Help: "Search the frames that were sent", Words: "find filter", Footer: 12, Run: p.history.StartFilter},
		p.history.Do(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the selected frame in Traffic", Words: "wire", Footer: 19}, func(e *past) { p.app.ShowFrame(e.row) }, func(e *past) string {
			return keys.Reason(e.row == store.None, "The frame is of an earlier session.")
		}),
	}, p.everywhere()...)
}

func (p *Pane) breakCommands() []keys.Command {
	off := func() string {
		return keys.Reason(p.isLarge(), "To break a frame larger than 1 MB, edit its bytes.")
	}
	list := append([]keys.Command{
		{ID: "compose.malform", Keys: keys.On("enter space"), Label: "break it", Now: p.breaksSo, Help: "Make the frame invalid in the selected way", Words: "malform broken wrong fault invalid json malformed fuzz", Footer: 9, Run: p.chooseBreak, Off: off},
	}, p.everywhere()...)
	list = append(list, keys.Command{ID: "compose.malform.none", Label: "as it is", Help: "Break it: leave the frame unchanged", Words: "undo intact valid mend", Run: func() { p.selectBreak(0) }, Off: off})
	for i, m := range jsonrpc.Mutations() {
		list = append(list, keys.Command{
			ID: "compose.malform." + m.Name, Label: m.Summary, Help: "Break it: " + m.Summary, Words: "malform broken invalid",
			Run: func() { p.selectBreak(i + 1) }, Off: off,
		})
	}
	return list
}

// replyCommands returns the commands of a response. v may be nil. Explain is the composer's own command.
func (p *Pane) replyCommands(v *result.View) []keys.Command {
	list := result.Commands(func() *result.View { return nil })
	if v != nil {
		list = v.Commands()
	}
	edit := keys.Command{ID: "edit", Verb: keys.Edit, Label: "draft", Help: "Go back to the draft", Words: "edit change frame", Footer: 9, Run: func() { p.enter(ofDraft) }}
	return append(append([]keys.Command{edit}, list...), p.everywhere()...)
}

// enterHint returns the message for enter on the response, where it sends nothing.
func (p *Pane) enterHint() string {
	return p.app.Key("edit") + " edits the draft, " + p.app.Key("send") + " sends it again, " + p.app.Key("frame") + " shows the frame."
}

func (p *Pane) nextID() {
	p.idKind = (p.idKind + 1) % idKinds
	if p.idKind == idUsed && !p.lastID.Present() {
		p.idKind++
	}
	p.enter(ofDraft)
	if p.idKind == idGiven {
		p.field = fieldID
	} else if p.field == fieldID {
		p.field = fieldParams
	}
}

func (p *Pane) format() {
	if !p.params.Format() {
		p.app.Fail("Cannot format: " + p.params.Sentence())
	}
}

// editText opens the text in the editor of the user. Bytes that are not printable are also escapes there.
func (p *Pane) editText() {
	text, raw := p.params.Value(), p.raw
	if raw {
		body := strings.TrimRight(text, "\n")
		text = textfield.Escape(body) + strings.Repeat(`\x0a`, len(text)-len(body))
	}
	p.app.EditText(text, ".json", func(text string) {
		if raw {
			p.params.SetBytes([]byte(textfield.Unescape(text)), true)
			return
		}
		p.params.SetValue(text)
	})
}

// AskRepeat asks how often to send the frame.
func (p *Pane) AskRepeat() { p.reply.repeat.Ask(p.app, p.repeat) }
