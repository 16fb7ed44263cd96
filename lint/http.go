package lint

import (
	"bytes"
	"cmp"
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record"
)

// HTTP checks an exchange when it has reached a phase.
func (e *Engine) HTTP(report transport.Exchange, row int32) {
	x := e.st.Exchanges[report.ID]
	if x == nil {
		x = &Exchange{}
		if first := e.st.Exchanges[report.Repeats]; first != nil {
			x.copyFrom(first, e.st)
		}
		e.st.Exchanges[report.ID] = x
	} else {
		x.phases = int(x.Phase) + 1
	}
	if report.Phase == transport.ExchangeDone && !x.Done {
		e.st.exchangeDone(report.ID)
	}
	if report.Purpose == transport.PurposeEndSession {
		e.st.Closing = true
	}
	report.LastEventID, report.Retry = cmp.Or(report.LastEventID, x.LastEventID), cmp.Or(report.Retry, x.Retry)
	x.Exchange, x.Row, x.Done = report, row, report.Phase == transport.ExchangeDone
	if report.Purpose == transport.PurposeStream {
		e.st.Link = SSE // the client has detected HTTP+SSE
	}
	e.st.Now = later(e.st.Now, report.Start.Add(max(report.FirstByte, report.Took)))
	if id, ok := e.st.opensSession(x); ok {
		defer func() { e.st.SessionID = id }()
	}
	r := e.st.Revision
	if x.revision != "" {
		r = x.revision
	}
	c := &Context{St: e.st, X: x, engine: e}
	if e.exchange(c, r); x.Done && x.Failed && x.Status >= http.StatusBadRequest && len(x.ResponseBody) > 0 {
		c.Body = x.ResponseBody
		e.run(e.rulesOf(r).body, c)
	}
	x.markLost(e.st)
	e.flush()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Authorization checks a step of authorization that has ended. This covers the request of the
// browser, which is not an exchange of mcptea, and the authorization response.
func (e *Engine) Authorization(at time.Time, step *record.Step, row int32) {
	if step.URL == "" && step.Refused == "" {
		return
	}
	e.st.Now = later(e.st.Now, at)
	x := &Exchange{Row: row}
	x.Phase, x.Method, x.URL, x.Purpose, x.Start = transport.ExchangeSent, http.MethodGet, step.URL, transport.PurposeAuthorization, at
	c := &Context{St: e.st, X: x, Step: step, engine: e}
	e.exchange(c, e.st.Revision)
	e.flush()
}

// exchange runs the rules about HTTP.
func (e *Engine) exchange(c *Context, r revision.Revision) {
	e.run(e.rulesOf(r).http, c)
	if r == "" {
		r = e.st.offeredRevision // authorization precedes the first response
	}
	e.run(e.rulesOf(r).auth, c)
}

// hasOtherErrorBody reports whether the frame is the body of an HTTP error that does not claim to
// be JSON-RPC.
func (x *Exchange) hasOtherErrorBody(f *Frame) bool {
	if x == nil || f.Dir != transport.In || x.Status < 400 || f.Envelope.Kind == jsonrpc.Batch {
		return false
	}
	_, claims := jsonrpc.Member(f.Bytes, "jsonrpc")
	return !claims && !bytes.Contains(f.Bytes[:min(len(f.Bytes), 200)], []byte(`"jsonrpc"`))
}

func (x *Exchange) countFrame(f *Frame) {
	if f.Dir == transport.In {
		x.FramesReceived++
		x.LastEventID = cmp.Or(f.EventID, x.LastEventID)
	}
}
