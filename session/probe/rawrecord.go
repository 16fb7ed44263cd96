package probe

import (
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/session/record"
	"mcptea/session/store"
)

// purposeProbe is the purpose of the raw requests in the record.
const purposeProbe = "probe"

// rawExchange is a raw request in the record.
type rawExchange struct {
	j   *journal
	x   transport.Exchange
	row int32 // of its newest frame, or of itself; None without one
}

// startExchange records a raw request. They are on a connection of their own.
func (j *journal) startExchange(req *http.Request, body []byte, at time.Time) *rawExchange {
	e := &rawExchange{j: j, row: store.None}
	if j.record == nil {
		return e
	}
	j.mu.Lock()
	if j.raw == nil {
		j.raw = j.record.Beside(record.Connection{Transport: j.transport, Target: j.target})
	}
	j.exchanges++
	number := j.exchanges
	j.mu.Unlock()
	h := req.Header.Clone()
	h.Set("Host", req.Host)
	e.x = transport.Exchange{
		ID: number, Purpose: purposeProbe, Start: at, Method: req.Method, URL: secret.URL(req.URL.String()),
		RequestHeader: j.secrets.RedactHeader(secret.Header(h)), Sent: int64(len(body)),
	}
	j.raw.Exchange(e.x)
	if len(body) > 0 {
		e.row = e.append(transport.Out, body, at)
	}
	return e
}

func (e *rawExchange) append(dir transport.Direction, body []byte, at time.Time) int32 {
	row, _ := e.j.raw.Append(transport.Frame{Dir: dir, Time: at, Bytes: body, Envelope: jsonrpc.Scan(body), Exchange: e.x.ID})
	return row
}

// end records the response.
func (e *rawExchange) end(p *Outcome) {
	if e.j.record == nil {
		return
	}
	now := time.Now()
	e.x.Phase, e.x.Status, e.x.FirstByte, e.x.Took = transport.ExchangeHeaders, p.Status, p.Took, p.Took
	e.x.ResponseHeader, e.x.Received = e.j.secrets.RedactHeader(secret.Header(p.Header)), int64(len(p.Body))
	if p.Err != nil {
		e.x.Err, e.x.ClosedBy = e.j.redact(p.Err.Error()), transport.ClosedByNetwork
	} else {
		e.j.raw.Exchange(e.x)
	}
	e.x.Phase = transport.ExchangeDone
	if message := p.Frame; message != nil {
		e.row = e.append(transport.In, message, now)
	} else {
		e.x.Failed = true
		e.x.ResponseBody = secret.Body(p.Header.Get("Content-Type"), p.Body[:min(len(p.Body), maxEvidence)])
	}
	if row := e.j.raw.Exchange(e.x); row != store.None {
		e.row = row
	}
}
