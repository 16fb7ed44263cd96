package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// correlationRules judge what belongs to what: methods and who may send them,
// ids and their answers.
var correlationRules = []rule{
	{id: "J011", message: reusedID},
	{id: "J026", message: func(c *Context) {
		switch {
		case c.M.IsAnswer():
		case strings.HasPrefix(c.M.Method, "rpc."):
			c.Report(At("method"), "owner", "JSON-RPC itself")
		case strings.HasPrefix(c.M.Method, "$/"):
			c.Report(At("method"), "owner", "the Language Server Protocol")
		}
	}},
	{id: "J027", message: unknownMethod},
	{id: "J028", message: wrongDirection},
	{id: "J029", message: func(c *Context) {
		if !c.M.IsNotification() || strings.HasPrefix(c.M.Method, "notifications/") {
			return
		}
		if m, ok := revision.Lookup(c.M.Method); ok && !m.IsNotification() {
			c.Report(Whole)
		}
	}},
	{id: "J030", message: unknownID},
	{id: "J031", message: func(c *Context) {
		if r := c.otherType(); r != nil {
			c.Report(At("id"), "want", r.ID, "wanttype", idType(r.ID), "got", string(c.M.ID), "gottype", idType(string(c.M.ID)))
		}
	}},
	{id: "J032", message: func(c *Context) {
		if r := c.M.Request; r != nil && r.Answered && c.M.IsAnswer() {
			c.Report(At("id"), "ago", ago(c, r))
		}
	}},
	{id: "J033", message: answeredNotification},
	{id: "J034", tick: neverAnswered},
	{id: "J035", end: unansweredAtClose},
	{id: "J037", message: func(c *Context) {
		switch from := c.M.Frame.Dir; {
		case from == transport.In && c.M.IsRequest():
			c.Report(Whole, "kind", "request")
		case from == transport.Out && c.M.IsAnswer():
			c.Report(Whole, "kind", "response")
		}
	}},
	{id: "J040", tick: swallowedLine},
	{line: watchUnreadable, message: watchParseError},
}

func reusedID(c *Context) {
	if !c.M.IsRequest() || c.M.Envelope.IDType == jsonrpc.IDNull {
		return
	}
	r := c.St.Request(c.M.Frame.Dir, c.M.ID)
	if r != nil && (!c.M.Modern() || r.Waits()) && r.Row != c.M.Frame.Row {
		c.Report(At("id"), "id", r.ID, "method", r.Method, "ago", ago(c, r))
	}
}

func unknownMethod(c *Context) {
	if c.M.IsAnswer() || c.M.Method == "" || c.M.Revision == "" {
		return
	}
	m, known := revision.Lookup(c.M.Method)
	if known && (m.In(c.M.Revision) || m.IsNotification() != c.M.IsNotification()) {
		return
	}
	if known && (m.Embedded(c.M.Revision) || c.M.Modern()) {
		return // L017 and X rules know better
	}
	if strings.HasPrefix(c.M.Method, "rpc.") || strings.HasPrefix(c.M.Method, "$/") || c.extension() {
		return
	}
	suggestion := ""
	if meant, ok := revision.Suggest(c.M.Method); ok {
		suggestion = fmt.Sprintf(" You probably mean %s.", meant)
	}
	c.Report(At("method"), "revision", c.M.Revision, "suggestion", suggestion)
}

// extension reports whether one of the sides has declared extensions, any of
// which may bring the method.
func (c *Context) extension() bool {
	return c.St.ServerOffers("extensions") && !strings.HasPrefix(c.M.Method, "notifications/")
}

func wrongDirection(c *Context) {
	if c.M.IsAnswer() || c.M.Revision == "" {
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
		c.Report(At("method"), "want", want, "other", other, "got", c.M.Sender())
	}
}

// otherType is the request that an answer means, whose id has the same text
// and another type.
func (c *Context) otherType() *Request {
	if !c.M.IsAnswer() || c.M.Request != nil || c.M.ID == nil {
		return nil
	}
	text := strings.Trim(string(c.M.ID), `"`)
	for _, id := range []string{text, `"` + text + `"`} {
		if r := c.St.Request(1-c.M.Frame.Dir, []byte(id)); r != nil && r.Waits() {
			return r
		}
	}
	return nil
}

func idType(id string) string { return Kind([]byte(id)) }

func unknownID(c *Context) {
	if !c.M.IsAnswer() || c.M.Request != nil || c.M.ID == nil || c.M.Envelope.IDType == jsonrpc.IDNull || c.otherType() != nil {
		return
	}
	var waiting []string
	for r := range c.St.Waiting() {
		if r.Dir != c.M.Frame.Dir {
			waiting = append(waiting, r.ID)
		}
		if len(waiting) == maxListed {
			break
		}
	}
	slices.Sort(waiting)
	pending := " No request is pending."
	if len(waiting) > 0 {
		pending = " Pending ids: " + quoteList(waiting, 5) + "."
	}
	c.Report(At("id"), "pending", pending)
}

func answeredNotification(c *Context) {
	if !c.M.IsAnswer() || c.M.ID != nil && c.M.Envelope.IDType != jsonrpc.IDNull {
		return
	}
	text := Text(c.M.Error, "message")
	for _, m := range append(revision.Methods("", revision.Both), revision.Methods("", revision.Client)...) {
		if m.IsNotification() && strings.Contains(text, m.Name) {
			c.Report(Whole)
			return
		}
	}
	if c.X == nil {
		return
	}
	if sent := Own[unreadable](c.St).notified[c.X.ID]; sent {
		c.Report(Whole)
	}
}

// patience is how long an answer may take before that is worth a word.
const patience = 60 * time.Second

// maxListed is how many pending requests are looked at to name a few.
const maxListed = 1000

func neverAnswered(c *Context) {
	for _, r := range c.St.overdue(c.St.Now.Add(-patience)) {
		if r.Method != "subscriptions/listen" {
			c.overdue(r)
		}
	}
}

func (c *Context) overdue(r *Request) {
	side := Server
	if r.Dir == transport.In {
		side = Client
	}
	c.report(side, r.Row, Whole, []any{"method", r.Method, "id", r.ID, "ago", ago(c, r)})
}

// unansweredAtClose leaves alone what the client has ended: the server could not
// answer any more, and what it asked then came too late.
func unansweredAtClose(c *Context) {
	if c.End.By == Client || !c.St.StdinClosed.IsZero() || c.St.Closing {
		return
	}
	var list []string
	count := 0
	for r := range c.St.Waiting() {
		if r.Method == "subscriptions/listen" {
			continue
		}
		if count++; count <= maxListed {
			list = append(list, fmt.Sprintf("%s (%s)", r.Method, r.ID))
		}
	}
	if count > 0 {
		slices.Sort(list)
		c.ReportFor(Server, Whole, "count", count, "list", quoteList(list, 5))
	}
}

// unreadable is what the client sent and nobody could read, and which
// exchanges carried notifications.
type unreadable struct {
	row      int32
	at       time.Time
	waiting  bool
	notified map[uint32]bool
}

func watchUnreadable(c *Context) {
	if c.F.Dir != transport.Out {
		return
	}
	u := Own[unreadable](c.St)
	if c.F.Envelope.Kind == jsonrpc.Invalid && c.F.Envelope.Fault == jsonrpc.FaultNotJSON {
		u.row, u.at, u.waiting = c.F.Row, c.F.Time, true
	}
	if c.F.Envelope.Kind == jsonrpc.Notification && c.X != nil {
		if u.notified == nil {
			u.notified = map[uint32]bool{}
		}
		u.notified[c.X.ID] = true
	}
}

func watchParseError(c *Context) {
	if c.M.IsError() && c.M.Envelope.Code == jsonrpc.CodeParseError {
		Own[unreadable](c.St).waiting = false
	}
}

func swallowedLine(c *Context) {
	const within = 5 * time.Second
	if u := Own[unreadable](c.St); u.waiting && c.St.Now.Sub(u.at) >= within {
		u.waiting = false
		c.ReportIn(u.row, Whole)
	}
}
