package inspector

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/demo"
	"mcptea/internal/test/certtest"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

var _ = raced.Also(
	TestSessions_KeysAreThoseOfOne, TestSessions_QuitAsksForTheOneInFront, TestSessions_Beside,
	TestSessions_BesideTakeTurns, TestSessions_SameCallToBoth, TestSessions_CallToBothRests,
	TestSessions_QuestionOfAnother, TestSessions_QuestionIsReadFirst, TestSessions_ForgedChips,
	TestSessions_ForgedSentence, TestSessions_NothingReachesAnother, TestSessions_IdleIsQuiet,
	TestSessions_TypedAhead, TestSessions_NoMoreThanEight, TestSessions_FirstRowTellsOfTheConnection,
	TestSessions_Taps, TestSessions_StatusOfAll,
)

// opened shows another session beside those of the program, which gets the keys.
func (d *driver) opened(name string, cfg session.Config) *model {
	d.t.Helper()
	s, err := session.Open(cfg)
	if err != nil {
		d.t.Fatal(err)
	}
	o := Options{Name: name, Pins: filepath.Join(d.t.TempDir(), "mcptea.txtar")}
	o.Clipboard = func(text string) error {
		d.copied += text
		return nil
	}
	m, unsubscribe := newModel(d.t.Context(), s, o, sections(d.model.options.Own))
	fixCatalogues(m)
	d.host.Go(func() {
		_ = d.host.Show(m.Program)
		unsubscribe()
		m.checker.Close()
		m.pins.Wait()
		_ = s.Close(context.Background())
	})
	d.settle()
	return m
}

// first is the first line of the screen.
func (d *driver) first() string {
	line, _, _ := strings.Cut(d.term.screen(), "\n")
	return line
}

// tracking is a session with the tracker in a version, and with other results by method.
func tracking(version string, more ...string) session.Config {
	s := newTracker()
	s.set("initialize", strings.Replace(s.results["initialize"], "0.9.2", version, 1))
	for i := 0; i < len(more); i += 2 {
		s.set(more[i], more[i+1])
	}
	return servedConfig(revision.R20251125, s.serve)
}

// calling is a server that calls itself something.
func calling(name string) session.Config {
	return tracking("", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"`+name+`","version":"1"}}`)
}

func demoConfig() session.Config {
	return servedConfig(revision.R20251125, sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed}))
}

func TestSessions_KeysAreThoseOfOne(t *testing.T) {
	driveSession(t, 100, 30, tracking("0.9.2"), func(d *driver) {
		if strings.Contains(d.first(), " tracker ● ") {
			t.Error("one session has a chip:", d.first())
		}
		d.press("S")
		d.sees("This is the only session.")
		d.press("9/labels<enter>")
		d.model.Say("Opening.")
		notes := d.opened("notes", tracking("0.9.3"))
		if d.model.Flash.Text != "" {
			t.Errorf("the session behind still says %q", d.model.Flash.Text)
		}
		if first := d.first(); !strings.HasPrefix(first, " tracker ● ›notes ● S ") { // the key that changes between them
			t.Error("the chips are", first)
		}
		d.press("6")
		d.sees("No log messages")
		d.press("S")
		d.sees("labels") // the filter of the other session
		d.press("<ctrl+p>notes")
		d.sees("goes to this session")
		d.press("<enter>")
		d.sees("No log messages")
		d.click(3, 0)
		d.settle()
		d.sees("labels")
		d.press("Sq")
		if strings.Contains(d.first(), "notes") {
			t.Error("the chip is still there:", d.first())
		}
		if notes.session.State().Phase == session.Ready || d.session.State().Phase != session.Ready {
			t.Error("q has not ended the session in front alone")
		}
	})
}

// A call is pending in one session: only the end of that one is asked about.
func TestSessions_QuitAsksForTheOneInFront(t *testing.T) {
	driveSession(t, 100, 30, demoConfig(), func(d *driver) {
		d.call("never-answer", `{}`)
		d.opened("notes", tracking("0.9.3"))
		d.press("q")
		d.sees("The session is closed. 1 session is left.")
		d.lacks("notes")
		d.press("q")
		d.sees("1 request. ")
		d.press("<esc>")
	})
}

func TestSessions_Beside(t *testing.T) {
	driveSession(t, 200, 40, tracking("0.9.2"), func(d *driver) {
		notes := d.opened("notes", demoConfig())
		d.press(":two sessions<enter>")
		d.sees("comment", "weather") // tools of both
		for _, line := range strings.Split(d.term.screen(), "\n")[1:] {
			if r := []rune(line); len(r) > 99 && r[99] != ' ' {
				t.Fatalf("no gap between the sessions: %q", line)
			}
		}
		d.sees("S or a click gives this session the keys")
		if first := []rune(d.first()); !strings.HasPrefix(string(first), " tracker ●  │ tracker 0.9.2  stdio  2025-11-25  ● connected") || !strings.HasPrefix(string(first[100:]), "›notes ●  │ mcptea-demo 1.0.0  stdio  2025-11-25  ● connected") {
			t.Error("each half does not begin with its session and state:", string(first))
		}
		d.press("6")
		d.sees("comment", "Logs")
		d.lacks("weather")
		d.click(10, 6)
		d.settle()
		d.press("8")
		d.sees("Problems", "No log messages")
		if d.host.View().WindowTitle != "mcptea tracker" {
			t.Error("a click on the left has not given it the keys")
		}
		d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
		d.settle()
		if notes.W != 120 || d.model.W != 120 {
			t.Errorf("in a narrow terminal they are %d and %d columns wide", d.model.W, notes.W)
		}
		d.press("<ctrl+p>two sess")
		lines := strings.Split(d.term.screen(), "\n")
		at := func(text string) int {
			return slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, text) })
		}
		named := at("Show two sessions side by side, or only")
		if works := at("Compare what this server and the server of another session offer"); works < 0 || named < works || !strings.Contains(lines[named], "Two sessions need 170 columns, not 120.") {
			t.Errorf("what cannot run is not below what can, with its reason:\n%s", d.term.screen())
		}
		if other := at("Open another server"); other < named {
			t.Errorf("of what cannot run the name that is typed is not first:\n%s", d.term.screen())
		}
	})
}

// The terminal is told what all sessions do: a question of one that is not in front is not behind the others.
func TestSessions_StatusOfAll(t *testing.T) {
	driveSession(t, 200, 40, tracking("0.9.2"), func(d *driver) {
		is := func(want tea.ProgramState, title string) {
			t.Helper()
			st := d.host.View().ProgramStatus
			if st == nil || st.State != want || !strings.Contains(st.Title, title) {
				t.Errorf("the status is %+v, want %s of %s", st, want, title)
			}
		}
		is(tea.ProgramStateIdle, "tracker")
		notes := d.opened("notes", demoConfig())
		notes.session.Start("tools/call", []byte(`{"name":"long-work","arguments":{"duration":20}}`))
		d.press("<ctrl+p>two sessions<enter>S") // it works in the half without the keys
		d.sleep(time.Second)
		is(tea.ProgramStateWorking, "mcptea-demo")
		notes.session.Start("tools/call", []byte(`{"name":"ask-user"}`))
		d.sleep(time.Second)
		is(tea.ProgramStateBlocked, "mcptea-demo")
		d.press("<ctrl+p>two sessions<enter>") // not visible at all
		d.sleep(time.Second)
		is(tea.ProgramStateBlocked, "mcptea-demo")
	})
}

// Of two sessions those beside each other have the keys in turn; of three any can be chosen for the half
// with the keys, at first the one beside it.
func TestSessions_BesideTakeTurns(t *testing.T) {
	driveSession(t, 200, 40, tracking("0.9.2"), func(d *driver) {
		leads := func(keys, left, right string) {
			t.Helper()
			d.press(keys)
			if first := d.first(); !strings.Contains(first, left) || !strings.Contains(first, right) {
				t.Errorf("%s leads to %s, not to %s and %s", keys, first, left, right)
			}
		}
		d.opened("one", tracking("0.9.3"))
		d.press(":two sessions<enter>")
		leads("S", "›tracker ●  │ tracker 0.9.2  stdio", " one ●  │ tracker 0.9.3")
		leads("S", " tracker ●  │ tracker 0.9.2", "›one ●  │ tracker 0.9.3")
		d.opened("two", tracking("0.9.4"))
		d.press(":two sessions<enter>")
		d.sees("S enter or a click gives this session the keys", "D compare servers")
		d.press("S")
		d.sees("Go to a session", "beside this one  demo-server", "instead of two  demo-server")
		leads("<enter>", "›one ●  │ tracker 0.9.3  stdio", " two ●  │ tracker 0.9.4")
		leads("S<down><enter>", "›tracker ●  one ●  │ tracker 0.9.2  stdio", " two ●  │ tracker 0.9.4")
		leads("S<esc>", "›tracker ●  one ●  │ tracker 0.9.2  stdio", " two ●  │ tracker 0.9.4")
	})
}

func TestSessions_SameCallToBoth(t *testing.T) {
	driveSession(t, 140, 40, tracking("0.9.2"), func(d *driver) {
		d.selectTool("labels")
		d.command("item.open")
		d.command("call.send")
		d.press(":send to")
		d.sees("send to  ", "There is no other session t")
		d.press("<esc>:both servers<enter>")
		d.sees("There is no other session to compare with.")
		other := d.opened("build 2", tracking("0.9.3", "labels", `{"content":[],"structuredContent":{"total":3,"labels":[]}}`))
		d.press("S:both servers<enter>")
		d.sees("Send this call here and to", "build 2", "tracker 0.9.3", "demo-server")
		d.press("<enter>")
		d.sees(" tracker  ", " build 2 ", "tracker 0.9.2", "tracker 0.9.3", "same call to both", "result.structuredContent.total")
		if n := other.session.Store().Snapshot().Out; n != 4 {
			t.Errorf("the other session has sent %d frames", n)
		}
		d.press("<esc><esc>")
		d.selectTool("comment") // no call of it was sent: the form is what goes to both
		d.command("item.open")
		d.press("<ctrl+p>both servers<enter>")
		d.sees("Send this call here and to")
		d.press("<esc><esc>")
		if last := d.footer(); !strings.Contains(last, "D compare servers") {
			t.Error("the last row names no key that compares the servers:", last)
		}
		d.press("D") // with the only other one
		d.sees("A  tracker  tracker 0.9.2   demo-server", "B  build 2  tracker 0.9.3   demo-server")
		d.press("<esc>")
		d.press("SD") // from the second one: what it says is about the change from the older server to the newer one
		d.sees("A  tracker  ", "B  build 2  tracker 0.9.3   demo-server")
		d.press("<esc>S")
		_ = other
		d.opened("build 3", tracking("0.9.4"))
		d.press("SSD")
		d.sees("Compare what this server offers with", "build 2", "build 3")
	})
}

// The call that goes to both rests at its tool, as each call does. The session with the same tool that was used
// last is selected, one without it is below; each has the name of its chip.
func TestSessions_CallToBothRests(t *testing.T) {
	driveSession(t, 140, 40, tracking("0.9.2"), func(d *driver) {
		d.opened("first", tracking("0.9.3"))
		d.opened("second", tracking("0.9.4"))
		lacking := d.opened("lacking", tracking("0.9.5", "tools/list", `{"tools":[]}`))
		d.press("S")
		d.selectTool("labels")
		d.command("item.open")
		d.command("call.send")
		d.press("<ctrl+p>both servers<enter>")
		screen := d.term.screen()
		second, first, third := strings.Index(screen, "second   "), strings.Index(screen, "first    "), strings.Index(screen, `no tool "labels"`)
		if second < 0 || first < second || third < first {
			t.Errorf("the sessions are not in this order: second, first, lacking:\n%s", screen)
		}
		d.press("<enter>")
		d.sees("A  #", "tracker", "B  #", "second", "No difference")
		if n := lacking.session.Store().Snapshot().Out; n > 3 {
			t.Errorf("the session without the tool has sent %d frames", n)
		}
		d.press("<esc>")
		d.sees("call id 4 ok", "calls  3.2  3.2 ms   same result")
	})
}

// A session that is not visible costs nothing while nothing happens.
func TestSessions_IdleIsQuiet(t *testing.T) {
	driveSession(t, 120, 36, tracking("0.9.2"), func(d *driver) {
		for range 3 {
			d.opened("", tracking("0.9.3"))
		}
		d.sleep(time.Minute) // the pulse has ended
		before := d.updates.Load()
		d.sleep(time.Hour)
		if n := d.updates.Load() - before; n > 1 { // that of the test
			t.Errorf("%d messages in an hour without news", n)
		}
	})
}

func TestSessions_NoMoreThanEight(t *testing.T) {
	driveWith(t, 60, 24, func() (*session.Session, error) { return session.Open(tracking("0.9.2")) }, func(*session.Session) Options {
		return Options{Options: program.Options{Another: func(string) { t.Error("a ninth session is opened") }}}
	}, func(d *driver) {
		for range 7 {
			d.opened("a server with a long name", tracking("0.9.3"))
		}
		d.press("SC") // to the first one
		d.sees("8 sessions are the maximum: q ends the one in front.")
		if first := d.first(); !strings.HasPrefix(first, "›tracker ● ") || !strings.Contains(first, " ›") {
			t.Error("the chips are", first)
		}
	})
}

// That a certificate is not verified is in the first row beside the chips as well, and so is how the
// session is connected where there is room.
func TestSessions_FirstRowTellsOfTheConnection(t *testing.T) {
	selfSigned = certtest.SelfSigned(t, "localhost")
	m := mending{target: client.Target{URL: "https://localhost/mcp", TLS: mcphttp.TLS{Insecure: true}}, dial: overTLS}
	m.run(t, func(d *driver, _ *session.Session, _ chan<- watch.Burst) {
		d.opened("notes", tracking("0.9.3"))
		d.press("S")
		d.settle()
		first, _, _ := strings.Cut(d.term.screen(), "\n")
		for _, text := range []string{"notes", "›mcptea-demo", "TLS not verified", "http", "2026-07-28", "connected"} {
			if !strings.Contains(first, text) {
				t.Errorf("the first row lacks %q: %s", text, first)
			}
		}
		d.press("1")
		d.sees("valid for   localhost")
	})
}

// Taps that no session shows have chips after the chips of the sessions. A click opens one; what it is
// called cannot look like a session.
func TestSessions_Taps(t *testing.T) {
	driveSession(t, 320, 30, tracking("0.9.2"), func(d *driver) {
		opened := 0
		taps := []sessions.Tap{{Name: "cursor/notes", Recording: "/r/1.jsonl", Open: func() { opened++ }}, {Name: "tracker ●\x1b[31m", Open: func() {}}}
		d.host.SetTaps(taps)
		d.settle()
		if first := d.first(); !strings.HasPrefix(first, " mcptea  tracker 0.9.2  stdio  2025-11-25  ● connected") || !strings.Contains(first, "   tap cursor/notes S watches  tap tracker 31m  ↑") {
			t.Error("the first row is", first)
		}
		clicks := func() {
			before, _, _ := strings.Cut(d.first(), "cursor")
			d.click(len([]rune(before)), 0)
		}
		clicks()
		d.settle()
		if opened != 1 {
			t.Errorf("a click opens it %d times", opened)
		}
		for i := 2; i <= 8; i++ {
			d.opened(fmt.Sprint("s", i), tracking("0.9.3"))
		}
		clicks()
		d.settle()
		d.sees("8 sessions are the maximum")
		d.host.SetTaps(nil)
		d.settle()
		if first := d.first(); opened != 1 || strings.Contains(first, "cursor") {
			t.Errorf("opened %d; the first row is %s", opened, first)
		}
	})
}
