// Package batch checks JSON-RPC batches, which only 2025-03-26 defines.
package batch

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/flow"
)

// Rules check batches, which only 2025-03-26 defines.
var Rules = []lint.Rule{
	{Line: watchBatch, When: lint.FromClient | lint.Request, After: watchBatched},
	{ID: "B001", Line: func(c *lint.Context) {
		if isBatch(c) {
			c.Report(lint.Whole, "count", jsonrpc.Count(c.F.Bytes), "version", c.St.Revision)
		}
	}, Message: initializeInBatch},
	{ID: "B002", When: lint.Unusual, Line: func(c *lint.Context) {
		if isBatch(c) {
			c.Report(lint.Whole)
		}
	}},
	{ID: "B003", When: lint.Unusual, Line: func(c *lint.Context) {
		if c.F.Envelope.Flaws&jsonrpc.FlawEmptyBatch != 0 {
			c.Report(lint.Whole)
		}
	}},
	{ID: "B004", Methods: []string{"initialize"}, When: lint.Request | lint.FromClient, Message: func(c *lint.Context) {
		if c.M.Index >= 0 {
			c.Report(lint.At("method"))
		}
	}},
	{ID: "B005", When: lint.Unusual, Line: func(c *lint.Context) {
		if at := scanBatch(c).mixed; at >= 0 {
			c.Report(lint.At(at))
		}
	}},
	{ID: "B006", Limit: lint.PerMessage(lint.SomeEntries), When: lint.Unusual, Line: badElement},
	{ID: "B007", When: lint.Unusual, Line: func(c *lint.Context) {
		if b := scanBatch(c); b.duplicateID >= 0 {
			c.Report(lint.At(b.duplicateID, "id"), "id", lint.Escaped(b.id))
		}
	}},
	{ID: "B008", HTTP: incompleteAtResponseEnd, Tick: incompleteAfterTimeout, End: incompleteAtClose},
	{ID: "B009", When: lint.ErrorResponse | lint.FromServer, Message: batchRejected},
}

func isBatch(c *lint.Context) bool { return c.F.Envelope.Kind == jsonrpc.Batch }

// initializeInBatch reports a batch in the handshake, before a protocol version is in effect.
func initializeInBatch(c *lint.Context) {
	if c.M.Index == 0 && c.St.Revision == "" {
		c.ReportIn(c.F.Row, lint.Whole, "count", jsonrpc.Count(c.F.Bytes), "version", c.M.Revision)
	}
}

// batchContent describes a batch. The indexes are -1 if there is no such element.
type batchContent struct {
	mixed       int    // index of the first element of another kind than the previous ones
	duplicateID int    // index of the first request with the id of an earlier one
	id          string // id of the batch, raw
	invalid     int    // index of the first invalid element
}

// noFault describes a valid batch, and anything that is not a batch.
var noFault = batchContent{mixed: -1, duplicateID: -1, invalid: -1}

// scanBatch scans a batch once.
func scanBatch(c *lint.Context) batchContent {
	found := noFault
	if !isBatch(c) {
		return found
	}
	first := jsonrpc.Invalid
	ids := map[jsonrpc.Key]bool{}
	for i, element := range lint.Indexed(c.F.Bytes) {
		e := jsonrpc.Scan(element)
		switch {
		case e.Kind == jsonrpc.Invalid || e.Kind == jsonrpc.Batch:
			if found.invalid < 0 {
				found.invalid = i
			}
		case first == jsonrpc.Invalid:
			first = e.Kind
		case first.IsResponse() != e.Kind.IsResponse() && found.mixed < 0:
			found.mixed = i
		}
		if id := e.ID.Of(element).Key(); e.Kind == jsonrpc.Request && e.IDType != jsonrpc.IDNull {
			if ids[id] && found.duplicateID < 0 {
				found.duplicateID, found.id = i, string(e.ID.Of(element).Shown())
			}
			ids[id] = true
		}
	}
	return found
}

func badElement(c *lint.Context) {
	if !isBatch(c) {
		return
	}
	for i, element := range lint.Indexed(c.F.Bytes) {
		if kind := jsonrpc.TypeOf(element); kind != "object" {
			c.Report(lint.At(i), "index", i, "type", lint.WithArticle(kind))
		}
	}
}

// batches holds the client's batches with pending requests.
type batches struct {
	open   []*batch
	newest *batch // newest batch, or nil if another message was sent after it
}

type batch struct {
	exchange uint32
	row      int32
	at       time.Time
	legal    bool
	requests []*flow.Flow
	done     bool // do not report it again
}

// maxBatches is the number of batches remembered.
const maxBatches = 100

func watchBatch(c *lint.Context) {
	if c.F.Dir != transport.Out {
		return
	}
	b := lint.Own[batches](c.St)
	b.newest = nil
	if !isBatch(c) || c.St.Revision != revision.R20250326 {
		return
	}
	b.newest = &batch{
		exchange: c.F.Exchange, row: c.F.Row, at: c.F.Time,
		legal: scanBatch(c) == noFault && c.F.Envelope.Flaws&jsonrpc.FlawEmptyBatch == 0,
	}
	if len(b.open) == maxBatches {
		b.open = slices.Delete(b.open, 0, 1)
	}
	b.open = append(b.open, b.newest)
}

func watchBatched(c *lint.Context) {
	if c.M.Index < 0 {
		return
	}
	if b := lint.Own[batches](c.St).newest; b != nil {
		b.requests = append(b.requests, c.St.Flows.Find(transport.Out, c.M.ID))
	}
}

// pending returns the requests of a batch without a response.
func (b *batch) pending() []string {
	var list []string
	for _, r := range b.requests {
		if lint.IsPending(r) {
			list = append(list, r.Method+" ("+lint.Escaped(r.ID.String())+")")
		}
	}
	return list
}

// reportIncomplete reports a batch with some responses missing. J034 and J035 report a batch without any
// response.
func reportIncomplete(c *lint.Context, b *batch) {
	list := b.pending()
	if !b.done && len(list) > 0 && len(list) < len(b.requests) {
		c.ReportIn(b.row, lint.Whole, "count", len(list), "total", len(b.requests), "list", phrase.JoinFirst(list, 5))
	}
	b.done = true
}

// incompleteAtResponseEnd checks a batch at the end of the response to its POST,
// unless the stream can be resumed.
func incompleteAtResponseEnd(c *lint.Context) {
	if c.X.Done && c.St.Link == lint.HTTP && c.X.Err == "" && c.X.LastEventID == "" {
		checkBatches(c, func(b *batch) bool { return b.exchange == c.X.ID })
	}
}

func incompleteAfterTimeout(c *lint.Context) {
	checkBatches(c, func(b *batch) bool { return c.St.Now.Sub(b.at) >= lint.ResponseTimeout })
}

func incompleteAtClose(c *lint.Context) {
	checkBatches(c, func(*batch) bool { return true })
}

// checkBatches checks the batches that have ended, and drops finished ones.
func checkBatches(c *lint.Context, ended func(*batch) bool) {
	all := lint.Own[batches](c.St)
	for _, b := range all.open {
		if ended(b) {
			reportIncomplete(c, b)
		}
	}
	all.open = slices.DeleteFunc(all.open, func(b *batch) bool { return b.done })
}

// batchRejected finds the batch for an error response without a request: the batch in the same
// exchange, or the newest one.
func batchRejected(c *lint.Context) {
	if c.M.Index >= 0 || c.M.Request != nil {
		return
	}
	b := lint.Own[batches](c.St).newest
	if c.X != nil {
		b = nil
		for _, other := range lint.Own[batches](c.St).open {
			if other.exchange == c.X.ID {
				b = other
			}
		}
		if c.X.Status >= 401 && c.X.Status <= 404 || strings.Contains(strings.ToLower(c.M.Text(c.M.Error, "message")), "session") {
			return // the error is not about the batch
		}
	} else if c.M.ID.Present() && c.M.Envelope.IDType != jsonrpc.IDNull {
		return
	}
	if b != nil && b.legal && !b.done && len(b.pending()) == len(b.requests) {
		b.done = true
		c.Report(lint.Whole)
	}
}
