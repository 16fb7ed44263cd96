package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
)

// pace makes the demo's seconds those of the bubble.
var pace = demo.Options{Pace: time.Second}

var byHand = requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}, Sampling: requests.Policy{Mode: requests.PolicyUser}}

// bothDesigns runs a script against the tasks of 2025-11-25 and those of the
// extension.
func bothDesigns(t *testing.T, p requests.Policies, script func(t *testing.T, s *Session)) {
	t.Helper()
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		t.Run(string(r), func(t *testing.T) {
			runIn(t, r, pace, p, func(s *Session) { script(t, s) })
		})
	}
}

// brew calls the tool that works as a task.
func brew(s *Session, arguments string) *Call {
	params := []byte(fmt.Sprintf(`{"name":"brew-task","arguments":%s}`, arguments))
	if !s.State().Handshake.Revision.IsStateless() {
		params = client.AsTask(params, time.Minute)
	}
	c := s.Start("tools/call", params)
	synctest.Wait()
	return c
}

func theTask(t *testing.T, s *Session) requests.Task {
	t.Helper()
	all := s.Tasks().All()
	if len(all) != 1 {
		t.Fatalf("%d tasks", len(all))
	}
	return all[0]
}

// path is the sequence of statuses of a task.
func path(task requests.Task) string {
	var steps []string
	for _, e := range task.History {
		word := string(e.Status)
		if e.Fault {
			word = "fault: " + e.Text
		}
		if n := len(steps); word != "" && (n == 0 || steps[n-1] != word) {
			steps = append(steps, word)
		}
	}
	return strings.Join(steps, " ")
}

func TestCall_BecomesATask(t *testing.T) {
	bothDesigns(t, requests.Policies{}, func(t *testing.T, s *Session) {
		c := brew(s, `{"seconds":5}`)
		if task, ok := c.Task(); !ok || !c.Running() || task.Tool != "brew-task" || !task.Call.Same(c.ID) || task.Row < 0 || task.Status != client.TaskWorking {
			t.Fatalf("%+v", task)
		}
		time.Sleep(2500 * time.Millisecond)
		if task := theTask(t, s); task.Message != "brewed 2 of 5 parts" || task.TTL <= 0 || !task.Notified {
			t.Errorf("%+v", task)
		}
		<-c.Done()
		a, err := c.Outcome()
		if err != nil || !strings.Contains(string(a.Result()), "a pot of green tea") || a.Took < 5*time.Second || a.Took > 6*time.Second {
			t.Errorf("%s after %v, %v", a.Result(), a.Took, err)
		}
		task := theTask(t, s)
		if got := path(task); got != "working completed" || !task.Over || task.ResponseRow < 0 {
			t.Errorf("%s %+v", got, task)
		}
		// Who is told does not ask all the time.
		if n := sent(s, "tasks/get"); n > 3 {
			t.Errorf("looked %d times", n)
		}
	})
}

func TestTasksThatFail(t *testing.T) {
	bothDesigns(t, requests.Policies{}, func(t *testing.T, s *Session) {
		stateless := s.State().Handshake.Revision.IsStateless()
		broken := brew(s, `{"seconds":1,"outcome":"fail"}`)
		<-broken.Done()
		a, err := broken.Outcome()
		if err != nil || !strings.Contains(string(a.Result()), `"isError":true`) {
			t.Errorf("%s, %v", a.Result(), err)
		}
		want := client.TaskFailed
		if stateless {
			want = client.TaskCompleted // the tool's failure is a result there
		}
		if task := theTask(t, s); task.Status != want {
			t.Errorf("%s", task.Status)
		}
		exploded := brew(s, `{"seconds":1,"outcome":"error"}`)
		<-exploded.Done()
		var rpc *client.RPCError
		if a, err := exploded.Outcome(); err != nil || !errors.As(a.Err(), &rpc) || rpc.Message != "the kettle exploded" || !strings.Contains(string(rpc.Data), "left") {
			t.Errorf("%v, %v", a.Err(), err)
		}
		if task := s.Tasks().All()[1]; task.Status != client.TaskFailed {
			t.Errorf("%s", task.Status)
		}
	})
}

func TestATaskAsksAPerson(t *testing.T) {
	bothDesigns(t, byHand, func(t *testing.T, s *Session) {
		c := brew(s, `{"seconds":1,"ask":true}`)
		time.Sleep(3 * time.Second)
		asks := s.Inbox().Requests()
		if len(asks) != 1 || asks[0].State != requests.Waiting || asks[0].Task != theTask(t, s).ID || asks[0].About != "brew-task" || !asks[0].Call.Same(c.ID) {
			t.Fatalf("%+v", asks)
		}
		if task := theTask(t, s); task.Status != client.TaskInputRequired || task.Waiting != 1 {
			t.Errorf("%+v", task)
		}
		if err := s.Inbox().Respond(asks[0].ID, []byte(`{"action":"accept","content":{"strength":"strong"}}`)); err != nil {
			t.Fatal(err)
		}
		if got := said(t, c); !strings.Contains(got, "green tea, strong") {
			t.Error(got)
		}
		if n := len(s.Inbox().Requests()); n != 1 {
			t.Errorf("asked %d times", n)
		}
		// The question comes at the instant of the start: a tasks/get that overlaps with it gets the
		// state before, with an equal lastUpdatedAt.
		got := strings.Replace(path(theTask(t, s)), "working input_required working input_required", "working input_required", 1)
		if got != "working input_required working completed" {
			t.Error(got)
		}
	})
}

func TestTask_AnsweredByPolicy(t *testing.T) {
	policy := requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyResult, Result: []byte(`{"action":"accept","content":{"strength":"light"}}`)}}
	bothDesigns(t, policy, func(t *testing.T, s *Session) {
		if got := said(t, brew(s, `{"seconds":1,"ask":true}`)); !strings.Contains(got, "green tea, light") {
			t.Error(got)
		}
		if a := s.Inbox().Requests()[0]; a.By != "policy" || a.Task == "" {
			t.Errorf("%+v", a)
		}
	})
}

func TestCancellingATask(t *testing.T) {
	bothDesigns(t, byHand, func(t *testing.T, s *Session) {
		c := brew(s, `{"seconds":60,"ask":true}`)
		time.Sleep(2 * time.Second)
		_ = s.Cancel(c.ID)
		<-c.Done()
		if _, err := c.Outcome(); !errors.Is(err, ErrCancelled) || !errors.Is(err, client.ErrTaskCancelled) {
			t.Error(err)
		}
		synctest.Wait()
		if task := theTask(t, s); task.Status != client.TaskCancelled || !task.Over {
			t.Errorf("%+v", task)
		}
		if a := s.Inbox().Requests()[0]; a.State != requests.Withdrawn {
			t.Errorf("the question is %s", a.State)
		}
		if sent(s, "tasks/cancel") != 1 {
			t.Error("tasks/cancel was not sent once")
		}
	})
}

func TestTask_CancelledBeforeKnown(t *testing.T) {
	runIn(t, revision.R20251125, pace, requests.Policies{}, func(s *Session) {
		c := s.Start("tools/call", client.AsTask([]byte(`{"name":"brew-task","arguments":{"seconds":60}}`), 0))
		c.Cancel()
		<-c.Done()
		if task := theTask(t, s); task.Status != client.TaskCancelled {
			t.Errorf("%+v", task)
		}
	})
}

func TestTask_ForgottenByServer(t *testing.T) {
	bothDesigns(t, byHand, func(t *testing.T, s *Session) {
		c := brew(s, `{"seconds":1,"ask":true}`)
		id := theTask(t, s).ID
		life := theTask(t, s).TTL
		time.Sleep(life + 10*time.Minute)
		<-c.Done()
		var gone *client.TaskError
		if _, err := c.Outcome(); err == nil && strings.Contains(path(theTask(t, s)), "completed") {
			return // the deadline of the inbox answered, and the task ended
		} else if !errors.As(err, &gone) && !errors.Is(err, client.ErrTaskCancelled) {
			t.Errorf("%v", err)
		}
		if err := s.Tasks().Refresh(id); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if task := theTask(t, s); !errors.As(task.Err, &gone) || !strings.Contains(gone.Reason, "ttl has expired") {
			t.Errorf("%v", task.Err)
		}
	})
}

func TestTask_UnknownToTheServer(t *testing.T) {
	bothDesigns(t, requests.Policies{}, func(t *testing.T, s *Session) {
		var gone *client.TaskError
		if err := s.Tasks().Refresh("nope"); !errors.As(err, &gone) {
			t.Error(err)
		}
		c := brew(s, `{"seconds":1}`)
		<-c.Done()
		time.Sleep(2 * time.Hour)
		if err := s.Tasks().Refresh(theTask(t, s).ID); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if task := theTask(t, s); !errors.As(task.Err, &gone) || !task.Over {
			t.Errorf("%+v", task.Err)
		}
	})
}

// A server that goes with its connection has nothing more to say of its tasks.
func TestTasksOverARestart(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		t.Run(string(r), func(t *testing.T) {
			restarted(t, r, func(s *Session) {
				time.Sleep(time.Minute)
				var gone *client.TaskError
				if task := theTask(t, s); !errors.As(task.Err, &gone) || !strings.Contains(gone.Reason, "not known") {
					t.Errorf("%v", task.Err)
				}
			})
		})
	}
}

// One that stays knows them on the next connection.
func TestTask_OutlivesItsConnection(t *testing.T) {
	web := httptest.NewServer(demo.New(demo.Options{Pace: 100 * time.Millisecond}).HandlerContext(t.Context()))
	defer web.Close()
	s, err := Open(Config{
		Target: client.Target{URL: web.URL + "/modern"}, Record: "off", Subscribe: true,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	news, stop := s.Store().Subscribe()
	defer stop()
	late := time.After(20 * time.Second)
	until := func(ok func(requests.Task) bool) {
		t.Helper()
		for all := s.Tasks().All(); len(all) == 0 || !ok(all[0]); all = s.Tasks().All() {
			select {
			case <-news:
			case <-late:
				t.Fatalf("%+v", s.Tasks().All())
			}
		}
	}
	c := s.Start("tools/call", []byte(`{"name":"brew-task","arguments":{"seconds":10}}`))
	until(func(task requests.Task) bool { return task.Call.Same(c.ID) })
	if err := s.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	var closed *client.ClosedError
	if _, err := c.Outcome(); !errors.As(err, &closed) {
		t.Error(err)
	}
	until(func(task requests.Task) bool { return task.Over && task.Status == client.TaskCompleted })
	if got := s.Tasks().All()[0].Response.Result(); !strings.Contains(string(got), "green tea") {
		t.Errorf("%s", got)
	}
}

// restarted starts a task and reconnects while it runs; the server does not
// get to say that it has cancelled it.
func restarted(t *testing.T, r revision.Revision, script func(s *Session)) {
	synctest.Test(t, func(t *testing.T) {
		s := openIn(t, r, pace, requests.Policies{})
		s.cfg.Dial = sessiontest.Dial(func(ctx context.Context, in io.Reader, out io.Writer) error {
			return sessiontest.Demo(pace)(ctx, in, &mute{out})
		})
		defer func() { _ = s.Close(context.Background()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := brew(s, `{"seconds":30}`)
		if err := s.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-c.Done()
		var closed *client.ClosedError
		if _, err := c.Outcome(); !errors.As(err, &closed) {
			t.Error(err)
		}
		synctest.Wait()
		script(s)
	})
}

// mute drops what a server says of cancelled tasks.
type mute struct{ io.Writer }

func (m *mute) Write(b []byte) (int, error) {
	if strings.Contains(string(b), `"status":"cancelled"`) {
		return len(b), nil
	}
	return m.Writer.Write(b)
}

func TestTasksAreListed(t *testing.T) {
	runIn(t, revision.R20251125, pace, requests.Policies{}, func(s *Session) {
		<-brew(s, `{"seconds":1}`).Done()
		if n, err := s.Tasks().List(context.Background()); err != nil || n != 1 || len(s.Tasks().All()) != 1 {
			t.Errorf("%d listed, %d known, %v", n, len(s.Tasks().All()), err)
		}
	})
}

func TestLists_ServerWithoutListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openIn(t, revision.R20260728, pace, requests.Policies{})
		s.cfg.Subscribe = false
		defer func() { _ = s.Close(context.Background()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := brew(s, `{"seconds":5}`)
		<-c.Done()
		if n := sent(s, "tasks/get"); n < 9 || n > 11 {
			t.Errorf("looked %d times in 5 s, where the server wishes for each half second", n)
		}
	})
}
