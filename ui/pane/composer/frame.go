package composer

import (
	"context"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/offer/compose"
	"mcptea/ui/textfield"
)

// maxForm is the size, in bytes, up to which a frame is put into the form, previewed and kept in the history.
// Larger ones are edited as bytes.
const maxForm = compose.LargeFrame

func (p *Pane) isLarge() bool { return p.params.Size() > maxForm }

// ComposeFrame puts a whole frame into the composer: into the form if that can send the same bytes except for
// the id and the _meta, otherwise as bytes. A frame with braces that look like a variable is kept as bytes.
func (p *Pane) ComposeFrame(frame []byte) {
	p.keepDraft()
	p.reply.clear()
	if hasVariables(frame) {
		p.reset()
		p.setRaw(frame)
		return
	}
	p.compose(frame)
}

func (p *Pane) compose(frame []byte) {
	p.reset()
	if len(frame) > maxForm {
		p.openLarge(frame)
		return
	}
	e := jsonrpc.Scan(frame)
	method, params := e.MethodName(frame), variables.LiteralJSON(e.Params.Of(frame))
	var id jsonrpc.ID
	if e.Kind == jsonrpc.Request {
		id = e.ID.Of(frame).ID()
	}
	plain := (e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Notification) && e.Flaws == 0
	if !plain || string(jsonrpc.EncodeRequest(id, method, variables.Plain(oneLine(textfield.Clean(string(params)))))) != string(frame) || textfield.Clean(method) != method {
		p.setRaw(frame)
		return
	}
	if e.Kind == jsonrpc.Notification {
		p.idKind = idNone
	} else {
		params, p.noMeta = p.withoutFilledMeta(method, params)
	}
	p.field = fieldParams
	p.method.SetValue(method)
	p.params.SetValue(string(params))
	p.arrange(string(params))
}

// setRaw switches to raw mode with the bytes of a frame.
func (p *Pane) setRaw(frame []byte) {
	p.raw, p.field = true, fieldParams
	p.params.SetBytes(frame, true)
}

// openLarge reads a large frame in the background.
func (p *Pane) openLarge(frame []byte) {
	p.raw, p.field = true, fieldParams
	e := textfield.NewEditor("")
	p.opening = e
	p.app.Go(func(context.Context) func() {
		e.SetBytes(frame, true)
		return func() {
			if p.opening == e {
				p.opening = nil
				p.setEditor(e)
			}
		}
	})
}

// toggleRaw switches between the form and the bytes, and converts the draft. A malformation becomes part of the
// bytes.
func (p *Pane) toggleRaw() {
	if !p.raw {
		was := formDraft{draft: p.draft(), malformed: p.malformed, bytes: string(p.assemble(p.sentID(), p.malformed, nil))}
		intact := string(p.assemble(p.sentID(), 0, nil))
		p.setRaw([]byte(was.bytes))
		p.malformed, p.before = 0, was
		p.applied = applied{was.malformed, intact, was.bytes}
		return
	}
	frame := []byte(p.params.Value())
	if was := p.before; was.bytes == string(frame) {
		p.restore(was.draft) // including its variables
		p.malformed = was.malformed
		return
	}
	p.compose(frame)
	if p.raw {
		p.app.Fail("The form cannot send these bytes: they are not a request or notification in its compact form.")
	}
}

// A draft is the part of a frame in the history that can be sent again.
type draft struct {
	method, params string
	raw            bool
	idKind         idKind
	noMeta         bool
}

func (p *Pane) draft() draft {
	return draft{p.method.Value(), p.params.Value(), p.raw, p.idKind, p.noMeta}
}

// formDraft is a draft of the form, with the bytes that were made from it.
type formDraft struct {
	draft     draft
	malformed int
	bytes     string
}

// restore puts a draft into the composer.
func (p *Pane) restore(d draft) {
	p.reset()
	if d.raw {
		p.setRaw([]byte(d.params))
		return
	}
	p.idKind, p.noMeta = d.idKind, d.noMeta
	p.method.SetValue(d.method)
	p.params.SetValue(d.params)
}
