package attach_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/attach"
	"mcptea/session/session"
)

// stateDir is a directory with a path that is short enough for sockets.
func stateDir(t *testing.T) string {
	t.Helper()
	base := "/tmp"
	if runtime.GOOS == "windows" {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "mcptea-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// open opens a session and connects it.
func open(t *testing.T, cfg session.Config) *session.Session {
	t.Helper()
	cfg.Record, cfg.Client.Timeout = "off", time.Minute
	s, err := session.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// inspector is a session of a user that commands can use.
type inspector struct {
	*session.Session
	listener *attach.Listener
	state    string
}

func newInspector(t *testing.T, r revision.Revision) *inspector {
	t.Helper()
	i := &inspector{state: stateDir(t)}
	i.Session = open(t, session.Config{
		Lint: true, Target: client.Target{Argv: []string{"server", "--token", "s3cret-value-0123456789"}}, Client: client.Config{Name: "inspector", Revision: r},
		Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{Pace: time.Millisecond})),
	})
	var err error
	if i.listener, err = attach.Serve(i.state, attach.Of(i.Session), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(i.listener.Close)
	return i
}

// command opens a session of a command over the connection.
func (i *inspector) command(t *testing.T) *session.Session {
	t.Helper()
	all, err := attach.List(t.Context(), i.state)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v %v", all, err)
	}
	if strings.Contains(all[0].Target, "s3cret") {
		t.Errorf("the target has a secret: %s", all[0].Target)
	}
	return open(t, session.Config{Target: all[0].Use(), Client: client.Config{Name: "command"}})
}

// outcome waits for the outcome of a call.
func outcome(t *testing.T, call *session.Call) (string, error) {
	t.Helper()
	select {
	case <-call.Done():
		response, err := call.Outcome()
		return string(response.Frame), err
	case <-t.Context().Done():
		t.Fatal("no outcome")
		return "", nil
	}
}

func call(s *session.Session, tool, arguments string) *session.Call {
	return s.Start("tools/call", []byte(`{"name":"`+tool+`","arguments":`+arguments+`}`))
}

// await waits until the record of a session has what is looked for.
func await(t *testing.T, s *session.Session, found func(r *store.Row, frame string) bool) {
	t.Helper()
	changed, stop := s.Store().Subscribe()
	defer stop()
	for i := int32(0); ; {
		for r, ok := s.Store().Row(i); ok; r, ok = s.Store().Row(i) {
			if b, err := s.Store().Body(i); err == nil && found(&r, string(b)) {
				return
			}
			i++
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Fatal("it never is in the record")
		}
	}
}

var revisions = []revision.Revision{revision.R20250618, revision.R20251125, revision.NewestStateless}

func TestCommand_UsesTheConnection(t *testing.T) {
	for _, r := range revisions {
		t.Run(string(r), func(t *testing.T) {
			i := newInspector(t, r)
			before := i.Store().Snapshot().Rows
			for range 3 { // one after the other
				c := i.command(t)
				if got := c.State().Handshake; got.Revision != r || got.Server != i.State().Handshake.Server {
					t.Errorf("%+v", got)
				}
				text, err := outcome(t, call(c, "echo", `{"message":"over the connection"}`))
				if err != nil || !strings.Contains(text, `"over the connection"`) {
					t.Errorf("%s %v", text, err)
				}
				text, err = outcome(t, call(c, "fail-protocol", `{}`))
				if err != nil || !strings.Contains(text, `"error"`) {
					t.Errorf("%s %v", text, err)
				}
				if err := c.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}
			i.Disconnect(t.Context()) // the linter has seen all frames then
			ids := map[string]bool{}
			for n := range int32(i.Store().Snapshot().Rows) {
				row, _ := i.Store().Row(n)
				b, err := i.Store().Body(n)
				if err != nil {
					t.Fatal(err)
				}
				frame := string(b)
				for _, f := range i.FindingsAt(n) {
					if f.Severity == lint.Error {
						t.Errorf("%s: %s %s", frame, f.Rule.ID, f.Message)
					}
				}
				switch {
				case int(n) >= before && strings.Contains(frame, `"initialize"`):
					t.Errorf("the server was initialized again: %s", frame)
				case row.Dir == transport.Out && row.Kind == jsonrpc.Request:
					id := string(row.IDOf(b))
					if ids[id] {
						t.Errorf("the id %s has two requests", id)
					}
					ids[id] = true
					if attached := row.Flags&store.Attached != 0; attached != (int(n) >= before) {
						t.Errorf("the mark of %s is %t", frame, attached)
					}
				}
			}
		})
	}
}

func TestCommand_GetsItsProgressAlone(t *testing.T) {
	for _, r := range revisions {
		t.Run(string(r), func(t *testing.T) {
			i := newInspector(t, r)
			one, two := i.command(t), i.command(t)
			first, second := call(one, "long-work", `{"duration":1,"steps":3}`), call(two, "long-work", `{"duration":1,"steps":5}`)
			for _, c := range []*session.Call{first, second} {
				if text, err := outcome(t, c); err != nil || !strings.Contains(text, "done:") {
					t.Errorf("%s %v", text, err)
				}
			}
			for s, total := range map[*session.Session]string{one: `"total":3`, two: `"total":5`} {
				seen := 0
				for n := range int32(s.Store().Snapshot().Rows) {
					row, _ := s.Store().Row(n)
					if b, err := s.Store().Body(n); err != nil || s.Store().Method(row.Method) == "notifications/progress" && !strings.Contains(string(b), total) {
						t.Errorf("%s %v", b, err)
					}
					if s.Store().Method(row.Method) == "notifications/progress" && row.Request() != store.None {
						seen++
					}
				}
				if seen == 0 {
					t.Errorf("%s: no progress", total)
				}
			}
		})
	}
}

func TestCommand_CancelsItsRequestAlone(t *testing.T) {
	cancelled := func(r *store.Row, frame string) bool {
		return r.Dir == transport.Out && strings.Contains(frame, "notifications/cancelled")
	}
	for name, end := range map[string]func(*testing.T, *session.Session, *session.Call){
		"by the user": func(t *testing.T, _ *session.Session, c *session.Call) {
			c.Cancel()
			if _, err := outcome(t, c); !errors.Is(err, session.ErrCancelled) {
				t.Error(err)
			}
		},
		"by its end": func(t *testing.T, s *session.Session, _ *session.Call) { _ = s.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			i := newInspector(t, revision.R20251125)
			other, c := i.command(t), i.command(t)
			waiting := call(c, "never-answer", `{}`)
			await(t, i.Session, func(_ *store.Row, frame string) bool { return strings.Contains(frame, "never-answer") })
			end(t, c, waiting)
			await(t, i.Session, cancelled)
			if text, err := outcome(t, call(other, "echo", `{"message":"still here"}`)); err != nil || !strings.Contains(text, "still here") {
				t.Errorf("%s %v", text, err)
			}
		})
	}
}

func TestCommand_EndOfTheProcess(t *testing.T) {
	i := newInspector(t, revision.R20251125)
	c := i.command(t)
	waiting := call(c, "never-answer", `{}`)
	await(t, i.Session, func(_ *store.Row, frame string) bool { return strings.Contains(frame, "never-answer") })
	i.listener.Close()
	if _, err := outcome(t, waiting); err == nil || !strings.Contains(err.Error(), "whose connection was used, has ended") {
		t.Errorf("%v", err)
	}
	if all, err := attach.List(t.Context(), i.state); len(all) > 0 || err != nil {
		t.Errorf("%+v %v", all, err)
	}
}

func TestCommand_EndOfTheServer(t *testing.T) {
	i := newInspector(t, revision.R20251125)
	c := i.command(t)
	i.Disconnect(t.Context())
	if _, err := outcome(t, call(c, "echo", `{"message":"x"}`)); err == nil || !strings.Contains(strings.ToLower(err.Error()), "not connected") {
		t.Errorf("%v", err)
	}
	all, err := attach.List(t.Context(), i.state)
	if err != nil || len(all) != 1 || all[0].Problem == "" {
		t.Fatalf("%+v %v", all, err)
	}
	s, err := session.Open(session.Config{Target: all[0].Use(), Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	if err := s.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "it is not connected to its server") {
		t.Errorf("%v", err)
	}
}

func TestCommand_RefusesBatchesAndLineBreaks(t *testing.T) {
	c := newInspector(t, revision.R20250618).command(t)
	for frame, want := range map[string]string{
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                          "a batch cannot be sent",
		"{\"jsonrpc\":\"2.0\",\n\"method\":\"a\"}":                            "without a line break",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                         "a request with the id null cannot be sent",
		`{"jsonrpc":"2.0","id":"x","method":"unknown"}`:                       "",
		`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 16<<20-29) + `"}`: "can have 16 MiB at most, and this one has 16777216 bytes",
		`{"jsonrpc":"2.0","method":"notifications/x"}`:                        "",
	} {
		text, err := outcome(t, c.StartFrame([]byte(frame)))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.99s: %.99s %.999v", frame, text, err)
		}
	}
}

// A command whose process ends after it was found says so.
func TestCommand_ProcessHasEnded(t *testing.T) {
	i := newInspector(t, revision.R20251125)
	all, err := attach.List(t.Context(), i.state)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	i.listener.Close()
	s, err := session.Open(session.Config{Target: all[0].Use(), Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	want := "cannot use the connection of the inspector " + all[0].ID + ": it has ended"
	if err := s.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A command knows the tasks of the session, which a server of 2026-07-28 does not list.
func TestCommand_TasksOfTheSession(t *testing.T) {
	i := newInspector(t, revision.R20260728)
	if _, err := outcome(t, call(i.Session, "brew-task", `{"seconds":0}`)); err != nil {
		t.Fatal(err)
	}
	tasks := i.command(t).Target().Shared.Tasks
	if len(tasks) != 1 || tasks[0].Tool != "brew-task" || tasks[0].ID == "" || tasks[0].Status == "" {
		t.Errorf("the tasks are %+v", tasks)
	}
}
