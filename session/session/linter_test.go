package session

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// A server that does everything right gives no error, in any revision.
func TestDemo_NoFindings(t *testing.T) {
	for _, r := range append(revision.WithHandshake(), "") {
		runIn(t, r, demo.Options{}, requests.Policies{}, func(s *Session) {
			<-s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`)).Done()
			<-s.Start("resources/read", []byte(`{"uri":"demo://readme"}`)).Done()
			time.Sleep(2 * lintPause) // begins when the start is over
			synctest.Wait()
			found := s.Findings()
			for _, g := range found.Groups {
				if g.Severity == lint.Error {
					t.Errorf("%q: %s %s: %s", r, g.Rule.ID, g.Rule.Slug, g.Newest.Message)
				}
			}
			if found.Behind != 0 {
				t.Errorf("%d frames were not looked at", found.Behind)
			}
		})
	}
}

// countUnmuted counts the errors of rules that are not muted.
func countUnmuted(f Findings) (errors int) {
	for _, g := range f.Groups {
		if !g.Muted && g.Severity == lint.Error {
			errors += g.Count
		}
	}
	return errors
}

func TestWhatIsWrongIsFound(t *testing.T) {
	runIn(t, revision.R20251125, demo.Options{Fault: "wrong-id"}, requests.Policies{}, func(s *Session) {
		c := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
		time.Sleep(2 * lintPause)
		synctest.Wait()
		var group Group
		for _, g := range s.Findings().Groups {
			if g.Rule.ID == "J030" {
				group = g
			}
		}
		if group.Rule == nil || !strings.Contains(group.Newest.Message, "matches no pending request") || group.Newest.Fault != lint.Server {
			t.Fatalf("found %+v", s.Findings())
		}
		row := group.Newest.Row
		if at := s.FindingsAt(row); len(at) == 0 || at[0].Rule.ID != "J030" {
			t.Errorf("at the frame: %v", at)
		}
		errors := countUnmuted(s.Findings())
		s.Mute("J030", true)
		if f := s.Findings(); countUnmuted(f) >= errors || len(s.FindingsAt(row)) > 0 {
			t.Errorf("muted: %d errors, before %d", countUnmuted(f), errors)
		}
		c.Cancel()
		<-c.Done()
	})
}

// The linter checks pending requests while nothing arrives.
func TestSilenceIsFound(t *testing.T) {
	runIn(t, revision.R20251125, demo.Options{}, requests.Policies{}, func(s *Session) {
		s.cfg.Client.Timeout = time.Hour
		c := s.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
		time.Sleep(62 * time.Second)
		synctest.Wait()
		found := false
		for _, g := range s.Findings().Groups {
			found = found || g.Rule.ID == "J034"
		}
		if !found && c.Running() {
			t.Error("no finding for the pending call")
		}
		c.Cancel()
		<-c.Done()
	})
}

// Every frame knows what is wrong with it, also when it is the hundredth with
// the same fault, and a rule keeps a bounded number of findings.
func TestFindings_RepeatedHaveOwnFrames(t *testing.T) {
	const calls = 1000
	runIn(t, revision.R20251125, demo.Options{Fault: "no-version"}, requests.Policies{}, func(s *Session) {
		var known Findings
		for range calls {
			<-s.Start("ping", nil).Done()
		}
		synctest.Wait()
		time.Sleep(time.Second)
		if !s.UpdateFindings(&known) || s.UpdateFindings(&known) {
			t.Error("what is known is copied again, or not at all")
		}
		var group Group
		for _, g := range known.Groups {
			if g.Rule.ID == "J004" {
				group = g
			}
		}
		last := int32(s.Store().Snapshot().Rows - 1)
		if n := len(group.Findings); group.Count < calls || n < maxFindings || n >= 2*maxFindings || group.Newest.Row != last {
			t.Errorf("fired %d times, %d findings, the newest at row %d of %d", group.Count, n, group.Newest.Row, last)
		}
		if at := s.FindingsAt(last); len(at) != 1 || at[0].Times != group.Count {
			t.Errorf("at the last frame: %+v", at)
		}
		s.Mute("J004", true)
		if !s.UpdateFindings(&known) || countUnmuted(known) != 0 {
			t.Errorf("muted: %d errors", countUnmuted(known))
		}
	})
}

// A finding about an HTTP exchange hangs on a row of that exchange, not on the newest
// row of another one.
func TestLinter_RowOfExchange(t *testing.T) {
	f := startForgetful(t, true)
	s, err := Open(Config{Target: client.Target{URL: f.URL}, Record: "off", Reconnect: true, Lint: true, Client: client.Config{Revision: revision.R20251125}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	before := minSessionLife
	minSessionLife = 0
	defer func() { minSessionLife = before }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-s.SubscribeResource("a://b", true).Done()
	f.forget()
	lost := func() (found []lint.Finding) {
		for _, g := range s.Findings().Groups {
			if g.Rule.ID == "H013" {
				found = g.Findings
			}
		}
		return found
	}
	awaits(t, s, "found", func(State) bool { return len(lost()) > 0 })
	for _, finding := range lost() {
		row, _ := s.Store().Row(finding.Row)
		x, ok := s.Store().ExchangeOf(row.Exchange)
		if !ok || x.Status != http.StatusNotFound {
			t.Errorf("H013 is at row %d, whose exchange has status %d", finding.Row, x.Status)
		}
	}
}

// The severity is that of the finding: an info of a rule whose findings are warnings otherwise
// is counted as an info, as mcptea lint does.
func TestFindings_SeverityIsOfTheFinding(t *testing.T) {
	rule := &lint.Entry{ID: "U044", DefaultSeverity: lint.Warn, Side: lint.Server}
	l := &linter{groups: map[groupKey]*Group{}, marks: newMarks(maxMarks)}
	for _, s := range []lint.Severity{lint.Info, lint.Warn, lint.Info} {
		l.found(lint.Finding{Rule: rule, Severity: s, Row: -1})
	}
	found := l.copied()
	if n := found.Counts(); n.Server != [lint.Info + 1]int{lint.Warn: 1, lint.Info: 2} {
		t.Errorf("counted %v", n.Server)
	}
	if len(found.Groups) != 2 || found.Groups[0].Severity != lint.Warn || found.Groups[1].Count != 2 {
		t.Errorf("got %+v", found.Groups)
	}
}

// A key of the user ends the slice of the linter that is under way, and the next ones are
// short; frames are checked all the same.
func TestLinter_LeavesTimeForKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Config{})
		if err != nil {
			t.Fatal(err)
		}
		frame := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
		for range 1000 {
			s.store.Append(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: time.Now(), Dir: transport.In, Ending: "\n"})
		}
		l := &linter{s: s, groups: map[groupKey]*Group{}, marks: newMarks(maxMarks), tail: s.store.NewTail(), carried: map[uint32]int32{}}
		s.linter = l
		l.prepare()
		s.Acts()
		if done := l.work(lintSlice); done || l.tail.Row() > 64 {
			t.Errorf("%d frames were checked in spite of a key", l.tail.Row())
		}
		if !l.userActs(time.Now()) {
			t.Error("the linter does not know of the key")
		}
		time.Sleep(actedTime)
		if l.userActs(time.Now()) {
			t.Error("the linter waits for ever")
		}
		if done := l.work(lintSlice); !done || l.tail.Row() != 1000 {
			t.Errorf("%d frames are checked", l.tail.Row())
		}
		s.Acts()
		s.linter = nil
		s.Close(t.Context())
	})
}

// What a tap has seen of a baseline is a finding about the list, as in mcptea lint.
func TestLinter_DriftOfTap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tap.mcptea.jsonl")
	w, err := store.NewWriter(store.Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	body := []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	w.Frame(transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Time: at})
	w.Event(&record.Event{Kind: record.KindDrift, Time: at, Text: `"shop" offers something else: tools pay removed`, Drift: &record.Drift{Row: 0}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	readRecording(t, path, func(s *Session) {
		all := s.Findings()
		for _, f := range s.FindingsAt(0) {
			if f.Rule.ID == "contract-drift" {
				if f.Message != `"shop" offers something else: tools pay removed.` || all.Counts().Server[lint.Error] == 0 {
					t.Errorf("%+v", f)
				}
				return
			}
		}
		t.Error("the difference is not a finding")
	})
}
