package notifications

import (
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// changeRules checks the behavior of a client after a list has changed.
var changeRules = []lint.Rule{
	{Methods: revision.ListChanges(), When: lint.Notification | lint.FromServer, After: listAnnounced},
	{Methods: revision.ListMethods(), When: lint.Result | lint.Matched | lint.FromServer, After: func(c *lint.Context) { listsOf(c).read(c.M.Method) }},
	{Methods: revision.ListMethods(), When: lint.Request | lint.FromClient, After: func(c *lint.Context) { delete(listsOf(c).announced, changeOf(c.M.Method)) }},
	{Kinds: lint.Requests, When: lint.FromClient, After: clientGoesOn},
	{Methods: lint.ToolCalls, When: lint.ErrorResponse | lint.Matched, After: oldToolRefused},
	{ID: "N037", Last: oldToolCalled},
	{ID: "N018", Limit: lint.OncePerConnection, Closed: func(c *lint.Context) {
		for _, list := range revision.Lists {
			if a := listsOf(c).announced[list.Changed]; a != nil {
				a.report(c, list)
			}
		}
	}},
}

// changeDebounce is the maximum time in which a client waits for more changes before it lists again. Requests
// during that time prove nothing, and neither does the end of the connection.
const changeDebounce = 2 * time.Second

// changeSettles is the minimum time that a connection continues after a notification if the client sends no
// other request. The client then had enough time to list again.
const changeSettles = 30 * time.Second

// clientLists holds the lists that the client of a connection has read.
type clientLists struct {
	known     map[string]bool          // lists that the client has read, by the notification of their change
	announced map[string]*announcement // changes of lists that it has not requested since, by the notification
}

// announcement is a change of a list that the client was notified of.
type announcement struct {
	row  int32
	at   time.Time
	next string // first request of the client after it, or ""

	nextRow int32

	refused               string // first tool that the client called after it, and that the server refused as unknown
	refusedRow, calledRow int32
	reported              bool // the call has been reported
}

func listsOf(c *lint.Context) *clientLists { return lint.Own[clientLists](c.St) }

// changeOf returns the notification for changes of a method's list, or "".
func changeOf(method string) string {
	list, _ := revision.ListOf(method)
	return list.Changed
}

// read records that the client has read a list. A list that was requested before a change was announced and is
// read after it may contain the change.
func (l *clientLists) read(method string) {
	if changed := changeOf(method); changed != "" {
		if l.known == nil {
			l.known, l.announced = map[string]bool{}, map[string]*announcement{}
		}
		l.known[changed] = true
		delete(l.announced, changed)
	}
}

// listAnnounced records a change of a list. The client must have read the list, and must receive
// notifications about it.
func listAnnounced(c *lint.Context) {
	l := listsOf(c)
	if !l.known[c.M.Method] || l.announced[c.M.Method] != nil || c.M.IsStateless() && !isGranted(c) {
		return
	}
	l.announced[c.M.Method] = &announcement{row: c.F.Row, at: c.St.Now}
}

// isGranted reports whether a notification belongs to an open subscription (2026-07-28, basic / patterns /
// subscriptions).
func isGranted(c *lint.Context) bool {
	id := jsonrpc.Get(c.M.Params, "_meta", revision.MetaSubscriptionID)
	if id == nil {
		return false
	}
	r := c.St.Flows.Find(transport.Out, jsonrpc.TokenOf(id))
	return r != nil && r.IsSubscription() && r.Waits()
}

// clientGoesOn records the first request that follows a change after changeDebounce. A ping does not show how
// the client uses tools.
func clientGoesOn(c *lint.Context) {
	if c.M.Method == "ping" {
		return
	}
	for _, a := range listsOf(c).announced {
		if a.next == "" && c.St.Now.Sub(a.at) >= changeDebounce {
			a.nextRow = c.F.Row
			a.next = fmt.Sprintf("%s with the id %s", lint.Escaped(c.M.Method), phrase.Clip(c.M.ID.Shown(), maxShownID))
		}
	}
}

// oldToolRefused records a call of a tool that the server no longer has: the client used the list from before
// the change.
func oldToolRefused(c *lint.Context) {
	a := listsOf(c).announced["notifications/tools/list_changed"]
	code, _ := lint.ErrorCode(c.M)
	if a == nil || a.refused != "" || code != jsonrpc.CodeInvalidParams || c.M.Request.Row() < a.row || c.St.Tools().Named(c.M.Request.Name) == nil {
		return
	}
	text := strings.ToLower(c.M.Text(c.M.Error, "message"))
	if strings.Contains(text, "tool") && lint.ContainsAny(text, "unknown", "not found", "no such", "not exist", "no longer") {
		a.refused, a.refusedRow, a.calledRow = lint.Escaped(c.M.Request.Name), c.F.Row, c.M.Request.Row()
	}
}

// oldToolCalled reports the first such call, if the client has not requested the list since.
func oldToolCalled(c *lint.Context) {
	if a := listsOf(c).announced["notifications/tools/list_changed"]; a != nil && a.refused != "" && !a.reported && !c.St.Lost {
		a.reported = true
		c.With(a.row, a.refusedRow).ReportForIn(lint.Client, a.calledRow, lint.At("params", "name"), "tool", a.refused)
	}
}

// maxShownID is the number of bytes of an id in a message.
const maxShownID = 60

func (a *announcement) report(c *lint.Context, list revision.List) {
	if c.St.Lost || a.reported {
		return
	}
	went := "sent " + a.next
	if a.next != "" {
		c.With(a.nextRow)
	} else {
		after := c.St.Now.Sub(a.at)
		if after < changeSettles {
			return
		}
		went = "stayed connected for " + lint.Seconds(after) + " s"
	}
	c.ReportIn(a.row, lint.At("method"), "changed", list.Changed, "went", went, "list", list.Method, "items", list.Name)
}
