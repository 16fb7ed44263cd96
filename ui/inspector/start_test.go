package inspector

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/termsvg"
	"mcptea/session/question"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
	"mcptea/ui/single"
)

// starting is the start screen with a keyboard.
type starting struct {
	*testing.T
	model  *single.StartScreen
	held   []tea.Cmd // questions about the meaning of a line, while hold is set
	hold   bool
	quit   bool
	copied string
	inputs []start.Input // of each entry
	meant  string        // the text whose meaning was asked for last
}

func (s *starting) list() *start.Pane { return s.model.Pane.(*start.Pane) }

// startedScreen shows the start screen with some entries.
func startedScreen(t *testing.T, w, h int) *starting {
	s := &starting{T: t}
	group := func(g start.Group) func(context.Context) start.Group {
		return func(context.Context) start.Group { return g }
	}
	p := program.Options{Version: "0.9.0", Clipboard: func(text string) error { s.copied = text; return nil }}
	o := single.StartOptions{
		Dir: "~/src/tracker",
		Groups: []func(context.Context) start.Group{
			group(start.Group{Title: "Configured servers", Kind: "server", Note: "6 servers in 5 applications", Entries: configuredEntries()}),
			group(start.Group{Title: "Recent", Kind: "recent", Entries: []start.Entry{
				{Key: "a", Name: "tracker", Where: "today 14:15", Launch: "http://127.0.0.1:3000/mcp", Note: "connected, 14 tools", Args: []string{"--url", "http://127.0.0.1:3000/mcp"}, Dir: "/home/dev/src"},
				{Key: "b", Mark: start.MarkError, Name: "indexer", Where: "yesterday 17:40", Launch: "go run ./cmd/indexer", Note: "connection ended", Args: []string{"--", "go", "run", "./cmd/indexer"}},
			}}),
			group(start.Group{Title: "Active taps", Kind: "tap", Entries: []start.Entry{
				{Key: "t", Mark: start.MarkLive, Name: "cursor/weather", Where: "today 14:02", Launch: "node build/index.js", Note: "1 session", Args: []string{"open", "/r/b.mcptea.jsonl"}},
			}}),
			group(start.Group{Title: "Recordings", Kind: "recording", Note: "58 files, 1.9 GB", Entries: []start.Entry{
				{Key: "c", Mark: start.MarkLive, Name: "tracker", Where: "today 14:31", Launch: "go run ./cmd/tracker", Note: "being written, 214 kB", Args: []string{"open", "/r/a.mcptea.jsonl"}},
			}}),
			group(start.Group{Title: "Demo", Kind: "demo", Entries: []start.Entry{{Key: "demo", Name: "demo", Launch: "built-in server: every feature of every revision, no setup", Args: []string{"demo"}, Verb: "start it and connect"}}}),
		},
		Inputs: func(*start.Entry) []start.Input { return s.inputs },
		Meaning: func(text string) []start.Entry {
			switch {
			case strings.HasPrefix(text, "{"):
				s.meant = text
				return pastedEntries(text)
			case strings.HasPrefix(text, "http"):
				return []start.Entry{{Key: "typed", Name: "connect", Launch: text, Args: []string{text}, Verb: "connect", Facts: []start.Fact{{Label: "URL", Text: text}}}}
			case strings.HasPrefix(text, "echo"):
				e := askingEntry("typed", true, question.Text{Lines: []string{text}})
				e.Args = append([]string{"--"}, strings.Fields(text)...)
				return []start.Entry{e}
			case strings.HasPrefix(text, "node"):
				return []start.Entry{{Key: "typed", Name: "start", Launch: text, Args: append([]string{"--"}, strings.Fields(text)...), Facts: []start.Fact{{Label: "command", Text: text}}}}
			}
			return []start.Entry{{Key: "typed", Mark: start.MarkError, Name: "typed", Launch: text, Problems: []start.Problem{{Text: "It is not a target."}}}}
		},
	}
	s.model = single.NewStart(t.Context(), &p, &o, sections(Own{}))
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	s.run(s.model.Opened())
	return s
}

func configuredEntries() []start.Entry {
	server := func(name, where, launch, route, note string) start.Entry {
		return start.Entry{
			Key: name, Name: name, Where: where, Launch: launch, Place: route, Note: note, Args: []string{"--server=" + name}, Verb: "start it and connect",
			Facts: []start.Fact{{Label: "command", Text: launch}}, File: "/home/dev/file", Line: 4, Command: "mcptea --server=" + name,
			Tap: tapping(name, "record with tap"),
		}
	}
	weather := server("weather", "Cursor", "node build/index.js", "~/.cursor/mcp.json:7", "path not found")
	weather.Mark, weather.NoteID = start.MarkError, "F046"
	weather.Problems = []start.Problem{{ID: "F046", Mark: start.MarkError, Text: `"/home/dev/src/weather/build/index.js" does not exist. Correct the path.`}}
	weather.Facts = append(weather.Facts, start.Fact{Label: "cwd", Text: "/home/dev/src/weather"}, start.Fact{Label: "env", Text: "OPENWEATHER_KEY=••••"})
	github := server("github", "VS Code", "https://api.githubcopilot.com/mcp/", "~/.config/Code/User/mcp.json:3", "secret shared")
	github.Mark, github.NoteID = start.MarkError, "F061"
	postgres := server("postgres", "Codex", "docker run -i mcp/postgres", "~/.codex/config.toml:1", "undefined variable")
	postgres.Mark, postgres.NoteID = start.MarkWarning, "F040"
	memory := server("memory", "Cursor", "npx -y @modelcontextprotocol/server-memory", "~/.cursor/mcp.json:12", "disabled")
	memory.Mark = start.MarkOff
	return []start.Entry{
		server("tracker", "Claude Code", "go run ./cmd/tracker", "~/src/tracker/.mcp.json:4", ".mcp.json:4"),
		server("filesystem", "Claude Desktop", "npx -y @modelcontextprotocol/server-filesystem ~/src", "~/.config/Claude/claude_desktop_config.json:3", ""),
		weather, github, postgres, memory,
	}
}

func (s *starting) send(msg tea.Msg) {
	_ = s.model.View() // the field with the keys is that of the last painting
	_, cmd := s.model.Update(msg)
	s.run(cmd)
}

// run carries out a command and everything that follows from it. While hold is set, it
// keeps what follows from a key.
func (s *starting) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if s.hold {
		s.held = append(s.held, cmd)
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg:
		s.quit = true
	case nil:
	default:
		s.send(msg)
	}
}

func (s *starting) release() {
	s.hold = false
	for _, cmd := range s.held {
		s.run(cmd)
	}
	s.held = nil
}

func (s *starting) press(keys string) {
	for keys != "" {
		name := keys[:1]
		if rest, ok := strings.CutPrefix(keys, "<"); ok {
			name, keys, _ = strings.Cut(rest, ">")
		} else {
			keys = keys[1:]
		}
		if name == " " {
			name = "space"
		}
		s.send(pressKey(name))
	}
}

func (s *starting) screen() string { return ansi.Strip(s.model.View().Content) }

func (s *starting) sees(texts ...string) {
	s.Helper()
	for _, text := range texts {
		if !strings.Contains(s.screen(), text) {
			s.Errorf("the screen lacks %q:\n%s", text, s.screen())
		}
	}
}

func (s *starting) lacks(text string) {
	s.Helper()
	if strings.Contains(s.screen(), text) {
		s.Errorf("the screen has %q:\n%s", text, s.screen())
	}
}

// chose expects that a key has ended the screen with arguments.
func (s *starting) chose(args ...string) {
	s.Helper()
	switch {
	case !s.quit || s.model.Chosen == nil:
		s.Errorf("nothing is chosen:\n%s", s.screen())
	case fmt.Sprint(s.model.Chosen.Args) != fmt.Sprint(args):
		s.Errorf("%q is chosen, want %q", s.model.Chosen.Args, args)
	}
}

func TestStart_OpensSelectedEntry(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.sees("Configured servers", "6 servers in 5 applications", "F046 path not found", "Recent", "58 files", "go run ./cmd/tracker")
	s.press("<down><down>")
	s.sees("command  node build/index.js", "does not exist", "OPENWEATHER_KEY=••••", "~/.cursor/mcp.json:7", "enter start it and connect")
	s.press("<enter>")
	s.chose("--server=weather")
}

func TestStart_FilterFindsWords(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.press("postgres")
	s.sees("docker run")
	s.lacks("go run ./cmd/tracker")
	s.press("<esc>")
	s.sees("go run ./cmd/tracker")
	s.press("recent indexer<enter>")
	s.chose("--", "go", "run", "./cmd/indexer")
}

func TestStart_NothingIsSelectedBeforeAllIsRead(t *testing.T) {
	s := &starting{T: t, model: single.NewStart(t.Context(), &program.Options{}, &single.StartOptions{
		Groups:  make([]func(context.Context) start.Group, 2), // read below
		Meaning: func(string) []start.Entry { return nil },
	}, sections(Own{}))}
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.list().SetGroup(1, start.Group{Title: "Demo", Kind: "demo", Entries: []start.Entry{{Key: "d", Name: "demo", Args: []string{"demo"}}}})
	s.press("<enter>")
	s.sees("Nothing is selected")
	s.press("<f7>")
	s.sees("Nothing is selected.") // and no entry is said to be unfit
	s.list().SetGroup(0, start.Group{Title: "Configured servers", Kind: "server", Entries: []start.Entry{{Key: "s", Name: "files", Args: []string{"files"}}}})
	s.press("<enter>")
	s.chose("files")
}

// Enter waits for the entries that are still read: the entry with the typed name is opened; an entry that
// only contains it was not visible.
func TestStart_EnterBeforeTheEntriesAreRead(t *testing.T) {
	for text, opens := range map[string]bool{"files": true, "file": false} {
		s := &starting{T: t, model: single.NewStart(t.Context(), &program.Options{}, &single.StartOptions{
			Groups: make([]func(context.Context) start.Group, 2), // read below
			Meaning: func(string) []start.Entry {
				return []start.Entry{{Key: "typed", Problems: []start.Problem{{Text: "It is not a target."}}}}
			},
		}, sections(Own{}))}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.list().SetGroup(1, start.Group{Title: "Demo", Kind: "demo", Entries: []start.Entry{{Key: "d", Name: "demo", Args: []string{"demo"}}}})
		s.press(text + "<enter>")
		s.lacks("Cannot open it")
		s.list().SetGroup(0, start.Group{Title: "Configured servers", Kind: "server", Entries: []start.Entry{{Key: "s", Name: "files", Args: []string{"files"}}}})
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		if opens {
			s.chose("files")
			continue
		}
		s.sees("check which one is selected")
		s.press("<enter>")
		s.chose("files")
	}
}

func TestStart_CommandsAndCopy(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.press("<alt+y>")
	if s.copied != "mcptea --server=tracker" {
		t.Errorf("copied %q", s.copied)
	}
	s.sees("Copied command")
	s.press("<f2>")
	s.sees("Find", "Open the entry")
	s.lacks("Show the tools") // without a session it has no use
	s.press("<esc>")
	s.press("?<ctrl+c>")
	if !s.quit || s.model.Chosen != nil {
		t.Error("ctrl+c does not quit")
	}
}

// Where a server is chosen, no page for another one is opened over it.
func TestStart_OpensNoOther(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.lacks("other server")
}

// A time limit is set before a server is started: the line takes flags, and the commands say so.
func TestStart_TimeLimit(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.press("<f2>timeout")
	s.sees("--timeout 2m URL")
}

// tapping is what is written for the tap of an entry.
func tapping(name, verb string) *start.Tap {
	return &start.Tap{Verb: verb, Change: func(context.Context) (*start.Change, error) {
		if name == "filesystem" {
			return nil, errors.New("cannot wrap desktop/filesystem: the tap is a comment (why)")
		}
		c := &start.Change{Question: question.Text{Facts: []question.Fact{{Label: "file", Text: "/home/dev/" + name + ".json", Strong: true}}, Notes: []string{"Restart Cursor."}, Name: "change"}, Write: func() (string, error) { return "Wrote " + name + ".", nil }}
		for i := range 40 {
			c.Question.Lines = append(c.Question.Lines, fmt.Sprint("+ line ", i, strings.Repeat(" wide", 30), " end", i))
		}
		return c, nil
	}}
}

// The question whether the change is written is asked on the start screen, shows all of it, and leads back
// to the entry in each case.
func TestStart_RecordsWithTap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startedScreen(t, 100, 30)
		s.press("<f7>")
		s.sees("Record with tap: write this change?", "/home/dev/tracker.json", "line 0", "end0", "Restart Cursor.", "scroll to the last line first")
		time.Sleep(time.Second)
		s.press("y")
		s.sees("write this change?") // the last line was not visible
		s.press("<end>y")
		s.sees("write this change?", "Scroll up to line 2", "line 39", "end39", "y write it", "esc cancel") // those between were not
		s.press("<esc>")
		s.sees("Nothing was written.", "Targets")
		s.lacks("write this change?")
		s.press("<f7>")
		s.press(strings.Repeat("<space>", 20))
		time.Sleep(time.Second)
		s.press("y")
		s.sees("Wrote tracker.", "tracker  Claude Code")
		if s.quit || s.model.Chosen != nil {
			t.Error("the start screen has ended")
		}
		s.press("<down><f7>")
		s.sees("Cannot wrap desktop/filesystem: the tap is a comment (why).")
		s.lacks("write this change?")
	})
}

// What the key for the tap does is said once, at the entry, and what enter does with the same words there and in the last
// row.
func TestStart_LabelOfTap(t *testing.T) {
	s := startedScreen(t, 160, 30)
	for _, verb := range []string{"record with tap", "stop recording"} {
		s.list().SetGroup(0, start.Group{Title: "Configured servers", Entries: []start.Entry{{Key: "tracker", Name: "tracker", Tap: tapping("tracker", verb), Args: []string{"tracker"}, Verb: "start it and connect"}}})
		s.press("<tab><tab>")
		if n := strings.Count(s.screen(), "f7 "+verb); n != 1 {
			t.Errorf("%q is there %d times:\n%s", "f7 "+verb, n, s.screen())
		}
		if n := strings.Count(s.screen(), "enter start it and connect"); n != 2 {
			t.Errorf("enter is named %d times:\n%s", n, s.screen())
		}
	}
}

func TestStart_UntrustedTextStaysText(t *testing.T) {
	s := startedScreen(t, 100, 30)
	evil := "a\x1b[2J\x1b]0;title\a\u202eb"
	s.list().SetGroup(0, start.Group{Title: "Configured servers", Kind: "server", Note: evil, Entries: []start.Entry{{
		Key: "evil", Name: evil, Where: evil, Launch: evil, Note: evil, Place: evil, Verb: "start", Args: []string{"x"},
		Facts: []start.Fact{{Label: "command", Text: evil}}, Problems: []start.Problem{{ID: "F000", Text: evil}},
	}}})
	s.press("<up><up><up><up><up><up>")
	content := s.model.View().Content
	if strings.Contains(content, "\x1b[2J") || strings.Contains(content, "\x1b]0;") || strings.Contains(content, "\u202e") {
		t.Errorf("escapes reach the terminal: %q", content)
	}
}

func TestStart_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	s := startedScreen(t, 80, 24)
	for w := 1; w < 220; w += 7 {
		for h := 1; h < 70; h += 5 {
			s.send(tea.WindowSizeMsg{Width: w, Height: h})
			lines := strings.Split(s.model.View().Content, "\n")
			if len(lines) != h {
				t.Fatalf("%dx%d: %d lines", w, h, len(lines))
			}
			for i, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("%dx%d: line %d is %d cells wide: %q", w, h, i, got, ansi.Strip(line))
				}
			}
		}
	}
}

func TestScreens_Start(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for _, size := range sizesOf(screenSizes) {
		name := fmt.Sprintf("start-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			s := startedScreen(t, size[0], size[1])
			s.press("<down><down>")
			term := newTerminal(size[0], size[1])
			_, _ = term.Write([]byte(strings.ReplaceAll(s.model.View().Content, "\n", "\r\n")))
			term.emu.SetDefaultBackgroundColor(screenBackground)
			shot := termsvg.Capture(term.emu)
			if c := s.model.View().Cursor; c != nil {
				shot.Cursor = &image.Point{X: c.X, Y: c.Y}
			}
			requirePicture(t, name, termsvg.Still(shot, "The start screen: configured servers, recent targets, recordings"), term.screen())
		})
	}
}

// The values of ${input:ID} are asked for on the screen, one after the other, before it is left.
func TestStart_AsksForInputs(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.inputs = []start.Input{
		{ID: "key", Text: "API key (key)", Secret: true},
		{ID: "unit", Text: "Unit (unit)", Choices: []start.Fact{{Label: "Celsius", Text: "c"}, {Label: "Kelvin", Text: "k"}}},
	}
	s.press("node server.js<enter>")
	s.sees("Value for this server, not stored", "API key (key)", "enter use")
	s.press("<enter>")
	s.sees("The input has no value yet.")
	s.press("s3cret")
	s.lacks("s3cret")
	s.press("<enter>")
	s.sees("Unit (unit)", "Celsius", "Kelvin")
	s.press("<down><enter>")
	s.chose("--", "node", "server.js")
	if got := s.model.Chosen.Inputs; got["key"] != "s3cret" || got["unit"] != "k" {
		t.Errorf("given: %v", got)
	}

	s = startedScreen(t, 100, 30)
	s.inputs = []start.Input{{ID: "key", Text: "API key (key)"}}
	s.press("node server.js<enter><esc>")
	if s.quit {
		t.Error("it was opened without the value")
	}
}
