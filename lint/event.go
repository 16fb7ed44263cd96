package lint

import (
	"time"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
)

// knownRows is the number of frames that a change can refer to. A change may be recorded minutes
// later than its frame.
const knownRows = 1 << 13

// row is a frame of the record that a change can refer to.
type row struct {
	number   int32 // 1-based row in the record, or 0 if there is none
	row      int32 // row that the engine uses in findings
	exchange uint32
	dir      transport.Direction
}

// tickInterval is the time between two runs of the rules about timeouts, measured by the times of
// the events.
const tickInterval = time.Second

// links maps the name of a transport in a recording to the link.
var links = map[string]Link{"stdio": Stdio, "http": HTTP, "sse": SSE}

// Open starts a connection over the transport in the header of a recording. The event of a
// connection also starts it, but a part of a recording may lack that event. For a part of a
// session, the engine skips rules that need the whole session.
func (e *Engine) Open(h record.Header) {
	e.isPart = h.Part
	e.Begin(links[h.Transport])
}

// Event checks an event of a live session or a recording. row is the row for findings. Event scans
// frames that are not scanned yet. On additional connections, it checks only messages of apps,
// because mcptea check sends invalid messages there on purpose.
func (e *Engine) Event(event *record.Event, row int32) {
	if event.IsRow() {
		e.rows++
	}
	if event.Beside {
		e.appEvent(event, row)
		return
	}
	switch event.Kind {
	case record.KindConnection:
		switch c := event.Connection; {
		case c.What == record.ConnectionOpened:
			e.Begin(links[c.Transport])
		case c.What == record.ConnectionReady && links[c.Transport] == SSE:
			e.st.Link = SSE // the server supports only the older transport
		case c.What == record.ConnectionClosed:
			e.Close(event.Time)
		}
	case record.KindFrame:
		if event.Time.Sub(e.ticked) >= tickInterval || event.Time.Before(e.ticked) {
			e.Tick(event.Time)
		}
		e.frameEvent(event, row)
	case record.KindChange:
		e.changed(event)
	case record.KindHTTP:
		e.HTTP(*event.Exchange, row)
	case record.KindAuthorization:
		e.Authorization(event.Time, event.Step, row)
	case record.KindDelivery:
		e.Delivery(event.Time, &Delivery{*event.Delivery, []byte(event.Text), row})
	case record.KindStderr:
		e.Stderr(event.Time, event.Text)
	case record.KindProcess:
		e.process(event.Process, row)
	case record.KindNote:
		e.st.Lost = e.st.Lost || event.IsGap()
	}
}

// frameEvent checks a frame. It remembers the frame, because a change of it may follow.
func (e *Engine) frameEvent(event *record.Event, at int32) {
	f := &e.current.f
	*f = Frame{Frame: event.Frame, Row: at, Ahead: flow.Ahead(event.Ahead), Parts: event.Parts}
	switch f.Side {
	case transport.Both, transport.Attached, transport.Own:
		e.frame()
	case transport.Injected:
		e.silent = true
		e.frame()
		e.silent = false
	}
	if e.known == nil {
		e.known = make([]row, knownRows)
	}
	e.known[e.rows%knownRows] = row{e.rows, at, f.Exchange, f.Dir}
}

// changed handles a change of a frame. In the state, the frames that were forwarded replace the
// original. The original has already been judged as a frame of its sender.
func (e *Engine) changed(event *record.Event) {
	if e.known == nil {
		return
	}
	of := e.known[(event.Change.Row+1)%knownRows]
	if event.Change.Sent == nil || of.number != event.Change.Row+1 {
		return
	}
	frame := Frame{Row: of.row}
	frame.Time, frame.Dir = event.Time, of.dir
	if of.dir == transport.Out {
		frame.Exchange = of.exchange // the exchange has already counted the frame of the response
	}
	e.sentOthers(frame, event.Change.Sent)
}

func (e *Engine) process(p *transport.ProcessEvent, row int32) {
	switch closed := e.st.StdinClosed; p.What {
	case transport.ProcessStdinClosed:
		e.StdinClosed(p.Time)
	case transport.ProcessExited:
		end := Ending{Row: row, By: Server, Exited: true, ExitCode: p.ExitCode, Signal: p.Signal}
		if !closed.IsZero() {
			end.RanOn = p.Time.Sub(closed)
		}
		if !closed.IsZero() || p.Expected {
			end.By = Client
		}
		e.End(p.Time, end)
	}
}
