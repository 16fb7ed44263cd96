package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/record"
	"mcptea/session/intercept"
	"mcptea/session/requests"
)

// readRecording opens a recording, reads all of it in fake time and passes it to
// look.
func readRecording(t *testing.T, path string, look func(s *Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := OpenRecording(path, Config{Lint: true, Lists: client.ListKinds})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		look(s)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// stateText is what a user sees of the state of a session.
func stateText(s *Session) string {
	var b strings.Builder
	st := s.State()
	h := st.Handshake
	fmt.Fprintln(&b, st.Phase, st.Attempt, st.Transport, h.Revision, h.Offered, h.Server, h.Instructions, string(h.ServerCaps), string(h.ClientCaps))
	fmt.Fprintln(&b, "logs", st.Logs, st.Stderr, "followed", st.Followed, len(st.Updates))
	for _, step := range st.Steps {
		fmt.Fprintln(&b, "step", step.Name, step.State, step.Detail)
	}
	for _, kind := range client.ListKinds {
		l := st.Lists[kind.Name]
		fmt.Fprint(&b, kind.Name, " ", l.Offered, l.Loading, l.Changes, l.Fresh)
		for _, i := range l.Items {
			fmt.Fprint(&b, " ", i.Name, i.Title, i.URI, len(i.Raw))
		}
		fmt.Fprintln(&b)
	}
	for _, r := range s.Inbox().Requests() {
		fmt.Fprintln(&b, "inbox", r.ID, r.Method, string(r.Params), r.Of, r.Key, r.About, r.Task, r.Call, r.Row, r.Conn, r.State, string(r.Result))
	}
	for _, k := range s.Tasks().All() {
		fmt.Fprintln(&b, "task", k.ID, k.Status, k.Tool, k.Call, k.Row, k.ResponseRow, k.Over, k.Err, k.Progress, string(k.Response.Result()), k.History[0].Status, k.History[0].By)
	}
	var findings []string
	for _, g := range s.Findings().Groups {
		for _, f := range g.Findings {
			findings = append(findings, fmt.Sprint("finding ", f.Row, " ", described(f)))
		}
	}
	slices.Sort(findings)
	fmt.Fprintln(&b, strings.Join(findings, "\n"))
	return b.String()
}

// What a session showed is what its recording shows.
func TestOpenRecording_SameStateAsSession(t *testing.T) {
	user := requests.Policy{Mode: requests.PolicyUser}
	for _, r := range []revision.Revision{revision.R20251125, revision.NewestStateless} {
		t.Run(string(r), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.jsonl")
			var want string
			synctest.Test(t, func(t *testing.T) {
				s := openAt(t, path, r, demo.Options{}, requests.Policies{Sampling: user, Elicitation: user})
				if err := s.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				task := s.Start("tools/call", client.AsTask([]byte(`{"name":"brew-task","arguments":{"seconds":2}}`), 0))
				asked := ask(s, "ask-user")
				synctest.Wait()
				for _, q := range s.Inbox().Requests() {
					if err := s.Inbox().Respond(q.ID, []byte(`{"action":"decline"}`)); err != nil {
						t.Error(err)
					}
				}
				<-asked.Done()
				<-task.Done()
				<-ask(s, "fail").Done()
				synctest.Wait()
				s.Disconnect(t.Context())
				want = stateText(s)
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
			var got string
			readRecording(t, path, func(s *Session) { got = stateText(s) })
			// The user has closed the connection; the session shows that as ended.
			want = strings.Replace(want, "ended", "ready", 1)
			if got != want {
				t.Errorf("the recording shows\n%s\nthe session showed\n%s", got, want)
			}
		})
	}
}

// What a breakpoint has made of a list and of a request of the server is what a session
// acts on, and its recording shows the same.
func TestOpenRecording_EditedFrames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	var want string
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, path, revision.R20251125, demo.Options{}, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}})
		// edit forwards what is held, the frames with a text edited.
		edit := func(old, by string) {
			t.Helper()
			edited := 0
			synctest.Wait()
			for held := s.Intercept().State().Held; len(held) > 0; held = s.Intercept().State().Held {
				edited += bytes.Count(held[0].Bytes, []byte(old))
				text := bytes.ReplaceAll(held[0].Bytes, []byte(old), []byte(by))
				if err := s.Intercept().Decide(held[0].ID, intercept.Decision{Action: intercept.Forward, Bytes: text}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if edited != 1 {
				t.Fatalf("%q was edited %d times", old, edited)
			}
		}
		if err := s.Intercept().SetBreakpoints([]intercept.Breakpoint{{Filter: "dir:in method:tools/list"}, {Filter: "dir:in method:elicitation/create"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		edit(`"name":"ask-model"`, `"name":"edited"`) // on the second page
		s.Fetch(client.Tools)
		edit(`"name":"echo"`, `"name":"edited again"`)
		asked := ask(s, "ask-user")
		edit(`"message":"`, `"message":"Edited: `)
		for _, q := range s.Inbox().Requests() {
			if err := s.Inbox().Respond(q.ID, []byte(`{"action":"decline"}`)); err != nil {
				t.Error(err)
			}
		}
		<-asked.Done()
		synctest.Wait()
		s.Disconnect(t.Context())
		want = stateText(s)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if strings.Count(want, "edited again") != 1 || !strings.Contains(want, "Edited: ") {
		t.Errorf("the session showed\n%s", want)
	}
	var got string
	readRecording(t, path, func(s *Session) { got = stateText(s) })
	if want = strings.Replace(want, "ended", "ready", 1); got != want {
		t.Errorf("the recording shows\n%s\nthe session showed\n%s", got, want)
	}
}

// A recording of a server that could not be reached shows why.
func TestOpenRecording_FailedConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, err := Open(Config{Target: client.Target{Argv: []string{"/no/such/prog", "--token", "hunter2"}}, Record: path})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Connect(t.Context())
	want := s.State()
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	readRecording(t, path, func(got *Session) {
		st := got.State()
		if st.Phase != Failed || st.Err == nil || st.Err.Error() != want.Err.Error() || len(st.Steps) != 1 {
			t.Errorf("%v: %v, %+v; want %v", st.Phase, st.Err, st.Steps, want.Err)
		}
		rec, _ := got.Recording()
		if rec.Growing || rec.Skipped != "" || !strings.HasPrefix(rec.Target, "/no/such/prog") || strings.Contains(rec.Target, "hunter2") {
			t.Errorf("%+v", rec)
		}
		if err := got.Connect(t.Context()); !errors.Is(err, errRecording) {
			t.Errorf("connect: %v", err)
		}
		if _, err := got.Start("ping", nil).Outcome(); !errors.Is(err, errRecording) {
			t.Errorf("a call: %v", err)
		}
	})
}

// A recording without the events that only mcptea writes is not one of a failed connection: its
// frames have the result of initialize.
func TestOpenRecording_WithoutReadyEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	live := openAt(t, path, revision.R20251125, demo.Options{}, requests.Policies{})
	if err := live.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := live.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, tt := range []struct {
		name  string
		kinds []string // of the events that stay
		want  Phase
	}{
		{"no ready event", []string{`"k":"out"`, `"k":"in"`, `"what":"opened"`}, Ready},
		{"frames alone", []string{`"k":"out"`, `"k":"in"`}, Ready},
		{"no response to initialize", []string{`"what":"opened"`}, Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept := lines[0]
			for _, line := range lines[1:] {
				if slices.ContainsFunc(tt.kinds, func(kind string) bool { return strings.Contains(line, kind) }) {
					kept += line
				}
			}
			path := filepath.Join(t.TempDir(), "kept.jsonl")
			if err := os.WriteFile(path, []byte(kept), 0o600); err != nil {
				t.Fatal(err)
			}
			readRecording(t, path, func(s *Session) {
				if st := s.State(); st.Phase != tt.want || st.Took < 0 {
					t.Errorf("%v after %v: %v, want %v", st.Phase, st.Took, st.Err, tt.want)
				}
			})
		})
	}
}

// A recording that is being written is followed.
func TestOpenRecording_Follows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	live := openAt(t, path, revision.R20251125, demo.Options{}, requests.Policies{})
	if err := live.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := OpenRecording(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	changed, stop := s.Store().Subscribe()
	defer stop()
	await := func(what string, reached func() bool) {
		t.Helper()
		for deadline := time.After(30 * time.Second); !reached(); {
			select {
			case <-changed:
			case <-deadline:
				t.Fatal(what)
			}
		}
	}
	await("ready", func() bool { return s.State().Phase == Ready })
	if rec, _ := s.Recording(); !rec.Growing || rec.Made.IsZero() {
		t.Errorf("%+v", rec)
	}
	<-live.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"later"}}`)).Done()
	await("the call", func() bool {
		for row := range int32(s.Store().Snapshot().Rows) { // lists may come after it
			if body, _ := s.Store().Body(row); bytes.Contains(body, []byte("later")) {
				return true
			}
		}
		return false
	})
	if err := live.Close(t.Context()); err != nil {
		t.Error(err)
	}
	await("the end", func() bool { rec, _ := s.Recording(); return !rec.Growing && rec.Read == rec.Size })
}

// The readable part of a damaged recording is opened, and one sentence names what was skipped.
func TestOpenRecording_DamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	live := openAt(t, path, revision.R20251125, demo.Options{}, requests.Policies{})
	if err := live.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := live.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	readRecording(t, path, func(s *Session) { rows = s.Store().Snapshot().Rows })
	header, rest, _ := bytes.Cut(text, []byte("\n"))
	tests := []struct {
		name, text, skipped string
		rows                int
	}{
		{"cut off", string(text[:len(text)-20]), "is incomplete: the recording was cut off after", rows},
		{"garbage", string(header) + "\nfoo\n\x00\xff\n" + string(rest), "Line 2 is not an event and was skipped: it has no kind of event; 2 problems in all.", rows},
		{"no header", "{\"mcp" + "\n" + string(rest), "Line 1 is not an event", rows},
		{"newer", strings.Replace(string(text), `{"mcptea":2`, `{"mcptea":9`, 1), "version 9 of the format", rows},
		{"two recordings", string(text) + string(text), "is not an event and was skipped", 2 * rows},
		{"only a header", string(header) + "\n", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d.jsonl")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			readRecording(t, path, func(s *Session) {
				rec, _ := s.Recording()
				if n := s.Store().Snapshot().Rows; n > tt.rows || n < tt.rows-1 || !strings.Contains(rec.Skipped, tt.skipped) || (rec.Skipped == "") != (tt.skipped == "") {
					t.Errorf("%d rows, want %d; %q", n, tt.rows, rec.Skipped)
				}
			})
		})
	}
	dir := t.TempDir()
	if _, err := OpenRecording(dir, Config{}); err == nil {
		t.Error("a directory was opened")
	}
	other := filepath.Join(dir, "other.txt")
	if err := os.WriteFile(other, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRecording(other, Config{}); !errors.Is(err, record.ErrNotARecording) {
		t.Errorf("another file: %v", err)
	}
}

// A recording that no process writes is looked at less and less often, and what is added
// to it is read nevertheless: it may be one that is copied.
func TestRecording_GrowsAfterAWhile(t *testing.T) {
	text, err := os.ReadFile(recordDemo(t)["stdio"])
	if err != nil {
		t.Fatal(err)
	}
	half := len(text)/2 + bytes.IndexByte(text[len(text)/2:], '\n') + 1
	path := filepath.Join(t.TempDir(), "copy.mcptea.jsonl")
	if err := os.WriteFile(path, text[:half], 0o600); err != nil {
		t.Fatal(err)
	}
	readRecording(t, path, func(s *Session) { // a minute has passed
		before := s.Store().Snapshot().Rows
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(maxFollowInterval)
		synctest.Wait()
		if after := s.Store().Snapshot().Rows; after <= before {
			t.Errorf("%d rows before, %d after", before, after)
		}
	})
}

// The clock goes on after a recording, and its process did not: no finding says that it ran for longer.
func TestOpenRecording_TimeEndsWithIt(t *testing.T) {
	at := time.Unix(0, 0) // before the fake time
	b := record.AppendHeader(nil, record.Header{Tool: "mcptea 1", Transport: "stdio", Target: "server", Time: at.UnixNano()})
	event := func(e record.Event) {
		at = at.Add(time.Millisecond)
		e.Time = at
		b = record.AppendEvent(b, at.UnixMilli(), &e)
	}
	process := func(what transport.ProcessChange) {
		event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: what, PID: 7, Argv: []string{"server"}}})
	}
	frame := func(dir transport.Direction, text string) {
		event(record.Event{Kind: record.KindFrame, Frame: transport.Frame{Dir: dir, Bytes: []byte(text), Ending: "\n"}})
	}
	process(transport.ProcessStarted)
	frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	process(transport.ProcessStdinClosed)
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	readRecording(t, path, func(s *Session) {
		if text := stateText(s); strings.Contains(text, "K009") || !strings.Contains(text, "2025-11-25") {
			t.Errorf("the recording has:\n%s", text)
		}
	})
}
