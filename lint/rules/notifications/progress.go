// Package notifications checks progress, cancellation, logging and pagination.
package notifications

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/flow"
)

var onProgress = []string{"notifications/progress"}

// progressRules check progress.
var progressRules = []lint.Rule{
	{ID: "N001", Kinds: lint.Notifications, Message: misnamedProgress},
	{ID: "N001", Methods: onProgress, Message: func(c *lint.Context) {
		if p := &c.M.Members; p.Value != nil && p.Progress == nil {
			c.ReportFor(c.M.Sender(), lint.At("params", "value"), "got", "value")
		}
	}},
	{ID: "N003", Methods: onProgress, Message: unknownToken},
	{ID: "N004", Methods: onProgress, Message: func(c *lint.Context) {
		p := &c.M.Members
		value, ok := lint.Number(p.Progress)
		if w := trackedOf(c, p.Token); ok && w != nil && w.last != "" && value <= w.value {
			c.Report(lint.At("params", "progress"), "last", w.last, "got", lint.Escaped(p.Progress))
		}
	}},
	{ID: "N005", Methods: onProgress, Message: progressAfterEnd},
	{ID: "N006", Methods: onProgress, Message: func(c *lint.Context) {
		p := &c.M.Members
		value, ok := lint.Number(p.Progress)
		total, is := lint.Number(p.Total)
		if ok && is && (value > total || total <= 0) {
			c.Report(lint.At("params", "progress"), "got", lint.Escaped(p.Progress), "total", lint.Escaped(p.Total))
		}
	}},
	{ID: "N007", Kinds: lint.Requests, When: lint.WithMeta, Message: reusedToken},
	{ID: "N008", Kinds: lint.Requests, Message: tokenType},
	{Kinds: lint.Requests, After: trackToken},
	{Kinds: lint.Responses, After: trackResponse},
	{Methods: onProgress, After: watchProgress},
	{ID: "N009", Methods: onProgress, After: func(c *lint.Context) {
		if w := trackedOf(c, c.M.Members.Token); w != nil && w.count == maxReports+1 {
			c.ReportFor(c.M.Sender(), lint.At("params", "progressToken"), "count", fmt.Sprintf("More than %d", maxReports))
		}
	}},
	{Methods: []string{"notifications/tasks/status", "tasks/get", "tasks/cancel", "tasks/result"}, After: watchTaskIDs},
}

// maxReports bounds the progress notifications for a token in one second.
const maxReports = 50

// misnamedProgress ignores methods with their own prefix and methods of the Language Server
// Protocol.
func misnamedProgress(c *lint.Context) {
	if !strings.Contains(c.M.Method, "rogress") || c.M.Method == onProgress[0] {
		return
	}
	name := strings.ToLower(strings.TrimPrefix(c.M.Method, "mcp/"))
	rest, prefixed := strings.CutPrefix(name, "notifications/")
	if strings.HasPrefix(rest, "progress") || prefixed && strings.HasSuffix(rest, "/progress") || rest == "tools/progress" {
		c.ReportFor(c.M.Sender(), lint.At("method"), "got", lint.Escaped(c.M.Method))
	}
}

// trackedProgress is the state of a progress token.
type trackedProgress struct {
	request *flow.Flow

	last  string // newest progress as written, or ""
	value float64
	since time.Time // when the count began
	count int

	ended    time.Time // zero before
	exchange uint32    // exchange of the response
	task     string    // id of the task that the request has become (2025-11-25)
}

// trackedTokens holds the progress tokens of each side, by [lint.State.TokenKey]. A token that is used again
// keeps its entry and its count.
type trackedTokens [2]map[uint64]*trackedProgress

// maxTokens bounds them: more than the requests that are held after their end.
const maxTokens = 8192

// trackedOf returns the state of a token of the other side, or nil if it is unknown.
func trackedOf(c *lint.Context, token []byte) *trackedProgress {
	requester := 1 - c.M.Frame.Dir
	w := lint.Own[trackedTokens](c.St)[requester][c.St.Flows.TokenKey(token)]
	if w == nil || w.request != c.St.Flows.OfToken(requester, token) {
		return nil
	}
	return w
}

// progressGrace is the time in which progress of a cancelled request can still arrive.
const progressGrace = 30 * time.Second

func unknownToken(c *lint.Context) {
	p := &c.M.Members
	if !lint.IsStringOrInteger(p.Token) {
		return
	}
	requester := 1 - c.M.Frame.Dir
	r := c.St.Flows.OfToken(requester, p.Token)
	if r != nil && (r.State != flow.Cancelled || c.St.Now.Sub(r.Ended) <= progressGrace) {
		return
	}
	suggestion, other := "", jsonrpc.TokenOf(p.Token).OfOtherType().Shown()
	if c.St.Flows.OfToken(requester, other) != nil {
		suggestion = fmt.Sprintf(" The request has %s: keep the JSON type.", lint.ShownValue(other))
	} else if id := c.St.Flows.Find(requester, jsonrpc.TokenOf(p.Token)); id != nil && r == nil && id.Token == "" {
		suggestion = " It is the id of a request that has not asked for progress."
	} else if id != nil && r == nil {
		suggestion = fmt.Sprintf(" It is the id of a request whose token is %s.", lint.ShownValue([]byte(id.Token)))
	} else if pending := pendingToken(c, requester); pending != "" && r == nil {
		suggestion = fmt.Sprintf(" The pending request has %s.", lint.ShownValue([]byte(pending)))
	}
	c.Report(lint.At("params", "progressToken"), "got", lint.ShownValue(p.Token), "suggestion", suggestion)
}

// maxSearched bounds the pending requests that are searched for a token.
const maxSearched = 1000

// pendingToken returns the raw token of a side's only pending request with a progress token, or "".
func pendingToken(c *lint.Context, requester transport.Direction) (token string) {
	n := 0
	for r := range c.St.Flows.PendingAfter(flow.None) {
		if n++; n > maxSearched {
			return ""
		}
		if r.Dir != requester || r.Token == "" || !lint.IsPending(r) {
			continue
		}
		if token != "" {
			return ""
		}
		token = r.Token
	}
	return token
}

// progressAfterEnd ignores requests that continue as a task, and notifications
// that may have crossed the response on another stream.
func progressAfterEnd(c *lint.Context) {
	const crossing = time.Second
	w := trackedOf(c, c.M.Members.Token)
	if w == nil || w.request == nil || !w.request.HasResponse() || w.task != "" && !(*lint.Own[finished](c.St))[lint.ShortKey(w.task)] {
		return
	}
	if w.exchange == c.M.Frame.Exchange || c.St.Now.Sub(w.ended) > crossing {
		c.Report(lint.At("params", "progressToken"))
	}
}

func reusedToken(c *lint.Context) {
	progressToken := jsonrpc.Get(c.M.Meta, "progressToken")
	if progressToken == nil {
		return
	}
	r := c.St.Flows.OfToken(c.M.Frame.Dir, progressToken)
	if r != nil && lint.IsPending(r) && !c.St.Flows.HasID(r, c.M.ID) {
		c.Report(lint.At("params", "_meta", "progressToken"), "got", lint.ShownValue(progressToken), "id", lint.ShownValue(r.ID.Bytes()))
	}
}

func tokenType(c *lint.Context) {
	if in := jsonrpc.Get(c.M.Meta, "progressToken"); in != nil && !lint.IsStringOrInteger(in) {
		got := lint.KindOf(in)
		if jsonrpc.TypeOf(in) == "number" {
			got = "a number with a fraction"
		}
		c.Report(lint.At("params", "_meta", "progressToken"), "got", got)
	}
	if c.M.Members.Token == nil {
		return
	}
	if _, known := revision.Lookup(c.M.Method); known {
		c.Report(lint.At("params", "progressToken"), "got", "outside of _meta, where it has no effect")
	}
}

// trackToken records the token of a request.
func trackToken(c *lint.Context) {
	r := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID)
	if r == nil || r.Token == "" {
		return
	}
	all := &lint.Own[trackedTokens](c.St)[r.Dir]
	w := (*all)[r.TokenKey()]
	if w == nil {
		w = &trackedProgress{}
		lint.Keep(all, maxTokens, r.TokenKey(), w)
	}
	*w = trackedProgress{request: r, since: w.since, count: w.count}
}

// trackResponse records the end of a request with a token.
func trackResponse(c *lint.Context) {
	r := c.M.Request
	if r == nil || r.Token == "" {
		return
	}
	if w := lint.Own[trackedTokens](c.St)[r.Dir][r.TokenKey()]; w != nil && w.request == r {
		w.ended, w.exchange, w.task = c.M.Frame.Time, c.M.Frame.Exchange, jsonrpc.Text(c.M.Result, "task", "taskId")
	}
}

func watchProgress(c *lint.Context) {
	p := &c.M.Members
	w := trackedOf(c, p.Token)
	if w == nil {
		return
	}
	if value, ok := lint.Number(p.Progress); ok {
		w.value, w.last = value, lint.Escaped(p.Progress)
	}
	if c.St.Now.Sub(w.since) >= time.Second {
		w.since, w.count = c.St.Now, 0
	}
	w.count++
}

// finished holds the tasks in a final status.
type finished map[string]bool

func watchTaskIDs(c *lint.Context) {
	id, status := c.M.Text(c.M.Params, "taskId"), c.M.Text(c.M.Params, "status")
	if c.M.IsResponse() {
		id, status = c.M.Text(c.M.Result, "taskId"), c.M.Text(c.M.Result, "status")
	}
	if c.M.IsResponse() && c.M.Method == "tasks/result" && c.M.Request != nil {
		id, status = jsonrpc.Text(c.M.Request.Params, "taskId"), "completed"
	}
	if revision.TaskStatus(status).Final() {
		lint.Keep(lint.Own[finished](c.St), lint.MaxTasks, lint.ShortKey(id), true)
	}
}

// Rules check progress, cancellation, logging, pagination and changes of lists.
var Rules = slices.Concat(progressRules, cancelRules, logRules, pageRules, changeRules)
