package composer

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/offer/compose"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// send sends the draft. A draft with a warning is sent the second time.
func (p *Pane) send(kind idKind) {
	p.candidates.close()
	if why := p.unapplied(); why != "" {
		p.app.Fail(why)
		return
	}
	large := p.isLarge()
	if !large {
		p.params.Verify()
		if found := p.warningsOf(true); len(found) > 0 && p.warned != p.draft() {
			p.warned = p.draft()
			p.app.Fail(ended(found[0]) + " " + p.app.Key("send") + " again sends it unchanged")
			return
		}
	}
	if kind == idAuto && !p.raw && !p.autoID().Present() {
		p.app.Fail("Not connected: restart connects again.")
		return
	}
	if large {
		p.built(kind, func(frame []byte) {
			reaction := compose.NewReaction(p.session.Store(), nil)
			p.app.Go(func(context.Context) func() {
				call := p.session.StartFrame(frame)
				return func() { p.sent(call, reaction, 0) }
			})
		})
		return
	}
	p.built(kind, func(frame []byte) {
		reaction := compose.NewReaction(p.session.Store(), frame)
		e := p.past()
		e.call, e.reaction = p.session.StartFrame(frame), reaction
		p.history.add(e)
		if e.malformed > 0 {
			p.breaks.tried[e.malformed] = e
		}
		p.sent(e.call, reaction, e.malformed)
	})
}

// built calls then with the frame of the draft if it may be sent. A large one is built outside of Update.
func (p *Pane) built(kind idKind, then func(frame []byte)) {
	send := func(frame []byte) { p.app.OnlineFrame(frame, func() { then(frame) }) }
	if !p.isLarge() {
		send(p.assemble(kind, p.malformed, p.Variables))
		return
	}
	build, id := p.builder(kind, p.malformed, p.Variables), p.idOf(idAuto)
	p.app.Go(func(context.Context) func() {
		frame := build(id)
		return func() { send(frame) }
	})
}

// past returns the draft as an entry of the history.
func (p *Pane) past() *past {
	e := &past{draft: p.draft(), time: time.Now(), label: p.draft().label(), row: store.None}
	if i := p.brokenAs(); i > 0 {
		e.malformed, e.broken = i, jsonrpc.Mutations()[i-1].Summary
		e.label = compose.Label(e.broken, e.label)
	}
	return e
}

// sent handles the call of a frame that was sent.
func (p *Pane) sent(c *session.Call, reaction *compose.Reaction, malformed int) {
	p.reserved = jsonrpc.ID{}
	if c.ID.Present() {
		p.lastID = c.ID
	}
	p.reply.show(p, c, reaction, malformed)
	p.rest()
}

// rest moves the focus from the draft to the response: no letter is text there.
func (p *Pane) rest() {
	if p.focus == ofDraft {
		p.enter(ofReply)
	}
}

// repeat sends the draft several times.
func (p *Pane) repeat(text string, count int, interval time.Duration) {
	p.built(p.sentID(), func([]byte) {
		p.history.add(p.past())
		p.reply.clear()
		p.reply.repeat.Start(text, p.session.Repeat(count, interval, p.builder(p.sentID(), p.malformed, p.Variables)))
		p.rest()
	})
}

func (p *Pane) cancel() {
	if p.reply.repeat.Runs() {
		p.reply.repeat.Repetition.Cancel()
		return
	}
	p.app.Online("Cancel", func() { dialog.Tell(p.app, p.session.Cancel(p.reply.call.ID)) })
}

// ended ends a sentence.
func ended(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// rowOf returns the row of the frame of a call.
func rowOf(c *session.Call, r *compose.Reaction) int32 {
	if at := c.Ref(); at.Present() {
		return at.Row()
	}
	return r.Row
}

// hasResponse reports whether a response with the id of a call has arrived.
func hasResponse(c *session.Call) bool {
	if c.Running() {
		return false
	}
	response, _ := c.Outcome()
	return response.Frame != nil
}

// outcomeOf returns the outcome of a call. malformed is the malformation of its frame.
func (p *Pane) outcomeOf(c *session.Call, r *compose.Reaction, malformed int) (o outcome) {
	o.text, o.isError = p.wordsOf(c, r)
	_, err := c.Outcome()
	as, known := compose.AsExpected(malformed, p.revision(), o.text, err)
	o.expected, o.strange = as, known && !as && !errors.Is(err, session.ErrCancelled)
	return o
}

// react reads the frames after a frame, and the end of the server.
func (p *Pane) react(r *compose.Reaction, c *session.Call) {
	r.Refresh(c.Started, p.tick.Now)
	if process := &p.tick.State.Process; !process.Exited.IsZero() && !process.Expected {
		r.Exit(process.Exited)
	}
}

func (p *Pane) wordsOf(c *session.Call, r *compose.Reaction) (text string, isError bool) {
	if c.Running() {
		if r.Likely != store.None {
			return r.Outcome()
		}
		return "", false
	}
	response, err := c.Outcome()
	switch {
	case p.session != nil && c.Unsent(p.session.Store()):
		return notSent, true
	case response.Frame == nil && (r.Likely != store.None || err == nil):
		return r.Outcome()
	case err != nil:
		return session.NoResponse(err), true
	case response.Err() != nil:
		return codeOf(response.Frame), true
	case c.ToolError():
		return "tool error", true
	}
	return "ok", false
}

// notSent is the outcome of a frame that has not reached a server.
const notSent = "not sent"

func codeOf(frame []byte) string {
	if n, ok := jsonrpc.Integer(jsonrpc.Get(frame, "error", "code")); ok {
		return strconv.FormatInt(n, 10)
	}
	return "error"
}
