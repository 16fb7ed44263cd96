package checker_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/checker"
	"mcptea/session/session"
)

// checking returns a checker of the demo, in a bubble.
func checking(t *testing.T) *checker.Checker {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"demo"}}, Record: "off", Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{}))})
	if err != nil {
		t.Fatal(err)
	}
	c := checker.New(s)
	t.Cleanup(func() {
		c.Close()
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// A run of some probes keeps what others have found, and has frames; a second one waits for it.
func TestChecker_RunsWhatIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := checking(t)
		if st := c.State(); st.Running || c.Store() != nil || !st.Started.IsZero() {
			t.Fatalf("before the first run: %+v", st)
		}
		if !c.Start(checker.Selection{Only: []string{"P-020"}}) {
			t.Fatal("it does not start")
		}
		if c.Start(checker.Selection{}) {
			t.Error("a second run starts beside the first")
		}
		for c.State().Running {
			time.Sleep(time.Second)
		}
		st := c.State()
		if st.Err != nil || st.Stopped != nil || st.Done != st.Total || len(st.Reports) == 0 || st.Sent == 0 || c.Store() == nil {
			t.Errorf("after it: %+v", st)
		}
		first := len(st.Reports)
		c.Start(checker.Selection{Only: []string{"P-021"}})
		for c.State().Running {
			time.Sleep(time.Second)
		}
		if st := c.State(); len(st.Reports) <= first || !slices.ContainsFunc(st.Reports, func(r probe.Report) bool { return r.Entry.ID == "P-020" }) {
			t.Errorf("the second run forgets the first: %d reports", len(st.Reports))
		}
	})
}

// A probe keeps the connection whose server it has judged until it runs again.
func TestChecker_BeganBeforeRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"demo"}}, Record: "off", Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{}))})
		if err != nil {
			t.Fatal(err)
		}
		c := checker.New(s)
		defer func() { c.Close(); _ = s.Close(t.Context()) }()
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		run := func(ids ...string) {
			c.Start(checker.Selection{Only: ids})
			for c.State().Running {
				time.Sleep(time.Second)
			}
		}
		replaced := func(id string) int {
			now, began := s.State(), c.State().Began
			for e, conn := range began {
				if e.ID == id {
					return now.ReplacedBy(conn)
				}
			}
			t.Fatalf("%s has not begun: %v", id, began)
			return 0
		}
		run("P-020", "P-021")
		if n := replaced("P-020"); n != 0 {
			t.Errorf("replaced by restart %d before there was one", n)
		}
		for range 2 {
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		run("P-021")
		if a, b := replaced("P-020"), replaced("P-021"); a != 1 || b != 0 {
			t.Errorf("P-020 was replaced by restart %d, want 1; P-021 by %d, want none", a, b)
		}
	})
}

// A run that the user stops says so, and what it has found stays.
func TestChecker_Stop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := checking(t)
		c.Allow("echo", true)
		c.Allow("add", true)
		c.Allow("echo", false)
		if st := c.State(); !slices.Equal(st.Allowed, []string{"add"}) {
			t.Errorf("allowed are %v", st.Allowed)
		}
		c.Start(checker.Selection{})
		c.Stop()
		c.Close()
		if st := c.State(); st.Running || st.Stopped == nil || st.Err != nil {
			t.Errorf("%+v", st)
		}
		if c.Start(checker.Selection{}) {
			t.Error("it starts after its end")
		}
	})
}
