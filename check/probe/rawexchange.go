package probe

import (
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/store"
)

// purposeProbe is the purpose of raw requests in the record.
const purposeProbe = "probe"

// A rawExchange is a raw HTTP request in the record and for the linter.
type rawExchange struct {
	j   *journal
	x   transport.Exchange
	row int32 // row of the newest frame, or of the exchange; None if nothing is recorded
}

// startExchange records a raw request. Raw requests share a connection in the record.
func (j *journal) startExchange(req *http.Request, body []byte, at time.Time) *rawExchange {
	e := &rawExchange{j: j, row: store.None}
	j.mu.Lock()
	if j.raw == nil {
		j.raw = j.open()
	}
	j.exchanges++
	number := j.exchanges
	j.mu.Unlock()
	h := req.Header.Clone()
	h.Set("Host", req.Host)
	e.x = transport.Exchange{
		ID: number, Purpose: purposeProbe, Start: at, Method: req.Method, URL: secret.URL(req.URL.String()),
		RequestHeader: j.secrets.RedactHeader(h), Sent: int64(len(body)),
	}
	if j.raw == nil {
		return e
	}
	j.raw.Exchange(e.x)
	if len(body) > 0 {
		e.row = e.append(transport.Out, body, at)
	}
	return e
}

func (e *rawExchange) append(dir transport.Direction, body []byte, at time.Time) int32 {
	return e.j.raw.Append(e.frame(dir, body, at))
}

func (e *rawExchange) frame(dir transport.Direction, body []byte, at time.Time) transport.Frame {
	return transport.Frame{Dir: dir, Time: at, Bytes: body, Envelope: jsonrpc.Scan(body), Exchange: e.x.ID}
}

// end records the response.
func (e *rawExchange) end(p *Outcome) {
	now := time.Now()
	e.x.Phase, e.x.Status, e.x.FirstByte, e.x.Took = transport.ExchangeHeaders, p.Status, p.Took, p.Took
	e.x.ResponseHeader, e.x.Received = e.j.secrets.RedactHeader(p.Header), int64(len(p.Body))
	if p.Err != nil {
		e.x.Err, e.x.ClosedBy = e.j.redact(p.Err.Error()), transport.ClosedByNetwork
	} else if e.j.raw != nil {
		e.j.raw.Exchange(e.x)
	}
	e.x.Phase = transport.ExchangeDone
	if p.Frame == nil {
		e.x.Failed = true
		head := e.j.redact(string(p.Body[:min(len(p.Body), 2*maxEvidence)])) // redact a little more than is kept, so that a secret at the cut is recognized
		e.x.ResponseBody = []byte(head[:min(len(head), maxEvidence)])
	}
	if e.j.raw == nil {
		return
	}
	if p.Frame != nil {
		e.row = e.append(transport.In, p.Frame, now)
	}
	if row := e.j.raw.Exchange(e.x); row != store.None {
		e.row = row
	}
}

// lint passes an ended exchange to the linter if it has an HTTP error or authorization metadata.
// The request may be wrong on purpose, so probes use only findings of rules that apply to all
// connections.
func (e *rawExchange) lint(sent, received Frame, p *Outcome) {
	if p.Status < http.StatusBadRequest && e.x.Purpose != transport.PurposeAuthorization {
		return
	}
	j := e.j
	j.feedMu.Lock()
	defer j.feedMu.Unlock()
	if j.feed == nil {
		raw := &Conn{linted: true}
		j.feed = rules.New(func(f lint.Finding) { j.linted(raw, f) }, lint.Redact(j.redact), lint.Asked(j.ask))
		j.feed.Begin(lint.HTTP)
	}
	event := func(kind record.Kind, of Frame, event record.Event) {
		event.Kind, event.Time, event.Seq = kind, of.Time, int64(of.Seq)
		j.feed.Event(&event, int32(of.Seq))
	}
	x := e.x
	x.Phase, x.Failed, x.ResponseBody = transport.ExchangeSent, false, nil
	event(record.KindHTTP, sent, record.Event{Exchange: &x})
	if len(p.Sent) > 0 {
		event(record.KindFrame, sent, record.Event{Frame: e.frame(transport.Out, p.Sent, sent.Time)})
	}
	if p.Frame != nil {
		x.Phase = transport.ExchangeHeaders
		event(record.KindHTTP, received, record.Event{Exchange: &x})
		event(record.KindFrame, received, record.Event{Frame: e.frame(transport.In, p.Frame, received.Time)})
	}
	done := e.x
	if done.Purpose == transport.PurposeAuthorization {
		done.ResponseBody = p.Body // rules redact the text that they quote
	}
	event(record.KindHTTP, received, record.Event{Exchange: &done})
}
