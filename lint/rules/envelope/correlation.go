package envelope

import (
	"bytes"
	"fmt"
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

// correlationRules check methods and their senders, ids, and responses.
var correlationRules = []lint.Rule{
	{ID: "J011", When: lint.Request, Message: reusedID},
	{ID: "J026", When: lint.NoResponse, Message: func(c *lint.Context) {
		switch {
		case strings.HasPrefix(c.M.Method, "rpc."):
			c.Report(lint.At("method"), "owner", "JSON-RPC itself")
		case strings.HasPrefix(c.M.Method, "$/"):
			c.Report(lint.At("method"), "owner", "the Language Server Protocol")
		}
	}},
	{ID: "J027", When: lint.NoResponse, Message: unknownMethod},
	{ID: "J028", When: lint.NoResponse, Message: wrongDirection},
	{ID: "J029", When: lint.Notification, Message: func(c *lint.Context) {
		if strings.HasPrefix(c.M.Method, "notifications/") {
			return
		}
		if m, ok := revision.Lookup(c.M.Method); ok && !m.IsNotification() {
			c.Report(lint.Whole)
		}
	}},
	{ID: "J030", When: lint.Unmatched, Message: unknownID},
	{ID: "J031", When: lint.Unmatched, Message: func(c *lint.Context) {
		if r := requestOfOtherIDType(c); r != nil {
			c.Report(lint.At("id"), "want", r.ID.String(), "wanttype", idType(r.ID.Token()), "got", string(c.M.ID.Shown()), "gottype", idType(c.M.ID))
		}
	}},
	{ID: "J032", When: lint.Response | lint.Repeated, Message: func(c *lint.Context) { c.Report(lint.At("id")) }},
	{ID: "J033", When: lint.Response, Message: responseToNotification},
	{ID: "J034", Tick: overdueRequests},
	{ID: "J035", End: pendingAtClose},
	{ID: "J037", Message: func(c *lint.Context) {
		switch from := c.M.Frame.Dir; {
		case from == transport.In && c.M.IsRequest():
			c.Report(lint.Whole, "kind", "request")
		case from == transport.Out && c.M.IsResponse():
			c.Report(lint.Whole, "kind", "response")
		}
	}},
	{ID: "J040", Tick: unreportedParseError},
	{Line: watchUnreadable, Message: watchParseError},
	{Line: watchDamaged},
	{When: lint.Unmatched, After: keepInstead},
	{Line: watchInvalid},
}

func reusedID(c *lint.Context) {
	if c.M.Envelope.IDType == jsonrpc.IDNull {
		return
	}
	r := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID)
	if r != nil && (!c.M.IsStateless() || lint.IsPending(r)) && r.Row() != c.M.Frame.Row {
		c.Report(lint.At("id"), "id", r.ID.String(), "method", r.Method, "ago", elapsed(c, r))
	}
}

func unknownMethod(c *lint.Context) {
	if c.M.Method == "" || c.M.Revision == "" {
		return
	}
	m, known := revision.Lookup(c.M.Method)
	if known && (m.In(c.M.Revision) || m.IsNotification() != c.M.IsNotification()) {
		return
	}
	if known && (m.Embedded(c.M.Revision) || c.M.IsStateless()) {
		return // L017 and the X rules are more precise
	}
	if strings.HasPrefix(c.M.Method, "rpc.") || strings.HasPrefix(c.M.Method, "$/") || c.MayBeExtension() {
		return
	}
	suggestion := ""
	if meant, ok := revision.Suggest(c.M.Method); ok {
		suggestion = fmt.Sprintf(" You probably mean %s.", meant)
	}
	c.Report(lint.At("method"), "version", c.M.Revision, "suggestion", suggestion)
}

func wrongDirection(c *lint.Context) {
	if c.M.Revision == "" {
		return
	}
	m, known := revision.Lookup(c.M.Method)
	if !known {
		return
	}
	may := m.Sender(c.M.Revision)
	is, want, other := revision.Client, "server", "client"
	if c.M.Frame.Dir == transport.In {
		is, want, other = revision.Server, "client", "server"
	}
	if may != 0 && may&is == 0 {
		c.Report(lint.At("method"), "want", want, "other", other, "got", c.M.Sender())
	}
}

// requestOfOtherIDType returns the pending request whose id has the same text as the response's id but another
// JSON type.
func requestOfOtherIDType(c *lint.Context) *flow.Flow {
	if !c.M.ID.Present() {
		return nil
	}
	if r := c.St.Flows.Find(1-c.M.Frame.Dir, c.M.ID.OfOtherType()); r != nil && lint.IsPending(r) {
		return r
	}
	return nil
}

func idType(id jsonrpc.Token) string { return jsonrpc.TypeOf(id.Shown()) }

// invalidIDs counts the ids in invalid frames, by side. A receiver that reads such a frame differently, like a
// lenient parser or a stdio server that reads its lines one by one, responds to an id that it was sent.
type invalidIDs map[string]int

const maxInvalidIDs = 1000

func (l invalidIDs) key(from transport.Direction, id jsonrpc.Token) string {
	return string(rune('0'+from)) + string(id.Meaning())
}

func watchInvalid(c *lint.Context) {
	e := &c.F.Envelope
	switch {
	case e.Kind != jsonrpc.Invalid || c.F.NonMessageEvent():
	case e.ID.Of(c.F.Bytes).Present():
		keepInvalid(c, e.ID.Of(c.F.Bytes), e.Fault)
	default:
		for line := range bytes.SplitSeq(c.F.Bytes, []byte("\n")) {
			inner := jsonrpc.Scan(line)
			keepInvalid(c, inner.ID.Of(line), inner.Fault)
		}
	}
}

// keepInvalid counts an id. After the JSON value a second message may follow, with the same id.
func keepInvalid(c *lint.Context, id jsonrpc.Token, fault jsonrpc.Fault) {
	if !id.Present() || len(id.Shown()) > lint.MaxKeptBytes {
		return
	}
	ids := lint.Own[invalidIDs](c.St)
	key, n := ids.key(c.F.Dir, id), 1
	if fault == jsonrpc.FaultTrailingBytes {
		n++
	}
	lint.Keep(ids, maxInvalidIDs, key, n+(*ids)[key])
}

// wasInvalid reports whether the id of a response was in an invalid frame. Each id counts once.
func wasInvalid(c *lint.Context) bool {
	ids := *lint.Own[invalidIDs](c.St)
	key := ids.key(1-c.M.Frame.Dir, c.M.ID)
	if ids[key] == 0 {
		return false
	}
	ids[key]--
	return true
}

func unknownID(c *lint.Context) {
	if !c.M.ID.Present() || c.M.Envelope.IDType == jsonrpc.IDNull || requestOfOtherIDType(c) != nil || wasInvalid(c) {
		return
	}
	var waiting []string
	for r := range c.St.Flows.PendingAfter(flow.None) {
		if r.Dir != c.M.Frame.Dir {
			waiting = append(waiting, r.ID.String())
		}
		if len(waiting) == maxListed {
			break
		}
	}
	slices.Sort(waiting)
	pending := " No request is pending."
	if len(waiting) > 0 {
		pending = " Pending ids: " + phrase.JoinFirst(waiting, 5) + "."
	}
	if jsonrpc.IsText(c.M.Get(c.M.Bytes, "id"), "server-error") {
		c.For("constant")
	}
	c.Report(lint.At("id"), "pending", pending)
}

// responseToNotification ignores the body of an HTTP error: a rejected notification may get an error response
// without id (2025-03-26 and later, transports, "Sending Messages to the Server").
func responseToNotification(c *lint.Context) {
	if c.M.ID.Present() && c.M.Envelope.IDType != jsonrpc.IDNull || c.X != nil && c.X.Status >= 400 {
		return
	}
	text := c.M.Text(c.M.Error, "message")
	for _, m := range append(revision.Methods("", revision.Both), revision.Methods("", revision.Client)...) {
		if m.IsNotification() && strings.Contains(text, m.Name) {
			c.Report(lint.Whole)
			return
		}
	}
	if c.X != nil && len(c.X.Requests) == 0 && c.X.Posted > 0 && !c.X.PostedResponse {
		c.Report(lint.Whole)
	}
}

// maxListed bounds the pending requests that are searched for a few to name.
const maxListed = 1000

// overdue is the state for requests that take long.
type overdue struct {
	// next is the row after the newest request that was found overdue, so that each is reported once.
	next int32
	// waited is the last time at which a request of the server was pending. Until then, the server
	// may have waited for the client, and the client may have waited for its user.
	waited time.Time
}

// overdueRequests leaves out requests whose response depends on something else: a subscription, and
// tasks/result, which waits for the end of the task (2025-11-25, basic / utilities / tasks, "Result
// Retrieval").
func overdueRequests(c *lint.Context) {
	known := lint.Own[overdue](c.St)
	for r := range c.St.Flows.PendingAfter(flow.None) {
		if r.Dir == transport.In {
			known.waited = c.St.Now
			break
		}
	}
	for r := range c.St.Flows.PendingAfter(known.next - 1) {
		since := r.Start
		if r.Dir == transport.Out && known.waited.After(since) {
			since = known.waited
		}
		if c.St.Now.Sub(since) < lint.ResponseTimeout {
			break
		}
		known.next = r.Row() + 1
		if !revision.Lasts(r.Method) && r.Method != "tasks/result" && !hasInstead(c, r.Row(), r.Dir) {
			reportOverdue(c, r)
		}
	}
}

func reportOverdue(c *lint.Context, r *flow.Flow) {
	side := lint.Server
	if r.Dir == transport.In {
		side = lint.Client
	}
	report := c.ReportForIn
	if r.Method != "ping" { // the specification sets no time for other responses
		report = c.ReportInfoForIn
	}
	report(side, r.Row(), lint.Whole, "method", r.Method, "id", r.ID, "ago", elapsed(c, r))
}

// pendingAtClose ignores connections that the client has ended, because the server could no longer respond.
func pendingAtClose(c *lint.Context) {
	if c.End.By == lint.Client || !c.St.StdinClosed.IsZero() || c.St.Closing {
		return
	}
	var list []string
	count := 0
	for r := range c.St.Flows.PendingAfter(flow.None) {
		if revision.Lasts(r.Method) || hasInstead(c, r.Row(), r.Dir) {
			continue
		}
		if count++; count <= maxListed {
			list = append(list, fmt.Sprintf("%s (%s)", r.Method, r.ID))
		}
	}
	if count > 0 {
		slices.Sort(list)
		c.ReportFor(lint.Server, lint.Whole, "count", count, "list", phrase.JoinFirst(list, 5))
	}
}

// unreadable is the newest line of the client that is not JSON.
type unreadable struct {
	row     int32
	at      time.Time
	waiting bool
}

func watchUnreadable(c *lint.Context) {
	if e := c.F.Envelope; c.F.Dir == transport.Out && e.Kind == jsonrpc.Invalid && e.Fault == jsonrpc.FaultNotJSON {
		*lint.Own[unreadable](c.St) = unreadable{row: c.F.Row, at: c.F.Time, waiting: true}
	}
}

func watchParseError(c *lint.Context) {
	if c.M.IsError() && c.M.Envelope.ErrorCode().Is(jsonrpc.CodeParseError) {
		lint.Own[unreadable](c.St).waiting = false
	}
}

func unreportedParseError(c *lint.Context) {
	const within = 5 * time.Second
	if u := lint.Own[unreadable](c.St); u.waiting && c.St.Now.Sub(u.at) >= within {
		u.waiting = false
		c.ReportIn(u.row, lint.Whole)
	}
}
