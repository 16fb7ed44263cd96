package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
)

// slow is the pace of tests whose clock is not the real one.
var slow = Options{Pace: time.Second}

// taskID finds the id of a task in a frame, wherever it stands.
func taskID(t *testing.T, frame string) string {
	t.Helper()
	_, rest, ok := strings.Cut(frame, `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !ok || id == "" {
		t.Fatalf("no task in %s", frame)
	}
	return id
}

// brewAlone starts a task without a session.
func brewAlone(c *client, arguments string) string {
	c.t.Helper()
	got := c.ask(aloneCall("1", "brew", arguments, everyCapability))
	check(c.t, "created", got[0], []string{`"resultType":"task"`, `"status":"working"`, `"ttlMs":600000`, `"pollIntervalMs":500`, `"createdAt":"`})
	return taskID(c.t, got[0])
}

func taskFrame(id, method, task, more string) string {
	return alone(id, method, fmt.Sprintf(`{"taskId":%q%s}`, task, more), everyCapability, "")
}

// poll asks for a task until it has the wanted status.
func (c *client) poll(task, status string) string {
	c.t.Helper()
	for range 100 {
		got := c.ask(taskFrame("1", "tasks/get", task, ""))[0]
		check(c.t, "tasks/get", got, []string{`"resultType":"complete"`, task})
		if strings.Contains(got, `"status":"`+status+`"`) {
			return got
		}
		time.Sleep(500 * time.Millisecond) // on the clock of the bubble
	}
	c.t.Fatalf("the task is never %s", status)
	return ""
}

func TestTasks_Extension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, slow)
		tests := []struct {
			arguments, status string
			want              []string
		}{
			{`{"seconds":2}`, "completed", []string{`"result":{"resultType":"complete","content":[{"type":"text","text":"a pot of green tea`}},
			{`{"seconds":2,"outcome":"fail"}`, "completed", []string{`"isError":true`, `the pot broke`}},
			{`{"seconds":2,"outcome":"error"}`, "failed", []string{`"error":{"code":-32603`, `"kettle":"left"`}},
		}
		for _, tt := range tests {
			check(t, tt.arguments, c.poll(brewAlone(c, tt.arguments), tt.status), tt.want)
		}

		task := brewAlone(c, `{"seconds":60}`)
		check(t, "cancel", c.ask(taskFrame("2", "tasks/cancel", task, ""))[0], []string{`"resultType":"complete"`})
		c.poll(task, "cancelled")
		check(t, "cancelled again", c.ask(taskFrame("2", "tasks/cancel", task, ""))[0], []string{`"resultType":"complete"`})
		check(t, "unknown", c.ask(taskFrame("2", "tasks/get", "nope", ""))[0], []string{`"code":-32602`})
		check(t, "no task", c.ask(alone("2", "tasks/get", "", everyCapability, ""))[0], []string{`"code":-32602`})
		time.Sleep(time.Hour)
		check(t, "forgotten", c.ask(taskFrame("2", "tasks/get", task, ""))[0], []string{`"code":-32602`})
		c.finish()
	})
}

func TestATaskThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, slow)
		task := brewAlone(c, `{"seconds":2,"ask":true}`)
		got := c.poll(task, "input_required")
		check(t, "asks", got, []string{`"inputRequests":{"strength":{"method":"elicitation/create"`, `How strong`})
		c.ask(taskFrame("2", "tasks/update", task, `,"inputResponses":{"other":{"action":"accept"}}`))
		c.poll(task, "input_required")
		check(t, "no answers", c.ask(taskFrame("2", "tasks/update", task, ""))[0], []string{`"code":-32602`})
		got = c.ask(taskFrame("2", "tasks/update", task, `,"inputResponses":{"strength":{"action":"accept","content":{"strength":"strong"}}}`))[0]
		check(t, "update", got, []string{`"resultType":"complete"`})
		check(t, "done", c.poll(task, "completed"), []string{`green tea, strong`})
		c.finish()
	})
}

func TestTasks_Subscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, slow)
		task := brewAlone(c, `{"seconds":2,"ask":true}`)
		c.poll(task, "input_required")
		c.send(listenFrame("9", fmt.Sprintf(`{"taskIds":[%q]}`, task)))
		c.next(`acknowledged`, task)
		c.send(taskFrame("2", "tasks/update", task, `,"inputResponses":{"strength":{"action":"accept","content":{"strength":"light"}}}`))
		var all []string
		for last := ""; !strings.Contains(last, `"status":"completed"`); all = append(all, last) {
			last = c.mustLine()
			if scan(last).Kind == jsonrpc.Notification {
				conforms(t, "", last)
				check(t, "notification", last, []string{`"method":"notifications/tasks"`, `subscriptionId":9`, task})
			}
		}
		check(t, "on the way", strings.Join(all, "\n"), []string{`brewed 3 of 5 parts`, `green tea, light`})
		c.finish()
	})
}

// brewCall starts a task in a session.
func brewCall(id, tool, arguments, task string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s%s}`, tool, arguments, task))
}

// coreTask asks about a task in a session and looks at the result.
func (c *client) coreTask(id, method, task, definition string) string {
	c.t.Helper()
	c.send(request(id, method, fmt.Sprintf(`{"taskId":%q}`, task)))
	got := c.answerTo(id)
	if result, ok := jsonrpc.Member([]byte(got), "result"); ok {
		fits(c.t, "2025-11-25", definition, result)
	}
	return got
}

func TestCoreTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, slow, "2025-11-25", allCapabilities)
		tests := []struct {
			arguments, status string
			want              []string
		}{
			{`{"seconds":2}`, "completed", []string{`a pot of green tea`, `"io.modelcontextprotocol/related-task":{"taskId":"`}},
			{`{"seconds":2,"outcome":"fail"}`, "failed", []string{`"isError":true`, `related-task`}},
			{`{"seconds":2,"outcome":"error"}`, "failed", []string{`"error":{"code":-32603`, `the kettle exploded`}},
		}
		for _, tt := range tests {
			c.send(brewCall("1", "brew", tt.arguments, `,"task":{"ttl":60000},"_meta":{"progressToken":"p"}`))
			created := c.answerTo("1")
			check(t, "created", created, []string{`"task":{`, `"status":"working"`, `"ttl":60000`, `"pollInterval":500`})
			result, _ := jsonrpc.Member([]byte(created), "result")
			fits(t, "2025-11-25", "CreateTaskResult", result)
			task := taskID(t, created)
			c.send(request("2", "tasks/result", fmt.Sprintf(`{"taskId":%q}`, task))) // waits
			var told strings.Builder
			for got := ""; scan(got).Kind != jsonrpc.Response && scan(got).Kind != jsonrpc.ErrorResponse; {
				told.WriteString(got)
				if got = c.mustLine(); scan(got).Kind.IsResponse() {
					check(t, tt.arguments, got, tt.want)
				} else if strings.Contains(got, "notifications/tasks/status") {
					fits(t, "2025-11-25", "TaskStatusNotification", []byte(got))
				}
			}
			check(t, "on the way", told.String(), []string{`brewed 2 of 5`, `"method":"notifications/progress"`, `"method":"notifications/tasks/status"`})
			check(t, "tasks/get", c.coreTask("3", "tasks/get", task, "GetTaskResult"), []string{`"status":"` + tt.status + `"`})
			check(t, "too late", c.coreTask("4", "tasks/cancel", task, ""), []string{`"code":-32602`})
		}
		c.send(request("5", "tasks/list", ""))
		if got := c.answerTo("5"); strings.Count(got, `"taskId"`) != 3 {
			t.Errorf("tasks/list: %s", got)
		}
		c.finish()
	})
}

func TestCancellingACoreTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, slow, "2025-11-25", "{}")
		c.send(brewCall("1", "brew-task", `{"seconds":60}`, `,"task":{}`))
		task := taskID(t, c.answerTo("1"))
		check(t, "cancel", c.coreTask("3", "tasks/cancel", task, "CancelTaskResult"), []string{`"status":"cancelled"`})
		check(t, "result", c.coreTask("4", "tasks/result", task, ""), []string{`"code":-32600`, `cancelled`})
		c.finish()
	})
}

func TestTask_RequestWhileResultIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, slow, "2025-11-25", allCapabilities)
		c.send(brewCall("1", "brew", `{"seconds":1,"ask":true}`, `,"task":{}`))
		task := taskID(t, c.answerTo("1"))
		synctest.Wait()
		check(t, "waits", c.coreTask("2", "tasks/get", task, "GetTaskResult"), []string{`"status":"input_required"`})
		c.send(request("3", "tasks/result", fmt.Sprintf(`{"taskId":%q}`, task)))
		asked := ""
		for scan(asked).Kind != jsonrpc.Request {
			asked = c.mustLine()
		}
		check(t, "asks", asked, []string{`elicitation/create`, `"io.modelcontextprotocol/related-task":{"taskId":"` + task})
		c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"strength":"medium"}}}`)
		check(t, "result", c.answerTo("3"), []string{`green tea, medium`, `related-task`})
		c.finish()
	})
}

func TestWhoMayBeATask(t *testing.T) {
	tests := []struct {
		revision, frame, want string
	}{
		{"2025-11-25", brewCall("1", "brew-task", `{"seconds":0}`, ""), `"code":-32601`},
		{"2025-11-25", brewCall("1", "slow-answer", `{"seconds":0}`, `,"task":{}`), `"code":-32601`},
		{"2025-11-25", brewCall("1", "brew", `{"seconds":0}`, ""), `a pot of`},
		{"2025-06-18", brewCall("1", "slow-answer", `{"seconds":0}`, `,"task":{}`), `that took 0 seconds`},
		{"2025-06-18", request("1", "tasks/list", ""), `"code":-32601`},
		{"2025-11-25", request("1", "tasks/get", `{"taskId":"nope"}`), `"code":-32602`},
	}
	for _, tt := range tests {
		c := connect(t, Options{}, tt.revision, "{}")
		c.send(tt.frame)
		check(t, tt.revision+" "+tt.frame, c.answerTo("1"), []string{tt.want})
	}
}

func TestTasks_BelongToTheirSession(t *testing.T) {
	w := browse(t, Options{})
	other := *w
	w.shakeHands("2025-11-25", "{}")
	other.shakeHands("2025-11-25", "{}")
	all := frames(t, w.do(http.MethodPost, brewCall("1", "brew", `{"seconds":0}`, `,"task":{}`)))
	get := request("2", "tasks/get", fmt.Sprintf(`{"taskId":%q}`, taskID(t, all[len(all)-1])))
	check(t, "the owner", frames(t, w.do(http.MethodPost, get))[0], []string{`"result"`})
	check(t, "another", frames(t, other.do(http.MethodPost, get))[0], []string{`"code":-32602`})
}
