package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
)

// bent writes what a server says as another text.
type bent struct {
	io.Writer
	bend func(string) string
}

func (b bent) Write(p []byte) (int, error) {
	_, err := io.WriteString(b.Writer, b.bend(string(p)))
	return len(p), err
}

// bending runs a script against a demo server whose frames are bent, those in
// both directions.
func bending(t *testing.T, r revision.Revision, p requests.Policies, bend func(string) string, script func(s *Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := openIn(t, r, pace, p)
		s.cfg.Dial = sessiontest.Dial(func(ctx context.Context, in io.Reader, out io.Writer) error {
			received, written := io.Pipe()
			go func() {
				_, err := io.Copy(bent{written, bend}, in)
				_ = written.CloseWithError(err)
			}()
			return sessiontest.Demo(pace)(ctx, received, bent{out, bend})
		})
		defer func() { _ = s.Close(context.Background()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(s)
	})
}

func swap(old, by string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, by) }
}

// fault is the first thing in the history that the server must not do.
func fault(task requests.Task) string {
	for _, e := range task.History {
		if e.Fault {
			return e.Text
		}
	}
	return ""
}

func TestTasks_FaultyServers(t *testing.T) {
	const later = `"lastUpdatedAt":"2100-01-01T00:00:00Z"`
	tests := []struct {
		name     string
		revision revision.Revision
		bend     func(string) string
		err      string // of the call, empty when it has a result
		fault    string
	}{
		{"no id", revision.R20251125, swap(`"taskId"`, `"task_id"`), `has no "taskId"`, ""},
		{"no id", revision.R20260728, swap(`"taskId"`, `"task_id"`), `has no "taskId"`, ""},
		{"begins in the middle", revision.R20251125, func(s string) string {
			if strings.Contains(s, `"task":{`) && strings.Contains(s, `"result"`) {
				s = strings.Replace(s, `"status":"working"`, `"status":"input_required"`, 1)
			}
			return s
		}, "", "the status of a new task must be \"working\""},
		{"a status of its own", revision.R20251125, func(s string) string {
			if strings.Contains(s, "brewed 2 of 5") {
				s = strings.Replace(s, `"status":"working"`, `"status":"steeping"`, 1)
			}
			return s
		}, "", `no status "steeping"`},
		{"comes back from the dead", revision.R20251125, func(s string) string {
			if strings.Contains(s, "notifications/tasks/status") && strings.Contains(s, `"completed"`) {
				alive := strings.Replace(s, `"status":"completed"`, `"status":"working"`, 1)
				at := strings.Index(alive, `"lastUpdatedAt":"`)
				return s + alive[:at] + later + alive[at+len(`"lastUpdatedAt":"`)+len("2000-01-01T00:00:00.000Z")+1:]
			}
			return s
		}, "", "the server reported working after the final status completed"},
		{"no tasks/get", revision.R20260728, swap(`"method":"tasks/get"`, `"method":"tasks/got"`), "cannot be polled", ""},
		{"nothing in it", revision.R20260728, swap(`"result":{"resultType":"complete","content"`, `"outcome":{"resultType":"complete","content"`), `completed without a "result"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+string(tt.revision), func(t *testing.T) {
			bending(t, tt.revision, requests.Policies{}, tt.bend, func(s *Session) {
				c := brew(s, `{"seconds":5}`)
				<-c.Done()
				synctest.Wait()
				_, err := c.Outcome()
				if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v", err)
				}
				if tt.fault == "" {
					return
				}
				if got := fault(theTask(t, s)); !strings.Contains(got, tt.fault) {
					t.Errorf("%q in %+v", got, theTask(t, s).History)
				}
			})
		})
	}
}

// Where tasks cannot be cancelled, the call is given up and the task goes on.
func TestTask_CannotBeCancelled(t *testing.T) {
	for name, bend := range map[string]func(string) string{
		"not offered": swap(`"cancel":{}`, `"stop":{}`),
		"refused":     swap(`"method":"tasks/cancel"`, `"method":"tasks/can-cel"`),
	} {
		t.Run(name, func(t *testing.T) {
			bending(t, revision.R20251125, requests.Policies{}, bend, func(s *Session) {
				c := brew(s, `{"seconds":10}`)
				time.Sleep(time.Second)
				c.Cancel()
				<-c.Done()
				if _, err := c.Outcome(); !errors.Is(err, ErrCancelled) || !errors.Is(err, requests.ErrRunning) {
					t.Error(err)
				}
				time.Sleep(20 * time.Second)
				if task := theTask(t, s); task.Status != client.TaskCompleted || !bytes.Contains(task.Response.Result(), []byte("green tea")) {
					t.Errorf("%+v", task)
				}
			})
		})
	}
}

// With the extension a server may go on although it has heard.
func TestTask_IgnoresCancellation(t *testing.T) {
	bend := func(s string) string {
		if strings.Contains(s, `"method":"tasks/cancel"`) {
			return strings.Replace(s, `"tasks/cancel"`, `"tasks/get"`, 1)
		}
		return s
	}
	bending(t, revision.R20260728, requests.Policies{}, bend, func(s *Session) {
		c := brew(s, `{"seconds":10}`)
		time.Sleep(time.Second)
		c.Cancel()
		<-c.Done()
		if _, err := c.Outcome(); !errors.Is(err, ErrCancelled) {
			t.Error(err)
		}
		if task := theTask(t, s); !task.Cancelling || task.Over {
			t.Errorf("%+v", task)
		}
		time.Sleep(20 * time.Second)
		if task := theTask(t, s); task.Status != client.TaskCompleted || !task.Over || task.Cancelling {
			t.Errorf("%+v", task)
		}
	})
}

// A question that is refused has no other answer than the end of the task.
func TestTask_NoResponse(t *testing.T) {
	runIn(t, revision.R20260728, pace, byHand, func(s *Session) {
		c := brew(s, `{"seconds":1,"ask":true}`)
		time.Sleep(time.Second)
		if err := s.Inbox().Refuse(s.Inbox().Requests()[0].ID, -1, "no"); err != nil {
			t.Fatal(err)
		}
		<-c.Done()
		if _, err := c.Outcome(); !errors.Is(err, client.ErrInputRefused) {
			t.Error(err)
		}
		if task := theTask(t, s); task.Status != client.TaskCancelled || !task.Over {
			t.Errorf("%+v", task)
		}
	})
}

// A server may report tasks that this client has not created.
func TestTask_OfAnotherClient(t *testing.T) {
	told := false
	bend := func(s string) string {
		if !told && strings.Contains(s, `"content"`) {
			told = true
			s += `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"other","status":"working","ttl":null}}` + "\n"
		}
		return s
	}
	bending(t, revision.R20251125, requests.Policies{}, bend, func(s *Session) {
		<-s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"x"}}`)).Done()
		synctest.Wait()
		if task := theTask(t, s); task.ID != "other" || task.Call.Present() || task.TTL != client.Forever || task.Over {
			t.Errorf("%+v", task)
		}
		if err := s.Tasks().Refresh("other"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if task := theTask(t, s); !task.Over || !strings.Contains(task.Err.Error(), "not known to the server") {
			t.Errorf("%v", task.Err)
		}
	})
}

// Without tasks.cancel nothing is cancelled, and nothing is said to be.
func TestCancelTask_NotOfferedByTheServer(t *testing.T) {
	const task = `"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null`
	overScript(t, revision.R20251125, func(method, id string) string {
		switch method {
		case "initialize":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}}`, id)
		case "tools/call":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"task":{%s}}}`, id, task)
		case "tasks/get":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{%s}}`, id, task)
		}
		return ""
	}, func(s *Session) {
		call := s.Start("tools/call", []byte(`{"name":"w","arguments":{},"task":{}}`))
		synctest.Wait()
		if err := s.Tasks().Cancel("t1"); !errors.Is(err, requests.ErrNoCancel) {
			t.Errorf("cancelling gave %v", err)
		}
		synctest.Wait()
		if !call.Running() {
			t.Error("the call was given up")
		}
		if n := sent(s, "tasks/cancel") + sent(s, "notifications/cancelled"); n > 0 {
			t.Errorf("%d cancellations were sent", n)
		}
	})
}
