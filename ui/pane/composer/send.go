package composer

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/variables"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/edit"
)

// draft is what can be sent again from the history.
type draft struct {
	method, params string
	raw            bool
	idKind         idKind
	noMeta         bool
}

func (p *Pane) draft() draft {
	return draft{p.method.Value(), p.params.Value(), p.raw, p.idKind, p.noMeta}
}

// formDraft is a draft of the form and the bytes that were made of it.
type formDraft struct {
	draft     draft
	malformed int
	bytes     string
}

// restore puts a draft into the composer.
func (p *Pane) restore(d draft) {
	call := p.call
	p.reset()
	p.call = call
	if d.raw {
		p.setRaw([]byte(d.params))
		return
	}
	p.idKind, p.noMeta = d.idKind, d.noMeta
	p.method.SetValue(d.method)
	p.params.SetValue(d.params)
}

// assembled is the frame of a version of the draft, for the preview.
type assembled struct {
	key   assembledKey
	bytes []byte
	meta  []byte // the _meta that was filled in; nil without one
	// variable says that the bytes depend on the values of variables. Those that look
	// like secrets are masked.
	variable bool
}

type assembledKey struct {
	method          int
	params, id      int
	kind            idKind
	noMeta, present bool
	auto            jsonrpc.ID
	malformed       int
}

// preview returns the frame as it is sent now, which belongs to the pane; false for
// a draft that is too large to be assembled at each key.
func (p *Pane) preview() (assembled, bool) {
	if p.params.Buffer().Size() > maxFollowed {
		return assembled{}, false
	}
	key := assembledKey{
		p.method.Version(), p.params.Buffer().Version(), p.id.Version(), p.idKind, p.noMeta, true, p.autoID(), p.malformed,
	}
	if p.frame.key != key || p.frame.variable {
		p.frame = assembled{key: key, meta: p.filledMeta(), variable: p.Variables != nil && !p.raw && hasVariables(p.oneLine())}
		p.frame.bytes = p.assemble(p.idKind, p.masked())
	}
	return p.frame, true
}

// autoID is the id of the next request. It is reserved when it is first shown;
// empty while there is no connection.
func (p *Pane) autoID() jsonrpc.ID {
	if p.reserved == "" && p.session != nil {
		p.reserved, _ = p.session.NextID()
	}
	return p.reserved
}

// idOf is the id that a frame gets; empty for a notification.
func (p *Pane) idOf(kind idKind) jsonrpc.ID {
	switch kind {
	case idGiven:
		return idToken(p.id.Value())
	case idNull:
		return "null"
	case idNone:
		return ""
	case idUsed:
		return p.lastID
	}
	if id := p.autoID(); id != "" {
		return id
	}
	return "1"
}

// assemble returns the bytes of the frame, with the values of variables. In raw mode
// these are the text.
func (p *Pane) assemble(kind idKind, lookup variables.Lookup) []byte {
	if p.raw {
		return []byte(p.params.Value())
	}
	id, method := p.idOf(kind), p.method.Value()
	params, _ := expand(p.oneLine(), lookup)
	frame := jsonrpc.AppendRequest(nil, id, method, p.withMeta(id, method, params))
	if p.malformed > 0 {
		frame = jsonrpc.Mutations()[p.malformed-1].Apply(frame)
	}
	return frame
}

// send sends the draft. A draft with a warning is sent the second time.
func (p *Pane) send(kind idKind) action.Action {
	p.suggestions = suggestions{}
	large := p.params.Buffer().Size() > maxForm
	if !large {
		p.params.Verify()
		if found := p.warningsOf(true); len(found) > 0 && p.warned != p.draft() {
			p.warned = p.draft()
			return action.Flash{Text: ended(found[0]) + " " + command.KeyIn(command.Composer, command.SendFrame, true) + " again sends it unchanged", Wrong: true}
		}
	}
	if kind == idAuto && !p.raw && p.autoID() == "" {
		return action.Flash{Text: "Not connected; " + command.KeyIn(command.Global, command.Restart, true) + " connects again", Wrong: true}
	}
	sent := action.StartFrame{Ref: ref}
	if large {
		build, id := p.builder(kind), p.autoID()
		sent.Build = func() []byte { return build(id) }
		p.sending = &sending{reaction: p.newReaction(nil)}
		return sent
	}
	sent.Frame = p.assemble(kind, p.Variables)
	p.sending = &sending{kept: true, draft: p.draft(), label: p.label(), reaction: p.newReaction(sent.Frame)}
	return sent
}

// sending is what is known of a frame before it is sent, if it is: a recording has no
// server.
type sending struct {
	kept     bool // in the history, which has no large frames
	draft    draft
	label    string
	reaction *reaction
}

// label is what the draft is about, and how it is malformed.
func (p *Pane) label() string {
	text := p.draft().label()
	if p.malformed > 0 {
		text += ", " + jsonrpc.Mutations()[p.malformed-1].Summary
	}
	return text
}

// sent takes the call of a frame that was sent.
func (p *Pane) sent(c *session.Call) {
	p.call, p.reserved, p.repeat.running = c, "", nil
	if c.ID != "" {
		p.lastID = c.ID
	}
	if p.sending != nil {
		p.reaction = p.sending.reaction
		p.history.add(p, p.sending)
		p.history.sent(c, p.sending)
		p.sending = nil
	}
}

// ended ends a sentence.
func ended(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// openEditor opens the text in the editor of the user. Bytes that are not printable
// are escapes there too.
func (p *Pane) openEditor() action.Action {
	if p.params.Buffer().Size() > 16*maxForm {
		return action.Flash{Text: "Text larger than 16 MB is not opened in an editor", Wrong: true}
	}
	a := action.Edit{Ref: ref, Text: p.params.Value(), Suffix: ".json"}
	if !p.raw {
		return a
	}
	a.Ref = refRaw
	body := strings.TrimRight(a.Text, "\n")
	a.Text = edit.Escape(body) + strings.Repeat(`\x0a`, len(a.Text)-len(body))
	return a
}
