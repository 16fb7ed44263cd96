package inspector

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
	"mcptea/internal/test/termsvg"
	"mcptea/offer/diff"
	"mcptea/record/store"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
	"mcptea/session/session"
)

var _ = raced.Also(
	TestBranch, TestBranch_AllowsAllCallsOfATool, TestBranch_NextChangeGoesAround, TestBranch_LeavesACallOut,
	TestBranch_OfAnotherSession,
)

// tracked is the recording of a session in which a call failed.
const tracked = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"editor","version":"1.4"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"0.9.2"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"get_issue","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"close_issue","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_issue","arguments":{"number":67832}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{"number":67832,"state":"open","title":"encoding/json: panic in scanner"}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"close_issue","arguments":{"number":67832}}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_issue","arguments":{"number":67833}}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"no such issue"}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"search_issues","arguments":{"query":"panic"}}}
< {"jsonrpc":"2.0","id":6,"result":{"content":[]}}`

// serveTracked is the next version of that server.
func serveTracked(_ context.Context, in io.Reader, out io.Writer) error {
	return scriptedBy(in, out, func(method, tool string) string {
		switch {
		case method == "initialize":
			return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"0.9.3"}}`
		case method == "tools/list":
			return `{"tools":[{"name":"get_issue","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"close_issue","inputSchema":{"type":"object"}}]}`
		case tool == "get_issue":
			return `{"content":[],"structuredContent":{"number":67832,"state":"open","labels":["NeedsFix","encoding"],"title":"encoding/json: panic in scanner"}}`
		}
		return `{"content":[]}`
	})
}

// driveBranch shows the inspector on a branch of the recording.
func driveBranch(t *testing.T, w, h, until int, script func(d *driver)) {
	t.Helper()
	path := recordingtest.File(t, "stdio", tracked)
	recorded, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = recorded.Close() }()
	if err := recorded.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	turns, err := replay.Read(t.Context(), recorded)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := diff.ParseIgnore("/id")
	b := branch.New(turns, branch.Options{File: path, Until: until, Compare: diff.Options{IgnoreVolatile: true, Ignore: []diff.Ignore{id}}}, nil)
	driveWith(t, w, h, func() (*session.Session, error) {
		b.Earlier, b.Name = []branch.Made{
			{Name: "A", Until: 10, Path: "a.mcptea.jsonl", Begun: time.Now().Add(-9 * time.Minute), Counts: "4 equal"},
			{Name: "B", Until: 6, Path: "b.mcptea.jsonl", Begun: time.Now().Add(-26 * time.Hour)},
		}, "C"
		return session.Open(session.Config{
			Target: client.Target{Argv: []string{"tracker"}}, Record: "off", Lists: client.ListKinds, Lint: true, Branch: b.Origin(),
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
			Dial: b.Dial(func(tap client.Tap, cfg client.Config) *client.Client {
				return client.NewOver(inmemory.New(serveTracked), tap, cfg)
			}),
		})
	}, func(*session.Session) Options { return Options{Branch: b} }, script)
}

// The tab shows what differs and where the session is live; the user decides about a call
// that is not read-only, and Traffic names the recorded frames.
func TestBranch(t *testing.T) {
	driveBranch(t, 160, 45, 10, func(d *driver) {
		d.sees("Send this call again?", "close_issue", "frame #8 of session.mcptea.jsonl", "67832")
		if !d.session.State().Lists["tools"].Offered {
			t.Error("until it is live, the server is said to offer no tools")
		}
		d.press("y")
		d.settle()
		d.sees("branch C of session.mcptea.jsonl#10", "live", "2 equal, 2 different", "live from here", "tools/call get_issue", "search_issues")
		d.sees("├ A yesterday 23:51  4 equal", "└ B 30 Dec 1999  earlier", "└ C today 00:00  2 equal, 2 different")
		d.sees("was #6", "was #8")
		d.press("<up><up><up>") // from the request at which the session is live
		d.sees("NeedsFix")
		d.lacks("is live from here.")
	})
}

// One key allows all further calls of the tool.
func TestBranch_AllowsAllCallsOfATool(t *testing.T) {
	driveBranch(t, 160, 45, 10, func(d *driver) {
		d.sees("y send", "a send all of this tool")
		d.press("a")
		d.settle()
		d.sees("2 equal, 2 different")
		b := d.model.options.Branch
		if got := b.AllowedTools(); !slices.Equal(got, []string{"close_issue"}) {
			t.Errorf("allowed are %q", got)
		}
		d.sees("C today 00:00  allowed close_issue  2 equal")
		d.press("<end>")
		for range 20 {
			if strings.Contains(d.term.screen(), "The branch of this session.") {
				break
			}
			d.press("<up>")
		}
		d.sees("Sent without asking: all calls of close_issue.")
	})
	// Another tool is asked about.
	driveBranch(t, 160, 45, 0, func(d *driver) {
		d.sees("Send this call again?", "close_issue")
		d.press("a")
		d.settle()
		d.sees("Send this call again?", "search_issues", "frame #12 of")
		d.press("<esc>")
		d.settle()
		d.sees("not sent: you declined it", "allowed close_issue")
		if got := d.model.options.Branch.AllowedTools(); !slices.Equal(got, []string{"close_issue"}) {
			t.Errorf("allowed are %q", got)
		}
	})
}

// The next change is the first one after the last, wherever the cursor is.
func TestBranch_NextChangeGoesAround(t *testing.T) {
	driveBranch(t, 160, 45, 10, func(d *driver) {
		d.press("y")
		d.settle()
		d.press("<end>n")
		d.lacks("There are no other differences.")
		r, _ := d.model.branch.Selected()
		d.press("n")
		if other, _ := d.model.branch.Selected(); r == nil || other == r || r.State != replay.Different || other.State != replay.Different {
			t.Errorf("n goes from %v to %v", r, other)
		}
	})
}

// A branch that has left a call out says so, and sends the frames after it.
func TestBranch_LeavesACallOut(t *testing.T) {
	driveBranch(t, 160, 45, 10, func(d *driver) {
		d.press("<esc>")
		d.settle()
		d.sees("you declined it", "live")
	})
}

func TestScreens_Branch(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for _, size := range sizesOf(screenSizes) {
		name := pictureName("branch", size)
		t.Run(name, func(t *testing.T) {
			driveBranch(t, size[0], size[1], 10, func(d *driver) {
				d.press("y")
				d.settle()
				d.press("<up><up><up>")
				d.settle()
				s := d.capture()
				stopSpinners(s, d.model.Pal.Glyphs.Spinner)
				requirePicture(t, name, termsvg.Still(s, "A branch of a recording: what differs, and where the session is live"), d.term.screen())
			})
		})
	}
}

// The tab of a branch is there in any session, and says so when it is not one.
func TestBranch_OfAnotherSession(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("O")
		d.settle()
		d.sees("This session does not continue a recording.", "--continue")
		d.lacks("sending again")
		d.lacks("next change")
		for _, key := range []string{"enter", "r", "e", "d", "n", "N"} {
			d.press(key)
			d.settle()
		}
		d.sees("This session does not continue a recording.")
	})
}
