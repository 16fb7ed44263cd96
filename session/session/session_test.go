package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/requests"
)

func TestMain(m *testing.M) { sessiontest.Main(m) }

// open makes a session with the demo server behind it. It must be called in a
// bubble.
func open(t *testing.T, o demo.Options, policies requests.Policies) *Session {
	t.Helper()
	return openIn(t, revision.R20251125, o, policies)
}

func openIn(t *testing.T, r revision.Revision, o demo.Options, policies requests.Policies) *Session {
	t.Helper()
	return openAt(t, "off", r, o, policies)
}

// openAt opens a session with a recording.
func openAt(t *testing.T, recording string, r revision.Revision, o demo.Options, policies requests.Policies) *Session {
	t.Helper()
	s, err := Open(Config{
		Target: client.Target{Argv: []string{"demo-server"}}, Record: recording, Lists: client.ListKinds,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: r}, Policies: policies, Subscribe: true, Lint: true,
		Dial: sessiontest.Dial(sessiontest.Demo(o)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a script on a connected session, in fake time.
func run(t *testing.T, o demo.Options, script func(s *Session)) {
	t.Helper()
	runWith(t, o, requests.Policies{}, script)
}

func runWith(t *testing.T, o demo.Options, p requests.Policies, script func(s *Session)) {
	t.Helper()
	runIn(t, revision.R20251125, o, p, script)
}

// runIn runs a script in a revision; without one the server is asked.
func runIn(t *testing.T, r revision.Revision, o demo.Options, p requests.Policies, script func(s *Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := openIn(t, r, o, p)
		defer func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(s)
	})
}

func TestConnecting_FetchesLists(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		st := s.State()
		if st.Phase != Ready || st.Handshake.Server.Name == "" || st.Attempt != 1 {
			t.Errorf("phase %v, server %q, attempt %d", st.Phase, st.Handshake.Server.Name, st.Attempt)
		}
		for _, kind := range client.ListKinds {
			declared := st.Handshake.HasCapability(kind.Capability()...) // skills are for stateless requests only
			if l := st.Lists[kind.Name]; l.Offered != declared || l.Loading || l.Err != nil || (len(l.Items) == 0) == declared {
				t.Errorf("%s: %+v", kind.Name, l)
			}
		}
		if i := st.Lists["tools"].Items[0]; i.Name != "echo" || len(i.Member("inputSchema")) == 0 {
			t.Errorf("the first tool is %q", i.Name)
		}
	})
}

func TestLists_FetchedAgainAfterChange(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		before := len(s.State().Lists["tools"].Items)
		<-s.Start("tools/call", []byte(`{"name":"change-tools","arguments":{}}`)).Done()
		time.Sleep(time.Second)
		l := s.State().Lists["tools"]
		if len(l.Items) == before || l.Changes != 1 {
			t.Errorf("%d tools before, %d after, fetched again %d times", before, len(l.Items), l.Changes)
		}
		if c := s.State().Changes.Counts("tools"); !c.Any() {
			t.Error("the change of the list is not in the state")
		}
	})
}

func TestCallsHaveAnOutcome(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		ok := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
		<-ok.Done()
		if a, err := ok.Outcome(); err != nil || !strings.Contains(string(a.Result()), `"hi"`) || ok.Name != "echo" {
			t.Errorf("got %s, %v", a.Result(), err)
		}
		refused := s.Start("no/such", nil)
		<-refused.Done()
		var rpc *client.RPCError
		if a, err := refused.Outcome(); err != nil || !errors.As(a.Err(), &rpc) || !rpc.Code.Is(-32601) {
			t.Errorf("got %v, %v", a.Err(), err)
		}
		cancelled := s.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
		time.Sleep(time.Second)
		_ = s.Cancel(cancelled.ID)
		<-cancelled.Done()
		if _, err := cancelled.Outcome(); !errors.Is(err, ErrCancelled) {
			t.Errorf("got %v", err)
		}
		if s.Running() != 0 {
			t.Errorf("%d calls run", s.Running())
		}
	})
}

// A call runs from its request to its outcome; the requests of connecting do not count.
func TestCalls(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		settled, unsubscribe := s.Settled()
		defer unsubscribe()
		expect := func(running int, ended uint64, signals int) {
			t.Helper()
			synctest.Wait()
			if r, e := s.Calls(); r != running || e != ended || len(settled) != signals {
				t.Errorf("%d calls run, %d have ended, %d signals; want %d, %d, %d", r, e, len(settled), running, ended, signals)
			}
		}
		expect(0, 0, 0)
		call := s.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
		expect(1, 0, 0)
		_ = s.Cancel(call.ID)
		<-call.Done()
		expect(0, 1, 1)
	})
}

func TestAnyBytesCanBeSent(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		own := s.StartFrame([]byte(`{"jsonrpc":"2.0","id":"abc","method":"ping"}`))
		<-own.Done()
		if a, err := own.Outcome(); err != nil || string(a.Result()) != "{}" || own.ID.String() != `"abc"` {
			t.Errorf("got %s, %v", a.Frame, err)
		}
		wrong := s.StartFrame([]byte(`{oops`))
		<-wrong.Done()
		if _, err := wrong.Outcome(); err != nil || wrong.ID.Present() {
			t.Errorf("got %v", err)
		}
	})
}

func TestRestart_SameRecord(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		hanging := s.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
		time.Sleep(time.Second)
		before := s.Store().Snapshot().Rows
		if err := s.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-hanging.Done()
		if _, err := hanging.Outcome(); err == nil {
			t.Error("a call survives its connection")
		}
		time.Sleep(time.Second)
		st := s.State()
		if st.Phase != Ready || st.Attempt != 2 || s.Store().Snapshot().Rows <= before {
			t.Errorf("phase %v, attempt %d", st.Phase, st.Attempt)
		}
		if n := len(s.Store().Pending(9)); n != 0 {
			t.Errorf("%d requests of the old connection still wait", n)
		}
	})
}

func TestLogs_OfEachSource(t *testing.T) {
	run(t, demo.Options{Fault: "banner"}, func(s *Session) {
		<-s.Start("tools/call", []byte(`{"name":"log","arguments":{"level":"warning","data":"mind the gap"}}`)).Done()
		s.Tap().Stderr(transport.Line{Time: time.Now(), Text: "on stderr"})
		stray, said, err := false, false, false
		for n := range s.State().Logs {
			l, ok := s.Store().LogAt(n)
			if !ok {
				t.Fatalf("entry %d is not there", n)
			}
			_, text, _ := s.Store().LogText(l)
			stray = stray || l.Source == store.LogStray && strings.Contains(text, "Ready")
			said = said || l.Source == store.LogServer && l.Level == store.LevelWarning && strings.Contains(text, "mind the gap")
			err = err || l.Source == store.LogStderr && text == "on stderr"
		}
		if !stray || !said || !err {
			t.Errorf("stray text %v, log message %v, stderr %v", stray, said, err)
		}
		if st := s.State(); st.Stderr != 1 {
			t.Errorf("%d lines on stderr are counted", st.Stderr)
		}
	})
}

func TestFailureIsInTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, demo.Options{Fault: "init-error"}, requests.Policies{})
		err := s.Connect(t.Context())
		st := s.State()
		if err == nil || st.Phase != Failed || st.Err == nil {
			t.Errorf("error %v, phase %v, %v", err, st.Phase, st.Err)
		}
		if call := s.Start("ping", nil); call.Running() {
			t.Error("a call runs without a connection")
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestCreateStore_Name(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	target := client.Target{Argv: []string{"/usr/bin/node", "--flag", "src/server.js", "--token=x"}}
	st, why, err := createStore(&Config{Target: target}, nil, record.Header{})
	if why != nil || err != nil {
		t.Fatal(why, err)
	}
	defer func() { _ = st.Close() }()
	if base := filepath.Base(st.Path()); !strings.Contains(base, "node-server.js") || strings.Contains(base, "token") {
		t.Errorf("named %s", base)
	}
	if info, err := os.Stat(st.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestRefetch_ServerThatAlwaysChanges(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		before := s.Store().Snapshot().Out
		for range 2000 {
			s.changed(client.Tools)
			time.Sleep(10 * time.Millisecond)
		}
		if asked := s.Store().Snapshot().Out - before; asked > 30 {
			t.Errorf("asked %d times in 20 s", asked)
		}
	})
}

func TestRecording_NameWithoutSecrets(t *testing.T) {
	for _, argv := range [][]string{
		{"node", "--api-key", "sk-live-123", "server.js"}, {"pg-mcp", "postgres://bob:hunter2@db/x"},
	} {
		if name := label(client.Target{Argv: argv}); strings.Contains(name, "live") || strings.Contains(name, "hunter2") {
			t.Errorf("%q is named %s", argv, name)
		}
	}
}

func TestRecording_TargetSecretsMasked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	s, err := Open(Config{Target: client.Target{Argv: []string{"no-such-server", "--api-key", "hunter2"}}, Record: path})
	if err != nil {
		t.Fatal(err)
	}
	if s.Connect(t.Context()) == nil {
		t.Fatal("connected to a command that does not exist")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "hunter2") || !strings.Contains(string(b), "no-such-server") {
		t.Errorf("%v: %s", err, b)
	}
}

// A server that is notified of changed roots requests them and gets these.
func TestOtherRoots(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		s.SetRoots([]client.Root{{URI: "file:///a"}, {URI: "file:///b"}})
		synctest.Wait()
		if got := said(t, ask(s, "list-roots")); !strings.Contains(got, "file:///a") || !strings.Contains(got, "file:///b") {
			t.Errorf("the server knows %s", got)
		}
		if sent(s, "notifications/roots/list_changed") != 1 {
			t.Error("the server was not told")
		}
	})
	onStateless(t, requests.Policies{}, func(s *Session) {
		s.SetRoots([]client.Root{{URI: "file:///a"}})
		synctest.Wait()
		if got := said(t, ask(s, "list-roots")); !strings.Contains(got, "file:///a") || sent(s, "notifications/roots/list_changed") != 0 {
			t.Errorf("the server knows %s", got)
		}
	})
}

// sent counts the frames of a method.
func sent(s *Session, method string) int {
	n := 0
	for i := range s.Store().Snapshot().Rows {
		if r, ok := s.Store().Row(int32(i)); ok && r.Dir == transport.Out && s.Store().Method(r.Method) == method {
			n++
		}
	}
	return n
}
