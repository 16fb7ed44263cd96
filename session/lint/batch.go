package lint

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// batchRules judge arrays of messages, which only 2025-03-26 has.
var batchRules = []rule{
	{line: watchBatch, after: watchBatched},
	{id: "B001", line: func(c *Context) {
		if c.isBatch() {
			c.Report(Whole, "count", c.elements(), "revision", c.St.Revision)
		}
	}, message: batchedOffer},
	{id: "B002", line: func(c *Context) {
		if c.isBatch() {
			c.Report(Whole)
		}
	}},
	{id: "B003", line: func(c *Context) {
		if c.F.Envelope.Flaws&jsonrpc.FlawEmptyBatch != 0 {
			c.Report(Whole)
		}
	}},
	{id: "B004", methods: []string{"initialize"}, message: func(c *Context) {
		if c.M.Index >= 0 && c.M.IsRequest() && c.M.Frame.Dir == transport.Out {
			c.Report(At("method"))
		}
	}},
	{id: "B005", line: func(c *Context) {
		if !c.isBatch() {
			return
		}
		if at := look(c.F.Bytes).mixed; at >= 0 {
			c.Report(At(at))
		}
	}},
	{id: "B006", limit: perMessage(someEntries), line: badElement},
	{id: "B007", line: func(c *Context) {
		if !c.isBatch() {
			return
		}
		if b := look(c.F.Bytes); b.twice >= 0 {
			c.Report(At(b.twice, "id"), "id", escaped(b.id))
		}
	}},
	{id: "B008", http: unansweredInBody, tick: unansweredInTime, end: unansweredInBatch},
	{id: "B009", message: batchRefused},
}

func (c *Context) isBatch() bool { return c.F.Envelope.Kind == jsonrpc.Batch }

func (c *Context) elements() int {
	n := 0
	for range jsonrpc.Elements(c.F.Bytes) {
		n++
	}
	return n
}

// batchedOffer finds the first batch, that of the handshake, where no revision
// is in force yet.
func batchedOffer(c *Context) {
	if c.M.Index == 0 && c.St.Revision == "" {
		c.ReportIn(c.F.Row, Whole, "count", c.elements(), "revision", c.M.Revision)
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
	var ids names
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
		case first.IsResponse() != e.Kind.IsResponse() && found.mixed < 0:
			found.mixed = i
		}
		if id := e.ID.Of(element); e.Kind == jsonrpc.Request && e.IDType != jsonrpc.IDNull && ids.has(id) && found.twice < 0 {
			found.twice, found.id = i, string(id)
		}
		i++
	}
	return found
}

func badElement(c *Context) {
	if !c.isBatch() {
		return
	}
	i := 0
	for element := range jsonrpc.Elements(c.F.Bytes) {
		if kind := Kind(element); kind != "object" {
			c.Report(At(i), "index", i, "type", withArticle(kind))
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
	requests []*Request
	done     bool // nothing more is to be said of it
}

// maxBatches is how many batches are remembered.
const maxBatches = 100

func watchBatch(c *Context) {
	if c.F.Dir != transport.Out {
		return
	}
	b := Own[batches](c.St)
	b.newest = nil
	if !c.isBatch() || c.St.Revision != revision.R20250326 {
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

func watchBatched(c *Context) {
	if c.M.Index < 0 || c.M.Frame.Dir != transport.Out || !c.M.IsRequest() {
		return
	}
	if b := Own[batches](c.St).newest; b != nil {
		b.requests = append(b.requests, c.St.Request(transport.Out, c.M.ID))
	}
}

// waiting are the requests of a batch that have no answer.
func (b *batch) waiting() []string {
	var list []string
	for _, r := range b.requests {
		if r.Waits() {
			list = append(list, r.Method+" ("+escaped(r.ID)+")")
		}
	}
	return list
}

// incomplete tells of a batch that has lost its last chance. One of which
// nothing was answered is for the rules about single requests.
func (c *Context) incomplete(b *batch) {
	list := b.waiting()
	if !b.done && len(list) > 0 && len(list) < len(b.requests) {
		c.ReportIn(b.row, Whole, "count", len(list), "total", len(b.requests), "list", quoteList(list, 5))
	}
	b.done = true
}

// unansweredInBody looks when the answer to a POST is over, unless it may be
// resumed.
func unansweredInBody(c *Context) {
	if !c.X.Done || c.St.Link != HTTP || c.X.Err != "" || c.X.LastID != "" {
		return
	}
	for _, b := range Own[batches](c.St).open {
		if b.exchange == c.X.ID {
			c.incomplete(b)
		}
	}
	c.forgetBatches()
}

func unansweredInTime(c *Context) {
	for _, b := range Own[batches](c.St).open {
		if c.St.Now.Sub(b.at) >= patience {
			c.incomplete(b)
		}
	}
	c.forgetBatches()
}

func unansweredInBatch(c *Context) {
	for _, b := range Own[batches](c.St).open {
		c.incomplete(b)
	}
}

func (c *Context) forgetBatches() {
	b := Own[batches](c.St)
	b.open = slices.DeleteFunc(b.open, func(b *batch) bool { return b.done })
}

// batchRefused finds an error that names no request, where only the batch can
// be meant: what was sent last, or what the same exchange carries.
func batchRefused(c *Context) {
	if !c.M.IsError() || c.M.Frame.Dir != transport.In || c.M.Index >= 0 || c.M.Request != nil {
		return
	}
	b := Own[batches](c.St).newest
	if c.X != nil {
		b = nil
		for _, other := range Own[batches](c.St).open {
			if other.exchange == c.X.ID {
				b = other
			}
		}
		if c.X.Status >= 401 && c.X.Status <= 404 || strings.Contains(strings.ToLower(Text(c.M.Error, "message")), "session") {
			return // it is not about the batch
		}
	} else if c.M.ID != nil && c.M.Envelope.IDType != jsonrpc.IDNull {
		return
	}
	if b != nil && b.legal && !b.done && len(b.waiting()) == len(b.requests) {
		b.done = true
		c.Report(Whole)
	}
}
