package inspector

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/usercommand"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/program"
)

var _ = raced.Also(TestUserCommands_AskAndRun, TestUserCommands_AtOnce, TestUserCommands_InThePageOfKeys, TestUserCommands_InTheListAndHelp, TestUserCommands_NoProcessOfARecording)

// userCommand is a command of the user on a key.
func userCommand(t *testing.T, name string, input string, output usercommand.Output, words ...string) usercommand.Command {
	c, err := usercommand.New(words)
	if err != nil {
		t.Fatal(err)
	}
	c.Name, c.Input, c.Output = name, input, output
	return c
}

// withCommands drives the inspector with commands of the user, on f5 and the keys behind it.
func withCommands(t *testing.T, commands []usercommand.Command, script func(d *driver)) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a POSIX system")
	}
	bound := map[string][]string{}
	for i, c := range commands {
		bound["command."+c.Name] = []string{"f" + string(rune('5'+i))}
	}
	driveWith(t, 120, 36, func() (*session.Session, error) {
		return session.Open(session.Config{
			Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Lists: client.ListKinds, Client: client.Config{Name: "mcptea", Version: "test"},
			Dial: func(tap client.Tap, cfg client.Config) *client.Client {
				return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed})), tap, cfg)
			},
		})
	}, func(*session.Session) Options {
		return Options{Options: program.Options{Themes: &themes.Catalog{}, Keys: bound}, Own: Own{Commands: commands}}
	}, func(d *driver) {
		d.within(func() {
			if err := d.model.Prepare(); err != nil {
				t.Error(err)
			}
		})
		script(d)
	})
}

// A command runs after a question that shows each word, with the value as one word whatever it contains, and
// its output is text.
func TestUserCommands_AskAndRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ran")
	withCommands(t, []usercommand.Command{
		userCommand(t, "show", "", usercommand.Window, "printf", `%s\n\033[31mred\033[0m\n`, "tool={tool}; touch "+out),
		userCommand(t, "fail", "", usercommand.Window, "sh", "-c", "echo to stderr >&2; exit 3"),
		userCommand(t, "quiet", "request", usercommand.None, "sh", "-c", "cat > "+out),
		userCommand(t, "file", "", usercommand.Window, "grep", "-c", "jsonrpc", "{response}"),
	}, func(d *driver) {
		d.press("1<f5>")
		d.sees("Select a tool, or a call of one, first. This command uses {tool}.")
		d.press("2")
		d.sees("echo")
		d.press("<f5>")
		d.sees("Run this command?", "printf", "tool=echo;·touch·")
		d.press("<esc>")
		d.lacks("Run this command?")
		d.press("<f5>")
		d.press("y")
		d.sees("tool=echo; touch "+out, "red")
		d.lacks("[31m")
		if _, err := os.Stat(out); err == nil {
			t.Error("a shell has read the value")
		}
		d.press("/nowhere<enter>")
		d.sees("not found")
		d.press("<esc>w")
		d.sees("exact bytes", "output.txt")
		d.press("<esc>")
		d.sees("tool=echo; touch "+out, "red")
		d.press("|wc -l<enter>")
		d.sees("| wc -l", "2")
		d.press("<esc>")
		d.sees("tool=echo; touch "+out, "esc close")
		d.press("<esc><f6>")
		d.press("y")
		d.sees("failed", "exit status 3", "stderr", "to stderr")
		d.press("<esc><f7>")
		d.sees("Select a frame of a request first. This command uses {request}.")
		d.press("2<enter>one two<enter>")
		d.sees("ok 0 ms")
		d.press("<f7>")
		d.sees("on stdin", "the request, ")
		d.press("y")
		d.sees("The command quiet has ended.")
		if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), `"message":"one two"`) || !strings.HasPrefix(string(text), `{"jsonrpc":"2.0"`) {
			t.Errorf("on stdin: %q, %v", text, err)
		}
		d.press("9<f8>")
		d.sees("Run this command?")
		path := regexp.MustCompile(`\S*response-\d+\.json`).FindString(d.term.screen())
		if path == "" {
			t.Fatalf("no file is named:\n%s", d.term.screen())
		}
		d.press("y")
		d.sees("1")
	})
}

// A command that runs at once asks nothing.
func TestUserCommands_AtOnce(t *testing.T) {
	c := userCommand(t, "count", "", usercommand.Window, "grep", "-c", "jsonrpc", "{response}")
	c.RunsAtOnce = true
	withCommands(t, []usercommand.Command{c}, func(d *driver) {
		d.press("2<enter>one two<enter>")
		d.sees("ok 0 ms")
		d.press("<f5>")
		d.sees("count", "1")
		d.lacks("Run this command?")
	})
}

// The page of keys names the keys of own commands.
func TestUserCommands_InThePageOfKeys(t *testing.T) {
	withCommands(t, []usercommand.Command{userCommand(t, "blame", "", usercommand.Window, "git", "log"), userCommand(t, "notes", "", usercommand.Terminal, "vi", "notes.md")}, func(d *driver) {
		d.press("2?")
		d.sees("Your commands", "f5  blame", "f6  notes")
	})
}

// The number of the process of a recording is never given to a command: it is another process here.
func TestUserCommands_NoProcessOfARecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.mcptea.jsonl")
	runs := crashed[:strings.Index(crashed, `{"s":4`)] // no end of the process
	if err := os.WriteFile(path, []byte(runs), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := session.OpenRecording(path, session.Config{Lists: client.ListKinds})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	c := userCommand(t, "stop", "", usercommand.None, "kill", "{pid}")
	m, stop := newModel(t.Context(), s, Options{}, sections(Own{Commands: []usercommand.Command{c}}))
	defer stop()
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	if err := s.Until(t.Context(), func() bool {
		m.Look(time.Now())
		return m.recordingRead
	}); err != nil {
		t.Fatal(err)
	}
	if m.state.Process.PID != 3307 {
		t.Errorf("the process of the recording is %d", m.state.Process.PID)
	}
	if why := m.noUserCommand(&c); why != "No process of the server runs. This command uses {pid}." {
		t.Errorf("the command runs, or says %q", why)
	}
}

// The list of commands has it, with the sentence of the user and its key.
func TestUserCommands_InTheListAndHelp(t *testing.T) {
	c := userCommand(t, "blame", "", usercommand.Window, "git", "log", "-S{tool}")
	c.Help = "Who added this tool"
	withCommands(t, []usercommand.Command{c}, func(d *driver) {
		d.press("2<ctrl+p>blame")
		d.sees("Who added this tool", "key f5", "command.blame")
		d.press("<enter>")
		d.sees("Run this command?", "-Secho")
	})
}
