package events

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// pollRules check the results of events/poll.
var pollRules = []lint.Rule{
	{ID: "V030", Limit: lint.PerMessage(lint.SomeMembers), Methods: polling, When: lint.Complete | lint.FromServer, Message: pollMembers},
	{ID: "V031", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: cursorInEvents},
	{ID: "V032", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: replayed},
	{ID: "V033", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: tooMany},
	{ID: "V034", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: saysNoMore},
	{ID: "V035", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: lostInSilence},
	{ID: "V039", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: otherOrder},
	{ID: "V036", Methods: polling, When: lint.Result | lint.FromServer | lint.Matched, Message: otherEventID},
	{ID: "V037", Methods: uses, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: gapIsError},
	{ID: "V038", Methods: uses, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: absentCursor},
}

// answered holds the polls of an event type with its arguments that have a result.
type answered struct {
	row      int32 // row of the newest result
	at       time.Time
	cursor   string // cursor of the newest result, or ""
	hasMore  bool
	wait     time.Duration     // nextPollMs
	fromNull bool              // a request with null has a result
	from     map[string]*batch // batches by cursor; nil for a cursor from which no poll has started
}

// A batch is the result of the first poll from a cursor.
type batch struct {
	row   int32
	n     int
	asked int // number of polls from the cursor that had a result
	first event
	ids   map[string]bool // ids of its events, if there are few
}

// maxIDsOfBatch bounds the ids that are kept of a batch.
const maxIDsOfBatch = 100

// knows reports whether the batch has each event of a list.
func (b *batch) knows(list []byte) bool {
	for _, raw := range lint.Indexed(list) {
		if !b.ids[eventOf(raw).id] {
			return false
		}
	}
	return true
}

type event struct {
	id, at string
	data   uint64
}

func eventOf(raw []byte) event {
	e := event{id: lint.ShortKey(jsonrpc.Text(raw, "eventId")), at: jsonrpc.Text(raw, "timestamp")}
	if data := jsonrpc.Get(raw, "data"); data != nil {
		e.data = jsonrpc.Sum(data)
	}
	return e
}

// sameThing reports an event with the same data and time.
func (e event) sameThing(other event) bool {
	return e.at != "" && e.at == other.at && e.data == other.data
}

// polls holds the polls of a connection, by [wants.key].
type polls map[string]*answered

// maxBatches bounds the batches that are kept for one subscription.
const maxBatches = 100

func pollOf(c *lint.Context) (w wants, p *answered, params []byte) {
	if params = paramsOf(c); params == nil {
		return w, nil, nil
	}
	w = wantsOf(params)
	return w, (*lint.Own[polls](c.St))[w.key()], params
}

// asWas returns the earlier result of a poll from the same cursor, or nil. A poll with maxAgeMs starts
// elsewhere.
func asWas(c *lint.Context) (was *batch, now []byte) {
	_, p, params := pollOf(c)
	cursor, ok := textOf(params, "cursor")
	if p == nil || !ok || lint.Has(params, "maxAgeMs") {
		return nil, nil
	}
	now = c.M.Get(c.M.Result, "events")
	if jsonrpc.TypeOf(now) != "array" {
		return nil, nil
	}
	return p.from[lint.ShortKey(cursor)], now
}

// older maps the members of polls to their names in prototypes.
var older = map[string]string{"nextPollMs": "nextPollSeconds", "truncated": "cursorGap", "events": "results"}

func pollMembers(c *lint.Context) {
	for _, member := range []string{"truncated", "hasMore", "nextPollMs"} {
		if c.M.Has(c.M.Result, member) {
			continue
		}
		what := ""
		if old := older[member]; old != "" && c.M.Has(c.M.Result, old) {
			what = " It has " + old + ", the name of prototypes before May 2026."
		}
		c.Report(lint.At("result", member), "member", member, "old", what)
	}
}

func cursorInEvents(c *lint.Context) {
	if jsonrpc.TypeOf(c.M.Get(c.M.Result, "cursor")) != "string" && eventsHaveCursor(c) {
		c.Report(lint.At("result", "events", 0, "cursor"))
	}
}

// replayed reports events in the result of a poll from now.
func replayed(c *lint.Context) {
	params := paramsOf(c)
	if cursor := jsonrpc.Get(params, "cursor"); params == nil || cursor != nil && string(cursor) != "null" {
		return
	}
	if n := jsonrpc.Count(c.M.Get(c.M.Result, "events")); n > 0 && jsonrpc.TypeOf(c.M.Get(c.M.Result, "events")) == "array" {
		c.Report(lint.At("result", "events"), "n", n)
	}
}

func tooMany(c *lint.Context) {
	most, ok := jsonrpc.Integer(jsonrpc.Get(paramsOf(c), "maxEvents"))
	n := count(c.M.Get(c.M.Result, "events"))
	if ok && most > 0 && int64(n) > most {
		c.Report(lint.At("result", "events"), "n", n, "most", most)
	}
}

// count returns the number of elements of an array, or 0 for other values.
func count(array []byte) int {
	n := 0
	for range lint.Indexed(array) {
		n++
	}
	return n
}

// saysNoMore reports hasMore false although an earlier poll from the same cursor returned more.
func saysNoMore(c *lint.Context) {
	was, now := asWas(c)
	if was == nil || string(c.M.Get(c.M.Result, "hasMore")) != "false" || string(c.M.Get(c.M.Result, "truncated")) == "true" {
		return
	}
	n := count(now)
	most, limited := jsonrpc.Integer(jsonrpc.Get(paramsOf(c), "maxEvents"))
	if limited && n > 0 && int64(n) >= most && n < was.n && eventOf(lint.First(now)).id == was.first.id {
		c.With(was.row).Report(lint.At("result", "hasMore"), "n", n, "before", was.n)
	}
}

// lostInSilence reports a poll that skips an event and does not set truncated. An earlier poll from
// the same cursor started with that event.
func lostInSilence(c *lint.Context) {
	was, now := asWas(c)
	if was == nil || was.n == 0 || string(c.M.Get(c.M.Result, "truncated")) == "true" {
		return
	}
	if most, limited := jsonrpc.Integer(jsonrpc.Get(paramsOf(c), "maxEvents")); limited && was.knows(now) && int64(count(now)) >= most {
		return // the events came earlier in another order, which otherOrder is about
	}
	if first := lint.First(now); first == nil || eventOf(first).id != was.first.id && !eventOf(first).sameThing(was.first) && placeOf(now, was.first) < 0 {
		c.With(was.row).Report(lint.At("result", "truncated"), "event", lint.Quoted(was.first.id))
	}
}

// placeOf returns the index of an event in a list, or -1.
func placeOf(list []byte, e event) int {
	for i, raw := range lint.Indexed(list) {
		if eventOf(raw).id == e.id {
			return i
		}
	}
	return -1
}

// otherOrder reports a poll whose first event differs from the first event of an earlier poll from the
// same cursor, and is followed by that event.
func otherOrder(c *lint.Context) {
	was, now := asWas(c)
	if was == nil || was.n == 0 {
		return
	}
	if i := placeOf(now, was.first); i > 0 && !eventOf(lint.First(now)).sameThing(was.first) {
		c.With(was.row).Report(lint.At("result", "events", i), "event", lint.Quoted(was.first.id), "first", lint.Quoted(eventOf(lint.First(now)).id))
	}
}

func otherEventID(c *lint.Context) {
	was, now := asWas(c)
	if was == nil || was.n == 0 {
		return
	}
	if first := lint.First(now); first != nil && eventOf(first).id != was.first.id && eventOf(first).sameThing(was.first) {
		c.With(was.row).Report(lint.At("result", "events", 0, "eventId"), "got", lint.Quoted(eventOf(first).id), "before", lint.Quoted(was.first.id))
	}
}

// gapIsError reports that a cursor of the server itself is an invalid param.
func gapIsError(c *lint.Context) {
	w, p, params := pollOf(c)
	cursor, ok := textOf(params, "cursor")
	code, isCode := lint.ErrorCode(c.M)
	if p == nil || !ok || !isCode || code != jsonrpc.CodeInvalidParams {
		return
	}
	_, issued := p.from[lint.ShortKey(cursor)]
	if text := strings.ToLower(c.M.Text(c.M.Error, "message")); issued && strings.Contains(text, "cursor") {
		c.Report(lint.At("error"), "name", lint.Quoted(w.name))
	}
}

// absentCursor reports that a request without cursor is refused although one with null is not.
func absentCursor(c *lint.Context) {
	_, p, params := pollOf(c)
	code, ok := lint.ErrorCode(c.M)
	if p == nil || lint.Has(params, "cursor") || !ok || code != jsonrpc.CodeInvalidParams || !p.fromNull {
		return
	}
	if strings.Contains(strings.ToLower(c.M.Text(c.M.Error, "message")), "cursor") {
		c.Report(lint.At("error"))
	}
}

// watchPolls keeps the results of polls.
func watchPolls(c *lint.Context) {
	own := lint.Own[polls](c.St)
	w, p, params := pollOf(c)
	cursor, isText := textOf(params, "cursor")
	if !c.M.IsResult() || params == nil || w.name == "" || c.M.Sender() != lint.Server {
		return
	}
	if p == nil {
		p = &answered{}
		lint.Keep(own, lint.MaxSubjects, w.key(), p)
	}
	if !isText && string(jsonrpc.Get(params, "cursor")) == "null" {
		p.fromNull = true
	}
	events := c.M.Get(c.M.Result, "events")
	if isText && !lint.Has(params, "maxAgeMs") {
		p.keep(lint.ShortKey(cursor), events, c.F.Row)
	}
	p.cursor, _ = textOf(c.M.Result, "cursor")
	if p.cursor != "" && p.from[lint.ShortKey(p.cursor)] == nil {
		p.remember(lint.ShortKey(p.cursor), nil)
	}
	ms, _ := jsonrpc.Integer(c.M.Get(c.M.Result, "nextPollMs"))
	p.row, p.at, p.wait = c.F.Row, c.St.Now, time.Duration(min(max(ms, 0), maxWait))*time.Millisecond
	p.hasMore = string(c.M.Get(c.M.Result, "hasMore")) == "true"
}

// maxWait is the longest nextPollMs that counts, a day.
const maxWait = 24 * 3600 * 1000

// keep keeps the longest batch of a cursor.
func (p *answered) keep(cursor string, events []byte, row int32) {
	n := count(events)
	was := p.from[cursor]
	if was == nil {
		was = &batch{n: -1}
		p.remember(cursor, was)
	}
	if was.asked++; n > was.n {
		was.row, was.n, was.first, was.ids = row, n, eventOf(lint.First(events)), map[string]bool{}
		for _, raw := range lint.Indexed(events) {
			if len(was.ids) < maxIDsOfBatch {
				was.ids[eventOf(raw).id] = true
			}
		}
	}
}

func (p *answered) remember(cursor string, b *batch) {
	if _, known := p.from[cursor]; !known && len(p.from) >= maxBatches {
		for _, old := range slices.Sorted(maps.Keys(p.from))[:maxBatches/2] {
			delete(p.from, old)
		}
	}
	if p.from == nil {
		p.from = map[string]*batch{}
	}
	p.from[cursor] = b
}
