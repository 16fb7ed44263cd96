package batch

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// batchRules judge arrays of messages, which only 2025-03-26 has.
var batchRules = []rule.Rule{
	{Line: watchBatch, After: watchBatched},
	{ID: "B001", Line: func(c *rule.Context) {
		if isBatch(c) {
			c.Report(rule.Whole, "count", elements(c), "revision", c.St.Revision)
		}
	}, Message: batchedOffer},
	{ID: "B002", Line: func(c *rule.Context) {
		if isBatch(c) {
			c.Report(rule.Whole)
		}
	}},
	{ID: "B003", Line: func(c *rule.Context) {
		if c.F.Envelope.Flaws&jsonrpc.FlawEmptyBatch != 0 {
			c.Report(rule.Whole)
		}
	}},
	{ID: "B004", Methods: []string{"initialize"}, Message: func(c *rule.Context) {
		if c.M.Index >= 0 && c.M.IsRequest() && c.M.Frame.Dir == transport.Out {
			c.Report(rule.At("method"))
		}
	}},
	{ID: "B005", Line: func(c *rule.Context) {
		if !isBatch(c) {
			return
		}
		if at := look(c.F.Bytes).mixed; at >= 0 {
			c.Report(rule.At(at))
		}
	}},
	{ID: "B006", Limit: rule.PerMessage(rule.SomeEntries), Line: badElement},
	{ID: "B007", Line: func(c *rule.Context) {
		if !isBatch(c) {
			return
		}
		if b := look(c.F.Bytes); b.twice >= 0 {
			c.Report(rule.At(b.twice, "id"), "id", rule.Escaped(b.id))
		}
	}},
	{ID: "B008", HTTP: unansweredInBody, Tick: unansweredInTime, End: unansweredInBatch},
	{ID: "B009", Message: batchRefused},
}

func isBatch(c *rule.Context) bool { return c.F.Envelope.Kind == jsonrpc.Batch }

func elements(c *rule.Context) int {
	n := 0
	for range jsonrpc.Elements(c.F.Bytes) {
		n++
	}
	return n
}

// batchedOffer finds the first batch, that of the handshake, where no revision
// is in force yet.
func batchedOffer(c *rule.Context) {
	if c.M.Index == 0 && c.St.Revision == "" {
		c.ReportIn(c.F.Row, rule.Whole, "count", elements(c), "revision", c.M.Revision)
	}
}

// content is what an array holds. The indexes are -1 where there is nothing.
type content struct {
	mixed int    // the first element of the other sort than those before
	twice int    // the first request with the id of an earlier one
	id    string // of that, raw
	alien int    // the first element that is no message
}

// look goes through an array once.
func look(array []byte) content {
	found := content{mixed: -1, twice: -1, alien: -1}
	first := jsonrpc.Invalid
	var ids rule.NameSet
	i := 0
	for element := range jsonrpc.Elements(array) {
		e := jsonrpc.Scan(element)
		switch {
		case e.Kind == jsonrpc.Invalid || e.Kind == jsonrpc.Batch:
			if found.alien < 0 {
				found.alien = i
			}
		case first == jsonrpc.Invalid:
			first = e.Kind
		case first.IsAnswer() != e.Kind.IsAnswer() && found.mixed < 0:
			found.mixed = i
		}
		if id := e.ID.Of(element); e.Kind == jsonrpc.Request && e.IDType != jsonrpc.IDNull && ids.Seen(id) && found.twice < 0 {
			found.twice, found.id = i, string(id)
		}
		i++
	}
	return found
}

func badElement(c *rule.Context) {
	if !isBatch(c) {
		return
	}
	i := 0
	for element := range jsonrpc.Elements(c.F.Bytes) {
		if kind := rule.Kind(element); kind != "object" {
			c.Report(rule.At(i), "index", i, "type", rule.WithArticle(kind))
		}
		i++
	}
}

// batches are those of the client that wait for answers.
type batches struct {
	open   []*batch
	newest *batch // nil when something else was sent after it
}

type batch struct {
	exchange uint32
	row      int32
	at       time.Time
	legal    bool
	requests []*rule.Request
	done     bool // nothing more is to be said of it
}

// maxBatches is how many batches are remembered.
const maxBatches = 100

func watchBatch(c *rule.Context) {
	if c.F.Dir != transport.Out {
		return
	}
	b := rule.Own[batches](c.St)
	b.newest = nil
	if !isBatch(c) || c.St.Revision != revision.R20250326 {
		return
	}
	found := look(c.F.Bytes)
	b.newest = &batch{
		exchange: c.F.Exchange, row: c.F.Row, at: c.F.Time,
		legal: found == (content{mixed: -1, twice: -1, alien: -1}) && c.F.Envelope.Flaws&jsonrpc.FlawEmptyBatch == 0,
	}
	if len(b.open) == maxBatches {
		b.open = slices.Delete(b.open, 0, 1)
	}
	b.open = append(b.open, b.newest)
}

func watchBatched(c *rule.Context) {
	if c.M.Index < 0 || c.M.Frame.Dir != transport.Out || !c.M.IsRequest() {
		return
	}
	if b := rule.Own[batches](c.St).newest; b != nil {
		b.requests = append(b.requests, c.St.Request(transport.Out, c.M.ID))
	}
}

// waiting are the requests of a batch that have no answer.
func (b *batch) waiting() []string {
	var list []string
	for _, r := range b.requests {
		if r.Waits() {
			list = append(list, r.Method+" ("+rule.Escaped(r.ID)+")")
		}
	}
	return list
}

// incomplete tells of a batch that has lost its last chance. One of which
// nothing was answered is for the rules about single requests.
func incomplete(c *rule.Context, b *batch) {
	list := b.waiting()
	if !b.done && len(list) > 0 && len(list) < len(b.requests) {
		c.ReportIn(b.row, rule.Whole, "count", len(list), "total", len(b.requests), "list", rule.JoinFirst(list, 5))
	}
	b.done = true
}

// unansweredInBody looks when the answer to a POST is over, unless it may be
// resumed.
func unansweredInBody(c *rule.Context) {
	if !c.X.Done || c.St.Link != rule.HTTP || c.X.Err != "" || c.X.LastID != "" {
		return
	}
	for _, b := range rule.Own[batches](c.St).open {
		if b.exchange == c.X.ID {
			incomplete(c, b)
		}
	}
	forgetBatches(c)
}

func unansweredInTime(c *rule.Context) {
	for _, b := range rule.Own[batches](c.St).open {
		if c.St.Now.Sub(b.at) >= rule.ResponseTimeout {
			incomplete(c, b)
		}
	}
	forgetBatches(c)
}

func unansweredInBatch(c *rule.Context) {
	for _, b := range rule.Own[batches](c.St).open {
		incomplete(c, b)
	}
}

func forgetBatches(c *rule.Context) {
	b := rule.Own[batches](c.St)
	b.open = slices.DeleteFunc(b.open, func(b *batch) bool { return b.done })
}

// batchRefused finds an error that names no request, where only the batch can
// be meant: what was sent last, or what the same exchange carries.
func batchRefused(c *rule.Context) {
	if !c.M.IsError() || c.M.Frame.Dir != transport.In || c.M.Index >= 0 || c.M.Request != nil {
		return
	}
	b := rule.Own[batches](c.St).newest
	if c.X != nil {
		b = nil
		for _, other := range rule.Own[batches](c.St).open {
			if other.exchange == c.X.ID {
				b = other
			}
		}
		if c.X.Status >= 401 && c.X.Status <= 404 || strings.Contains(strings.ToLower(rule.Text(c.M.Error, "message")), "session") {
			return // it is not about the batch
		}
	} else if c.M.ID != nil && c.M.Envelope.IDType != jsonrpc.IDNull {
		return
	}
	if b != nil && b.legal && !b.done && len(b.waiting()) == len(b.requests) {
		b.done = true
		c.Report(rule.Whole)
	}
}
