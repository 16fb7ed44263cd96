// Package frames provides what all panes with recorded frames share: the commands on a frame, the filter, the
// views of the traffic, and the [card.Card] that explains a frame. It imports no pane.
//
// A row is the number of a frame, or of another event, in the [store.Store]. The root of an exchange is its
// first row: usually a request, to which the response and the frames in between belong.
//
// Tests: ui/parts/frames*_test.go
package frames

import (
	"context"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Source provides the frames and the findings about them.
type Source interface {
	Store() *store.Store
	State() session.State
	FindingsAt(row int32) []lint.Finding
	ErrorRows() []int32 // rows with a finding that is an error, unordered
	// WorstIn returns the most severe finding about the frames of an exchange, and the number of findings:
	// about its request, its response, and the frames in between. It returns nil if there are none.
	WorstIn(root, response int32) (worst *lint.Finding, n int)
}

// Program contains the functions of the program that panes with frames use. The screen sets them. The zero
// Program can list its commands, for the help, but not run them.
type Program struct {
	app.App
	Source Source
	Filter *Filter

	Agent  func() map[int32]bool     // rows of the requests sent by agents; nil for none
	Cancel func(id jsonrpc.ID) error // cancels a pending request of mcptea
	// Send sends a request again with a new id. It sends other frames unchanged.
	Send     func(frame []byte)
	Pin      func(row int32) // keeps a call with its response as a test
	Diff     func(row int32) // compares a frame with the marked one, or two marked ones
	Show     func(v View)    // shows a view of the traffic
	Whole    func(row int32) // shows a frame in full
	Findings func(row int32) // shows a frame in full, with its findings explained
	// Held returns the rows of the held frames, with the time that they have been held. It may be nil.
	Held func() map[int32]time.Duration
	// EditHeld edits the bytes of a held frame before they are forwarded.
	EditHeld func(row int32)
}

// CardOf returns the card that explains the error, status or method of a frame; see [card.OfRow].
func (p *Program) CardOf(row int32, asHTTP bool) (c card.Card, wrong, ok bool) {
	return card.OfRow(p.Store(), p.Source.State().Handshake.Revision, row, asHTTP)
}

// Store returns the record with the frames, or nil for the zero Program.
func (p *Program) Store() *store.Store {
	if p.Source == nil {
		return nil
	}
	return p.Source.Store()
}

// Agents returns the rows of the requests sent by agents.
func (p *Program) Agents() map[int32]bool {
	if p.Agent == nil {
		return nil
	}
	return p.Agent()
}

// SentBy returns the sender of a request that the user has not sent, for each frame of its exchange: "agent", "app",
// "attached" for a command with --attach, or "mcptea" for a request of a tap itself; empty for the requests of the
// user. agents are [Program.Agents], and r is the row with the number.
func (p *Program) SentBy(agents map[int32]bool, row int32, r *store.Row) string {
	request := max(r.Request(), r.SentFor(row)) // at most one of them is not store.None
	of, ok := p.Store().Row(request)
	switch {
	case agents[row] || agents[request]:
		return sentByAgent
	case r.Flags&store.Attached != 0 || ok && of.Flags&store.Attached != 0:
		return sentByAttached
	case r.OfTap() || ok && of.OfTap():
		return sentByTap
	case p.isForApp(r, row) || ok && p.isForApp(&of, request):
		return sentByApp
	}
	return ""
}

// isForApp reports a request to the server that is sent for a message of an app.
func (p *Program) isForApp(r *store.Row, row int32) bool {
	cause, ok := p.Store().Row(r.SentFor(row))
	return ok && cause.App && !r.App
}

// Commands returns the commands on one frame. row returns the selected row, or store.None. of is the name of
// the frame in the help, such as "the response".
func (p *Program) Commands(of string, row func() int32) []keys.Command {
	return []keys.Command{
		p.On(row, keys.Command{ID: "again", Verb: keys.Again, Label: "resend", Help: "Send this request again with a new id", Words: "repeat retry replay again", Footer: 14}, p.resend, p.cannotResend),
		p.edits(of, row),
		p.On(row, keys.Command{ID: "cancel.request", Verb: keys.End, Label: "cancel", Help: "Cancel this request", Words: "stop abort"}, p.cancel, p.cannotCancel),
		p.On(row, keys.Command{ID: "mark", Verb: keys.Mark, Label: "mark", Help: "Mark " + of + ", to compare it or to export it; or unmark it", Words: "select remember bookmark", Footer: 26}, p.Mark),
		p.On(row, keys.Command{ID: "note", Verb: keys.Annotate, Label: "note", Help: "Write a note on " + of + ", or change it", Words: "annotate comment remark", Footer: 86}, p.Note),
		{ID: "mark.none", Label: "unmark all", Help: "Unmark all frames", Words: "clear", Run: p.unmark},
		p.On(row, keys.Command{ID: "diff", Verb: keys.Diff, Label: "diff", Help: "Compare two marked frames, or this one with the marked one", Words: "difference compare", Footer: 11}, func(row int32) { p.Diff(row) }, func(int32) string {
			return keys.Reason(!p.Store().HasMarked(), p.MarkTwo())
		}),
		p.On(row, keys.Command{ID: "pin", Verb: keys.Pin, Label: "pin", Help: pins.Help, Words: "snapshot regression test expect favorite save", Footer: 28}, func(row int32) { p.Pin(row) }),
	}
}

// On completes a command on the selected frame, as in [Program.Commands]. The command calls run with its row.
// It is off if no row is selected, or if one of off returns a reason.
func (p *Program) On(row func() int32, c keys.Command, run func(row int32), off ...func(row int32) string) keys.Command {
	c.Run = func() { run(row()) }
	c.Off = func() string {
		i := row()
		if i == store.None {
			return "No frame is selected."
		}
		return keys.First(i, off)
	}
	return c
}

// Copies returns the command that copies the selected frame; see [Program.Commands].
func (p *Program) Copies(of string, row func() int32) keys.Command {
	return p.On(row, keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy " + of + ", byte for byte", Words: "yank clipboard"}, p.CopyFrame)
}

// Explains returns the command for [Program.ExplainFrame] of the selected frame; see [Program.Commands].
func (p *Program) Explains(row func() int32) keys.Command {
	return p.On(row, keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the findings of the frame, its error, status or method", Words: "why what means code lint problems", Footer: 22}, p.ExplainFrame, p.unexplained)
}

const nothingToExplain = "There is nothing to explain here."

// unexplained returns why a frame cannot be explained, or "".
func (p *Program) unexplained(row int32) string {
	if len(p.Source.FindingsAt(row)) > 0 {
		return ""
	}
	_, _, ok := p.CardOf(row, false)
	return keys.Reason(!ok, nothingToExplain)
}

// ExplainFrame explains the findings of a frame; of one without findings it opens the card.
func (p *Program) ExplainFrame(row int32) {
	if len(p.Source.FindingsAt(row)) > 0 {
		p.Findings(row)
		return
	}
	p.Card(row, false)
}

// Card opens the card that explains the error or method of a frame or, with asHTTP, its HTTP status.
func (p *Program) Card(row int32, asHTTP bool) {
	c, _, ok := p.CardOf(row, asHTTP)
	if !ok {
		p.Say(nothingToExplain)
		return
	}
	p.Explain(c)
}

// otherOfPair returns the row that belongs to another one: the request of a response or a notification, or the
// response of a request. It returns None if there is no such frame.
func otherOfPair(s *store.Store, row int32) int32 {
	request, response := s.Related(row)
	if row == request {
		return response
	}
	return request
}

// Pairs returns the command that goes from the selected request to its response, and back. run is called with
// the new row. footer is [keys.Command.Footer].
func (p *Program) Pairs(row func() int32, footer int, run func(row int32)) keys.Command {
	c := p.On(row, keys.Command{ID: "frame.pair", Keys: keys.On("] ["), Label: "pair", Help: "Go from a request to its response, and back", Words: "response request match", Footer: footer}, run)
	none := c.Off
	c.Off = func() string {
		if why := none(); why != "" || otherOfPair(p.Store(), row()) != store.None {
			return why
		}
		return "This frame has no matching request or response."
	}
	return c
}

// Pair selects the response of the request in a row, or the request of a response or notification.
func (p *Program) Pair(row int32) { p.ShowFrame(otherOfPair(p.Store(), row)) }

// body reads a whole frame in the background.
func (p *Program) body(row int32, then func(body []byte)) {
	s := p.Store()
	dialog.Try(p, func(context.Context) ([]byte, error) { return s.Body(row) }, then)
}

// CopyFrame copies a frame, byte for byte.
func (p *Program) CopyFrame(row int32) {
	p.body(row, func(body []byte) { p.Copy(string(body), nil, "frame") })
}

func (p *Program) noFrame(row int32) string {
	if r, _ := p.Store().Row(row); !r.IsFrame() {
		return "This row is not a frame."
	}
	return ""
}

// heldOf returns the row of the held frame of an exchange: the selected frame, or the response of the selected request.
// It returns [store.None] if neither is held.
func (p *Program) heldOf(row int32) int32 {
	if p.Held == nil || p.EditHeld == nil || row == store.None {
		return store.None
	}
	all := p.Held()
	_, response := p.Store().Related(row)
	for _, of := range []int32{row, response} {
		if _, held := all[of]; held {
			return of
		}
	}
	return store.None
}

// edits returns the command that edits the selected frame; see [Program.Commands].
func (p *Program) edits(of string, row func() int32) keys.Command {
	return p.On(row, keys.Command{
		ID: "edit", Verb: keys.Edit, Label: "edit", Help: "Open " + of + " in the composer; edit a held frame before it is forwarded",
		Words: "change modify resend held", Footer: 13, Now: func() string { return paint.If(p.heldOf(row()) != store.None, "edit held", "edit") },
	}, p.edit, p.noFrame)
}

// edit opens a frame in the composer. It edits a held frame itself: a copy of it would be another frame.
func (p *Program) edit(row int32) {
	if held := p.heldOf(row); held != store.None {
		p.EditHeld(held)
		return
	}
	r, _ := p.Store().Row(row)
	p.body(row, func(body []byte) {
		if r.Flags&store.OddEnding != 0 {
			body = append(body, '\r') // the line ended with \r\n; the transport adds \n
		}
		p.ComposeFrame(body)
	})
}

// requestOf returns the row of a response's request. For other rows it returns the row itself.
func (p *Program) requestOf(row int32) int32 {
	if request, _ := p.Store().Related(row); request != store.None {
		return request
	}
	return row
}

func (p *Program) cannotResend(row int32) string {
	if why := p.noFrame(row); why != "" {
		return why
	}
	if r, _ := p.Store().Row(p.requestOf(row)); r.Dir != transport.Out {
		return "Only frames that mcptea sent can be sent again. " + p.Key("edit") + " opens this one in the composer."
	}
	return ""
}

func (p *Program) resend(row int32) { p.body(p.requestOf(row), p.Send) }

func (p *Program) cannotCancel(row int32) string {
	if why := p.noFrame(row); why != "" {
		return why
	}
	switch r, _ := p.Store().Row(p.requestOf(row)); {
	case r.Flags&store.Pending == 0:
		return "This request is not pending."
	case r.Dir != transport.Out:
		return "Only the server can cancel its own request."
	case r.Kind != jsonrpc.Request:
		return "The requests of a batch are cancelled one by one, with notifications/cancelled."
	}
	return ""
}

// cancel cancels the request of a row. It reads only its id.
func (p *Program) cancel(row int32) {
	r, _ := p.Store().Row(p.requestOf(row))
	p.Online("Cancel", func() { dialog.Tell(p.App, p.Cancel(jsonrpc.IDOf(p.Store().NewScanner().ID(&r)))) })
}
