package lint

import (
	"fmt"
	"strings"
	"time"

	"mcptea/client/revision"
)

var onProgress = []string{"notifications/progress"}

// progressRules judge progress.
var progressRules = []rule{
	{id: "N001", kinds: notifications, message: progressMisnamed},
	{id: "N001", methods: onProgress, message: func(c *Context) {
		if p := &c.M.members; p.value != nil && p.progress == nil {
			c.ReportFor(c.M.Sender(), At("params", "value"), "got", "value")
		}
	}},
	{id: "N002", methods: onProgress, message: func(c *Context) {
		if k := Kind(c.M.Params); k != "" && k != "object" || c.M.IsRequest() {
			return
		}
		p := &c.M.members
		if !isStringOrInteger(p.token) {
			c.Report(At("params", "progressToken"), "field", "progressToken, a text or an integer")
		} else if Kind(p.progress) != "number" {
			c.Report(At("params", "progress"), "field", "progress, a number")
		}
	}},
	{id: "N003", methods: onProgress, message: unknownToken},
	{id: "N004", methods: onProgress, message: func(c *Context) {
		p := &c.M.members
		value, ok := number(p.progress)
		if w := c.work(p.token); ok && w != nil && w.last != "" && value <= w.value {
			c.Report(At("params", "progress"), "last", w.last, "got", escaped(p.progress))
		}
	}},
	{id: "N005", methods: onProgress, message: progressAfterEnd},
	{id: "N006", methods: onProgress, message: func(c *Context) {
		p := &c.M.members
		value, ok := number(p.progress)
		total, is := number(p.total)
		if ok && is && (value > total || total <= 0) {
			c.Report(At("params", "progress"), "got", escaped(p.progress), "total", escaped(p.total))
		}
	}},
	{id: "N007", kinds: requests, message: reusedToken},
	{id: "N008", kinds: requests, message: tokenType},
	{kinds: requests, after: watchWork, release: releaseWork},
	{kinds: answers, after: watchWorkEnd},
	{methods: onProgress, after: watchProgress},
	{id: "N009", methods: onProgress, after: func(c *Context) {
		if w := c.work(c.M.members.token); w != nil && w.count == maxReports+1 {
			c.ReportFor(c.M.Sender(), At("params", "progressToken"), "count", fmt.Sprintf("More than %d", maxReports))
		}
	}},
	{methods: []string{"notifications/tasks/status", "tasks/get", "tasks/cancel", "tasks/result"}, after: watchTaskIDs},
}

// maxReports is how many reports of one piece of work are plenty in a second.
const maxReports = 50

// progressMisnamed leaves alone what names itself after somebody else, and what
// belongs to the Language Server Protocol.
func progressMisnamed(c *Context) {
	if !strings.Contains(c.M.Method, "rogress") || c.M.Method == onProgress[0] {
		return
	}
	name := strings.ToLower(strings.TrimPrefix(c.M.Method, "mcp/"))
	rest, prefixed := strings.CutPrefix(name, "notifications/")
	if strings.HasPrefix(rest, "progress") || prefixed && strings.HasSuffix(rest, "/progress") || rest == "tools/progress" {
		c.ReportFor(c.M.Sender(), At("method"), "got", escaped(c.M.Method))
	}
}

// work is what is known of a request that has asked for progress.
type work struct {
	r *Request

	last  string // the newest progress, as it was written; empty before
	value float64
	since time.Time // when the count began
	count int

	ended time.Time // zero before
	over  uint32    // the exchange of the answer
	task  string    // that the request has become (2025-11-25)
}

// works are those of each side, by plain token. A token that is used again
// stays in its place, so that many reports are counted all the same.
type works [2]map[string]*work

// work is that of a token of the other side, nil when there is none.
func (c *Context) work(token []byte) *work {
	key := tokenKey(token)
	asker := 1 - c.M.Frame.Dir
	w, r := Own[works](c.St)[asker][key], c.St.Tokens[asker][key]
	if w == nil || w.r == r {
		return w
	}
	*w = work{r: r, since: w.since, count: w.count}
	return w
}

// progressGrace is how long a request that was cancelled may still have progress.
const progressGrace = 30 * time.Second

func unknownToken(c *Context) {
	p := &c.M.members
	if !isStringOrInteger(p.token) {
		return
	}
	asker := 1 - c.M.Frame.Dir
	r := c.St.Tokens[asker][tokenKey(p.token)]
	if r != nil && (r.Answered || !r.Cancelled || c.St.Now.Sub(r.CancelledAt) <= progressGrace) {
		return
	}
	suggestion, text := "", plainToken(p.token)
	other := `"` + text + `"`
	if Kind(p.token) == "string" {
		other = strings.Trim(text, `"`)
	}
	if c.St.Tokens[asker][shortKey(other)] != nil {
		suggestion = fmt.Sprintf(" The request has %s: keep the JSON type.", shownValue([]byte(other)))
	} else if id := c.St.Request(asker, []byte(text)); id != nil && r == nil && id.Token == "" {
		suggestion = " It is the id of a request that has not asked for progress."
	} else if id != nil && r == nil {
		suggestion = fmt.Sprintf(" It is the id of a request whose token is %s.", shownValue([]byte(id.Token)))
	}
	c.Report(At("params", "progressToken"), "got", shownValue(p.token), "suggestion", suggestion)
}

// progressAfterEnd passes over work that goes on as a task, and what may have
// overtaken the answer on another stream.
func progressAfterEnd(c *Context) {
	const crossing = time.Second
	w := c.work(c.M.members.token)
	if w == nil || w.r == nil || !w.r.Answered || w.task != "" && !(*Own[finished](c.St))[shortKey(w.task)] {
		return
	}
	if w.over == c.M.Frame.Exchange || c.St.Now.Sub(w.ended) > crossing {
		c.Report(At("params", "progressToken"))
	}
}

func reusedToken(c *Context) {
	progressToken := Member(c.M.Meta, "progressToken")
	if progressToken == nil {
		return
	}
	r := c.St.Tokens[c.M.Frame.Dir][tokenKey(progressToken)]
	if r != nil && r.Waits() && !c.St.hasID(r, c.M.ID) {
		c.Report(At("params", "_meta", "progressToken"), "got", shownValue(progressToken), "id", shownValue([]byte(r.ID)))
	}
}

func tokenType(c *Context) {
	if in := Member(c.M.Meta, "progressToken"); in != nil && !isStringOrInteger(in) {
		got := kindOf(in)
		if Kind(in) == "number" {
			got = "a number with a fraction"
		}
		c.Report(At("params", "_meta", "progressToken"), "got", got)
	}
	if c.M.members.token == nil {
		return
	}
	if _, known := revision.Lookup(c.M.Method); known {
		c.Report(At("params", "progressToken"), "got", "outside of _meta, where nobody looks for it")
	}
}

// watchWork follows the requests that ask for progress.
func watchWork(c *Context) {
	r := c.St.Request(c.M.Frame.Dir, c.M.ID)
	if r == nil || r.Token == "" {
		return
	}
	all := &Own[works](c.St)[r.Dir]
	if *all == nil {
		*all = map[string]*work{}
	}
	key := r.tokenKey
	old := (*all)[key]
	if old == nil {
		old = &work{}
		(*all)[key] = old
	}
	*old = work{r: r, since: old.since, count: old.count}
}

// watchWorkEnd takes note of their answers.
func watchWorkEnd(c *Context) {
	r := c.M.Request
	if r == nil || r.Token == "" {
		return
	}
	if w := Own[works](c.St)[r.Dir][r.tokenKey]; w != nil && w.r == r {
		w.ended, w.over, w.task = c.M.Frame.Time, c.M.Frame.Exchange, Text(c.M.Result, "task", "taskId")
	}
}

func watchProgress(c *Context) {
	p := &c.M.members
	w := c.work(p.token)
	if w == nil {
		return
	}
	if value, ok := number(p.progress); ok {
		w.value, w.last = value, escaped(p.progress)
	}
	if c.St.Now.Sub(w.since) >= time.Second {
		w.since, w.count = c.St.Now, 0
	}
	w.count++
}

// finished are the tasks that have come to an end.
type finished map[string]bool

func watchTaskIDs(c *Context) {
	id, status := Text(c.M.Params, "taskId"), Text(c.M.Params, "status")
	if c.M.IsAnswer() {
		id, status = Text(c.M.Result, "taskId"), Text(c.M.Result, "status")
	}
	if c.M.IsAnswer() && c.M.Method == "tasks/result" && c.M.Request != nil {
		id, status = Text(c.M.Request.Params, "taskId"), "completed"
	}
	switch status {
	case "completed", "failed", "cancelled":
		all := Own[finished](c.St)
		if *all == nil || len(*all) >= maxTasks {
			*all = finished{}
		}
		(*all)[shortKey(id)] = true
	}
}

func releaseWork(st *State, r *Request) {
	all := Own[works](st)[r.Dir]
	if w := all[r.tokenKey]; w != nil && w.r == r {
		delete(all, r.tokenKey)
	}
}
