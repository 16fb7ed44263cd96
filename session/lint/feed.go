package lint

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
	"mcptea/session/record"
)

// Feed gives the events of a session to an engine, those of a running one and
// those of a recording alike. It is not safe for concurrent use.
type Feed struct {
	engine *rule.Engine
	closed bool // the client has closed stdin
	ticked time.Time

	rows  int32          // of the record, so far
	known [knownRows]row // the newest frames, by their row; a change names one
}

// knownRows is how many frames are remembered for a change, which may come minutes later.
const knownRows = 1 << 13

// row is a frame of the record as the engine knows it.
type row struct {
	number   int32 // in the record, from 1; 0 for none
	row      int32 // for the engine
	exchange uint32
	dir      transport.Direction
}

// tickInterval is the time between two calls of the rules about timeouts, by the
// times of the events.
const tickInterval = time.Second

// NewFeed returns a feed of an engine that calls report with each finding.
func NewFeed(report func(rule.Finding), options ...rule.Option) *Feed {
	return &Feed{engine: New(report, options...)}
}

// links are the names of the transports in a recording.
var links = map[string]rule.Link{"stdio": rule.Stdio, "http": rule.HTTP, "sse": rule.SSE}

// Begin starts a connection over a transport that a recording names. An event
// does the same; recordings of version 1 have none.
func (f *Feed) Begin(transport string) {
	f.engine.Begin(links[transport])
	f.closed = false
}

// Event checks an event. Findings get the row. Connections beside that of the session
// are not checked: what mcptea check sends on them may be wrong on purpose.
func (f *Feed) Event(e *record.Event, row int32) {
	if e.IsRow() {
		f.rows++
	}
	if e.Beside {
		return
	}
	switch e.Kind {
	case record.KindConnection:
		f.connection(e.Connection)
	case record.KindFrame:
		if e.Time.Sub(f.ticked) >= tickInterval || e.Time.Before(f.ticked) {
			f.Tick(e.Time)
		}
		switch e.Frame.Side {
		case transport.Both:
			f.engine.Frame(f.frame(e, row))
			f.remember(e, row)
		case transport.Injected:
			f.engine.Silently(f.frame(e, row))
			f.remember(e, row)
		case transport.Withheld:
			f.remember(e, row)
		}
	case record.KindChange:
		f.changed(e)
	case record.KindHTTP:
		f.engine.HTTP(*e.Exchange, row)
	case record.KindAuthorization:
		f.engine.Authorization(e.Time, e.Step, row)
	case record.KindStderr:
		f.engine.Stderr(e.Time, e.Text)
	case record.KindProcess:
		f.process(e.Process, row)
	}
}

func (f *Feed) connection(c *record.Connection) {
	switch c.What {
	case record.ConnectionOpened:
		f.Begin(c.Transport)
	case record.ConnectionReady:
		if links[c.Transport] == rule.SSE && f.engine.State().Link != rule.SSE {
			f.engine.SetLink(rule.SSE) // the server supports only the older transport
		}
	}
}

func (f *Feed) frame(e *record.Event, row int32) rule.Frame {
	out := rule.Frame{Row: row}
	out.Frame = e.Frame
	out.Envelope = jsonrpc.Scan(e.Frame.Bytes)
	return out
}

// remember keeps what a change of the frame needs.
func (f *Feed) remember(e *record.Event, at int32) {
	f.known[f.rows%knownRows] = row{f.rows, at, e.Frame.Exchange, e.Frame.Dir}
}

// changed judges what follows by what was sent on in place of a frame. The sender of the
// frame was judged by what it has sent.
func (f *Feed) changed(e *record.Event) {
	of := f.known[(e.Change.Row+1)%knownRows]
	if e.Change.Sent == nil || of.number != e.Change.Row+1 {
		return
	}
	frame := rule.Frame{Row: of.row}
	frame.Time, frame.Dir = e.Time, of.dir
	if of.dir == transport.Out {
		frame.Exchange = of.exchange // of a response it has counted its frame already
	}
	f.engine.Changed(frame, e.Change.Sent)
}

func (f *Feed) process(p *transport.ProcessEvent, row int32) {
	switch p.What {
	case transport.ProcessStdinClosed:
		f.closed = true
		f.engine.StdinClosed(p.Time)
	case transport.ProcessExited:
		by := rule.Server
		if f.closed || p.Expected {
			by = rule.Client
		}
		end := rule.Ending{Row: row, By: by, Exited: true, ExitCode: p.ExitCode, Signal: p.Signal}
		if closed := f.engine.State().StdinClosed; !closed.IsZero() {
			end.RanOn = p.Time.Sub(closed)
		}
		f.engine.End(p.Time, end)
	}
}

// Tick lets time pass without an event.
func (f *Feed) Tick(now time.Time) {
	f.ticked = now
	f.engine.Tick(now)
}

// StdinClosed reports whether the client has closed the server's stdin.
func (f *Feed) StdinClosed() bool { return !f.engine.State().StdinClosed.IsZero() }
