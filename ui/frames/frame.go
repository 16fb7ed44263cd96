// Package frames has what every pane with recorded frames offers in the same way: the
// commands on a frame, the filter, the views of the traffic, and the card of what a frame
// is about. It knows no pane.
//
// Tests: ui/parts/frames*_test.go
package frames

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
	"mcptea/session/explain/card"
	"mcptea/session/record"
	"mcptea/session/record/store"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Source is where frames are looked up, and what the rules found in them.
type Source interface {
	Store() *store.Store
	State() session.State
	FindingsAt(row int32) []lint.Finding
	ErrorRows() []int32 // those with a finding that is an error, in no order
	// WorstIn is the gravest finding about the frames of an exchange, and how many there are: about its
	// request, its response, and the frames in between; nil without one.
	WorstIn(root, response int32) (worst *lint.Finding, n int)
}

// Program is the program as panes with frames see it. The zero Program lists commands and
// carries none out.
type Program struct {
	app.App
	Source Source
	Filter *Filter

	Agent  func() map[int32]bool // rows of the requests that agents have sent; nil for none
	Cancel func(id jsonrpc.ID)
	// Send sends a request again under a new id, or a frame that is no request exactly as it is.
	Send      func(frame []byte)
	Pin, Diff func(row int32)
	Show      func(v View)
	Whole     func(row int32) // the frame in full
	Findings  func(row int32) // the frame in full, with its findings explained
	// Held are the rows of the held frames, with the time for which they are held; nil holds none.
	Held func() map[int32]time.Duration
}

// CardOf is the card of what a row is about; see [card.OfRow].
func (p *Program) CardOf(row int32, asHTTP bool) (c card.Card, wrong, ok bool) {
	return card.OfRow(p.Store(), p.Source.State().Handshake.Revision, row, asHTTP)
}

// Store is that of the frames; nil for the zero Program.
func (p *Program) Store() *store.Store {
	if p.Source == nil {
		return nil
	}
	return p.Source.Store()
}

// Agents are the rows of the requests that agents have sent.
func (p *Program) Agents() map[int32]bool {
	if p.Agent == nil {
		return nil
	}
	return p.Agent()
}

// SentBy is who has sent a request in place of the user, of which a frame is a part:
// "agent", "app", "attached" for a command with --attach, or "mcptea" for a tap itself; empty for the
// others. agents are
// [Program.Agents].
func (p *Program) SentBy(agents map[int32]bool, index int32, r *store.Row) string {
	request := max(r.Request(), r.SentFor(index)) // one of them is store.None
	of, ok := p.Store().Row(request)
	switch {
	case agents[index] || agents[request]:
		return sentByAgent
	case r.Flags&store.Attached != 0 || ok && of.Flags&store.Attached != 0:
		return sentByAttached
	case r.OfTap() || ok && of.OfTap():
		return sentByTap
	case p.isForApp(r, index) || ok && p.isForApp(&of, request):
		return sentByApp
	}
	return ""
}

// isForApp reports a request to the server that is sent for a message of an app.
func (p *Program) isForApp(r *store.Row, index int32) bool {
	cause, ok := p.Store().Row(r.SentFor(index))
	return ok && cause.App && !r.App
}

// View is a view of the traffic.
type View uint8

// The views, in the order in which a key goes through them.
const (
	ExchangeList View = iota
	FrameList
	Timeline
	Sequence
)

// IsList reports whether a view is the list, of exchanges or of frames.
func (v View) IsList() bool { return v <= FrameList }

// Views are the names of the views. The caller owns the slice.
func Views() []string { return []string{"exchanges", "frames", "timeline", "sequence"} }

// Clickable has clicks on the names of the views in the upper border of a box show them.
func (p *Program) Clickable(c *app.Canvas) {
	c.Click(0, 0, c.W, 1, func(x, _ int) {
		if i := paint.ChoiceAt(Views(), x, c.W); i >= 0 {
			p.Show(View(i))
		}
	})
}

// Next is the command that shows the next view of the traffic.
func (p *Program) Next(v View) keys.Command {
	help := [...]string{"Show a request and all that belongs to it as one row", "Show the frames one by one", "Show the requests in time: waterfall, latencies, phases", "Show the frames as a sequence diagram"}[v]
	words := [...]string{"list calls wire", "frames wire", "waterfall latency percentiles performance slow duration speed timing profile", "diagram mermaid arrows"}[v]
	return keys.Command{ID: "view", Verb: keys.NextShape, Label: Views()[v], Help: help, Words: words, Footer: 27, Run: func() { p.Show(v) }}
}

// Commands are those on the frame that row selects; of names it in their help.
func (p *Program) Commands(of string, row func() int32) []keys.Command {
	return []keys.Command{
		p.On(row, keys.Command{ID: "again", Verb: keys.Again, Label: "resend", Help: "Send this request again with a new id", Words: "repeat retry replay again", Footer: 25}, p.resend, p.cannotResend),
		p.On(row, keys.Command{ID: "edit", Verb: keys.Edit, Label: "edit", Help: "Open " + of + " in the composer", Words: "change modify resend", Footer: 27}, p.edit, p.noFrame),
		p.On(row, keys.Command{ID: "cancel.request", Verb: keys.End, Label: "cancel", Help: "Cancel this request", Words: "stop abort"}, p.cancel, p.cannotCancel),
		p.On(row, keys.Command{ID: "mark", Verb: keys.Mark, Label: "mark", Help: "Mark " + of + ", to compare it or to export it; or unmark it", Words: "select remember bookmark", Footer: 26}, p.Mark),
		p.On(row, keys.Command{ID: "note", Verb: keys.Annotate, Label: "note", Help: "Write a note on " + of + ", or change it", Words: "annotate comment remark", Footer: 86}, p.Note),
		{ID: "mark.none", Label: "unmark all", Help: "Unmark all frames", Words: "clear", Run: p.unmark},
		p.On(row, keys.Command{ID: "diff", Verb: keys.Diff, Label: "diff", Help: "Compare two marked frames, or this one with the marked one", Words: "difference compare", Footer: 23}, func(row int32) { p.Diff(row) }, func(int32) string {
			return keys.Reason(!p.Store().HasMarked(), p.MarkTwo())
		}),
		p.On(row, keys.Command{ID: "pin", Verb: keys.Pin, Label: "pin", Help: pins.Help, Words: "snapshot regression test expect favorite save", Footer: 28}, func(row int32) { p.Pin(row) }),
	}
}

// On is a command on the frame that row selects; it is off without one, or when off says so.
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

// Copies copies the frame that row selects.
func (p *Program) Copies(of string, row func() int32) keys.Command {
	return p.On(row, keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy " + of + ", byte for byte", Words: "yank clipboard"}, p.CopyFrame)
}

// Explains explains the frame that row selects: what the rules found in it, or what it is.
func (p *Program) Explains(row func() int32) keys.Command {
	return p.On(row, keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the findings of the frame, its error, status or method", Words: "why what means code lint problems", Footer: 22}, p.ExplainFrame)
}

// ExplainFrame explains what the rules found in a frame, or what it is.
func (p *Program) ExplainFrame(row int32) {
	if len(p.Source.FindingsAt(row)) > 0 {
		p.Findings(row)
		return
	}
	p.Card(row, false)
}

// Card opens the card of what a frame is about; asHTTP that of the status it came with.
func (p *Program) Card(row int32, asHTTP bool) {
	c, _, ok := p.CardOf(row, asHTTP)
	if !ok {
		p.Say("There is nothing to explain here.")
		return
	}
	p.Explain(c)
}

// otherOfPair is the row that belongs with another: the request of a response or of a
// notification, or the response of a request; None without one.
func otherOfPair(s *store.Store, row int32) int32 {
	request, response := s.Related(row)
	if row == request {
		return response
	}
	return request
}

// Pairs goes to the frame that belongs with the one that row selects.
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

// Pair selects the row that belongs with the one that is selected.
func (p *Program) Pair(row int32) { p.ShowFrame(otherOfPair(p.Store(), row)) }

// body reads a frame whole while the screen goes on.
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

func (p *Program) edit(row int32) {
	r, _ := p.Store().Row(row)
	p.body(row, func(body []byte) {
		if r.Flags&store.OddEnding != 0 {
			body = append(body, '\r') // the line ended with \r\n; the transport adds \n
		}
		p.ComposeFrame(body)
	})
}

// requestOf is the row of the request that is meant on a response to it.
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

// cancel cancels the request of a row. It reads no more of it than the id.
func (p *Program) cancel(row int32) {
	r, _ := p.Store().Row(p.requestOf(row))
	p.Online("Cancel", func() { p.Cancel(jsonrpc.IDOf(p.Store().NewScanner().ID(&r))) })
}

// Marked are the rows of the marked frames, in the order in which they were marked.
func Marked(s *store.Store) []int32 {
	var rows []int32
	for _, x := range s.Marks() {
		if x.Marked {
			rows = append(rows, x.Row)
		}
	}
	return rows
}

// set sets what the user says of frames; done is called in Update when it was kept.
func (p *Program) set(done func(), list ...record.Mark) {
	s := p.Store()
	var err error
	for _, x := range list {
		err = errors.Join(err, s.SetMark(x))
	}
	p.Go(func(context.Context) func() {
		if err = errors.Join(err, s.SaveMarks()); err != nil {
			return func() { p.Fail(dialog.Sentence(err)) }
		}
		return done
	})
}

// Mark marks a frame, or unmarks it.
func (p *Program) Mark(row int32) {
	x := p.Store().MarkAt(row)
	x.Marked = !x.Marked
	p.set(p.sayMarked, x)
}

// MarkExchanges marks all frames of the exchanges of roots, or unmarks them when all of them are.
func (p *Program) MarkExchanges(roots []int32) {
	s := p.Store()
	p.Go(func(context.Context) func() {
		rows := frames(s, roots)
		marked := !slices.ContainsFunc(rows, func(row int32) bool { return !s.MarkAt(row).Marked })
		list := make([]record.Mark, len(rows))
		for i, row := range rows {
			list[i] = s.MarkAt(row)
			list[i].Marked = !marked
		}
		return func() { p.set(p.sayMarked, list...) }
	})
}

// frames are those of exchanges: of one all, of several their requests and responses.
func frames(s *store.Store, roots []int32) (rows []int32) {
	if len(roots) == 1 {
		return s.RowsOf(roots[0], maxMarks)
	}
	for _, root := range roots {
		r, _ := s.Row(root)
		for _, row := range []int32{root, r.Pair} {
			if row != store.None {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// maxMarks is how many frames of an exchange are marked at once: its first ones.
const maxMarks = 1000

// MarkTwo says how two frames are compared.
func (p *Program) MarkTwo() string {
	return "Mark a frame with " + p.Key("mark") + ", then select another one to compare."
}

// PerExchange is how many of some rows are of each exchange, by its root.
func PerExchange(s *store.Store, rows []int32) map[int32]int {
	of := map[int32]int{}
	for _, row := range rows {
		of[s.Root(row)]++
	}
	return of
}

// sayMarked says what is marked: exchanges where all that is marked of each are several frames, else frames.
func (p *Program) sayMarked() {
	rows, noun := Marked(p.Store()), "frame"
	of, n := PerExchange(p.Store(), rows), len(rows)
	if n > 0 && slices.Min(slices.Collect(maps.Values(of))) > 1 {
		rows[0], noun, n = p.Store().Root(rows[0]), "exchange", len(of)
	}
	switch n {
	case 0:
		p.Say("No frame is marked.")
	case 1:
		p.Say(fmt.Sprintf("%s #%d is marked. %s on another one compares them, %s exports it.", phrase.Capital(noun), rows[0]+1, p.Key("diff"), p.Key("export")))
	default:
		p.Say(fmt.Sprintf("%s are marked. %s compares the last two, %s exports them.", phrase.Count(n, noun), p.Key("diff"), p.Key("export")))
	}
}

// unmark unmarks all frames. Notes stay.
func (p *Program) unmark() {
	list := p.Store().Marks()
	for i := range list {
		list[i].Marked = false
	}
	p.set(p.sayMarked, list...)
}

// Note asks for the note on a frame.
func (p *Program) Note(row int32) {
	dialog.Prompt{
		Title: fmt.Sprintf("Note on frame #%d", row+1), Verb: "save", Value: p.Store().MarkAt(row).Note,
		Text: "One line of text. It is kept with the recording; an empty one removes it.",
		Accept: func(text string) (func(), error) {
			return func() {
				x := p.Store().MarkAt(row)
				x.Note = text
				p.set(nil, x)
			}, nil
		},
	}.Open(p)
}
