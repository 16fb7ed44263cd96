package stateless

import (
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// taskRecordRules check what a server reports about a task. They compare it with earlier messages
// and with the request.
var taskRecordRules = []lint.Rule{
	{ID: "X066", Methods: []string{"tools/call"}, When: lint.Result | lint.FromServer | lint.Matched, Message: noTask},
	{ID: "X067", Methods: taskMethods, Message: lint.Each(tasksNow, taskTimes)},
	{ID: "X068", Methods: []string{"tasks/get"}, When: lint.ErrorResponse | lint.Matched, Message: lostTask},
	{ID: "X069", Limit: lint.OncePerConnection, Methods: []string{"tasks/get", "tasks/list", "tasks/cancel", "notifications/tasks/status"}, Message: needlessRelatedTask},
	{ID: "X071", Limit: lint.OncePerConnection, Methods: taskMethods, Message: lint.Each(tasksNow, guessableTask)},
	{ID: "X070", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, Message: lint.EachTool(func(c *lint.Context, t lint.Tool) {
		if c.St.ServerCaps != nil && jsonrpc.Text(t.Raw, "execution", "taskSupport") == "required" && !c.St.ServerOffers("tasks", "requests", "tools", "call") {
			c.Report(t.At("execution"), "name", lint.Escaped(jsonrpc.Text(t.Raw, "name")))
		}
	})},
}

// noTask reports a result without a task for a call that requested one of a tool that supports tasks.
func noTask(c *lint.Context) {
	r := c.M.Request
	if !lint.Has(r.Params, "task") || !c.St.ServerOffers("tasks", "requests", "tools", "call") || len(tasksIn(c.M)) > 0 {
		return
	}
	tool, known := c.ListedTool(r.Name)
	if support := jsonrpc.Text(tool, "execution", "taskSupport"); known && (support == "optional" || support == "required") {
		c.Report(lint.At("result"), "name", lint.Escaped(r.Name), "support", support)
	}
}

// taskTimes compares the times of a task with each other, and its time of creation with an earlier one.
func taskTimes(c *lint.Context, t task) {
	text := jsonrpc.Text(t.raw, "createdAt")
	created, ok := lint.ParseTime(text)
	if !ok {
		return // X051
	}
	updated, ok := lint.ParseTime(jsonrpc.Text(t.raw, "lastUpdatedAt"))
	if ok && updated.Before(created) {
		c.ReportFor(c.M.Sender(), t.place("lastUpdatedAt"), "reason", "lastUpdatedAt is "+phrase.Duration(created.Sub(updated).Round(time.Millisecond))+" before createdAt")
		return
	}
	if l := lint.Own[tasks](c.St).state(c.M.Frame.Dir, t.id()); l != nil && !t.created && !l.isReused && !l.created.IsZero() && !l.created.Equal(created) {
		c.ReportFor(c.M.Sender(), t.place("createdAt"), "reason", "createdAt is "+lint.Quoted(text)+", but was "+lint.Quoted(l.created.Format(time.RFC3339Nano)))
	}
}

// unknownTask matches the message of an error about a task that does not exist.
var unknownTask = lazyregexp.New(`(?i)not found|unknown|no such|does not exist|doesn't exist|not exist|no task|invalid task|expired`)

// lostTask reports an error about an unknown task, although the server has created the task on this connection and its
// ttl has not passed.
func lostTask(c *lint.Context) {
	id := jsonrpc.Text(c.M.Request.Params, "taskId")
	l := lint.Own[tasks](c.St).state(c.M.Frame.Dir, id)
	code, ok := lint.ErrorCode(c.M)
	switch {
	case l == nil || l.begun.IsZero() || !ok || code != jsonrpc.CodeInvalidParams || !unknownTask().MatchString(c.M.Text(c.M.Error, "message")):
	case l.ttl == revision.Forever:
		c.ReportFor(c.M.Sender(), lint.At("error"), "task", lint.Quoted(id), "ttl", "has no limit")
	case c.M.Frame.Time.Sub(l.begun) < l.ttl:
		c.ReportFor(c.M.Sender(), lint.At("error"), "task", lint.Quoted(id), "ttl", "is "+phrase.Duration(l.ttl))
	}
}

// needlessRelatedTask reports the metadata about a related task in a message that names its task itself.
func needlessRelatedTask(c *lint.Context) {
	holder, at := c.M.Result, "result"
	if c.M.IsNotification() {
		holder, at = c.M.Params, "params"
	} else if !c.M.IsResult() {
		return
	}
	if lint.Has(c.M.Get(holder, "_meta"), revision.MetaRelatedTask) {
		c.ReportFor(c.M.Sender(), lint.At(at, "_meta", revision.MetaRelatedTask), "method", c.M.Method)
	}
}

// minTaskID is the minimum length of a task id that cannot be guessed, in characters: 64 bits in Base64.
const minTaskID = 11

// newestTask is the id of the newest task that was created.
type newestTask string

// guessableTask reports a task id that is short, a number, or one that counts up from the id before.
func guessableTask(c *lint.Context, t task) {
	id := t.id()
	if !t.created || id == "" {
		return
	}
	isNumber := strings.Trim(id, "0123456789") == ""
	before := lint.Own[newestTask](c.St)
	if isNumber || len(id) < minTaskID || lint.CountsUp(string(*before), id) {
		c.Report(t.place("taskId"), "got", lint.Quoted(id))
	}
	*before = newestTask(strings.Clone(id))
}
