package inspector

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/session/question"
	"mcptea/session/state"
	"mcptea/ui/pane/start"
)

// starting is what makes the start screen in a project whose .mcp.json has one server.
func starting(t *testing.T, entry string) (p *Inspector, project string) {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	project = t.TempDir()
	t.Chdir(project)
	if err := os.Mkdir(".git", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(project, ".mcp.json"), `{"mcpServers":{"ours":`+entry+`}}`)
	put(t, filepath.Join(os.Getenv("HOME"), ".cursor", "mcp.json"), `{"mcpServers":{"demo":{"command":"true"}}}`)
	s := settings.New(&app.App{Ctx: t.Context()})
	s.Flags.Transport = "auto"
	return &Inspector{Settings: s, Target: target.New(s)}, project
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// entryOf is the entry of a group with a name.
func entryOf(t *testing.T, g start.Group, name string) *start.Entry {
	t.Helper()
	i := slices.IndexFunc(g.Entries, func(e start.Entry) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s in %+v", name, g.Entries)
	}
	return &g.Entries[i]
}

// allOf is all that a question shows.
func allOf(e *start.Entry) string {
	if e.Ask == nil {
		return ""
	}
	text := strings.Join(e.Ask.Lines, " ")
	for _, f := range e.Ask.Facts {
		text += "\n" + f.Label + " " + f.Text
	}
	return text
}

// Entries of a project and of other applications are asked about once for each content, on the start
// screen as in commands. Only the user's own must be visible.
func TestListed_AsksOnceForEachContent(t *testing.T) {
	p, project := starting(t, `{"command":"npx","args":["-y","one"],"env":{"A":"1","LD_PRELOAD":"x.so"}}`)
	put(t, filepath.Join(os.Getenv("HOME"), ".cursor", "mcp.json"), `{"mcpServers":{"theirs":{"command":"true"}}}`)
	p.Configured.Servers = map[string]string{"mine": "npx mine"}
	listed := p.listedServers()
	g := listed.group(t.Context())
	e := entryOf(t, g, "ours")
	if got := allOf(e); !strings.HasPrefix(got, "npx -y one\nruns code LD_PRELOAD=x.so\n") || !strings.Contains(got, "\nenv A=1") || e.Ask.Own || e.Ask.Window || !e.Foreign {
		t.Errorf("%+v", e.Ask)
	}
	theirs := entryOf(t, g, "theirs")
	if theirs.Ask == nil || theirs.Ask.Own || theirs.Foreign {
		t.Errorf("of another application: %+v", theirs)
	}
	if mine := entryOf(t, g, "mine"); mine.Ask == nil || !mine.Ask.Own {
		t.Errorf("of the user: %+v", mine)
	}
	for _, of := range []*start.Entry{e, theirs} {
		p.Remember(listed.named(of.Key, of.Args))
	}
	g = listed.group(t.Context())
	if e, theirs := entryOf(t, g, "ours"), entryOf(t, g, "theirs"); e.Ask != nil || theirs.Ask != nil {
		t.Errorf("it is asked again: %+v %+v", e.Ask, theirs.Ask)
	}
	put(t, filepath.Join(project, ".mcp.json"), `{"mcpServers":{"ours":{"command":"npx","args":["-y","two"]}}}`)
	if e := entryOf(t, listed.group(t.Context()), "ours"); !strings.HasPrefix(allOf(e), "npx -y two") {
		t.Errorf("another content: %+v", e.Ask)
	}
}

// Credentials of the user that an entry gets are never agreed to with the key that opens an entry.
func TestConsentTo_CredentialsHaveTheWindow(t *testing.T) {
	s := &hosts.Server{Name: "web", Transport: hosts.HTTP, Written: hosts.Launch{URL: "http://127.0.0.1:1/mcp"}}
	if ask := consentTo(s, "web", []string{"Authorization: Bearer $MCPTEA_TOKEN"}); !ask.Window {
		t.Errorf("%+v", ask)
	}
	if ask := consentTo(s, "web", nil); ask.Window {
		t.Errorf("without credentials: %+v", ask)
	}
}

// A recent target that is an entry of a configuration is asked about with what it starts now, in its own
// directory, and not with what the list has in this one.
func TestRecent_IsWhatItStartsNow(t *testing.T) {
	p, project := starting(t, `{"command":"npx","args":["here"]}`)
	other := t.TempDir()
	put(t, filepath.Join(other, ".git", "HEAD"), "")
	put(t, filepath.Join(other, ".mcp.json"), `{"mcpServers":{"ours":{"command":"npx","args":["there"]}}}`)
	for _, dir := range []string{project, other} {
		if err := p.recentFile().Add(state.Target{Time: time.Now(), Command: "--server=claude-code/ours", Dir: dir, Server: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	listed := p.listedServers()
	recent := func() map[string]*start.Entry {
		all := map[string]*start.Entry{}
		g := p.recentGroup(t.Context(), listed)
		for i := range g.Entries {
			all[g.Entries[i].Dir] = &g.Entries[i]
		}
		return all
	}
	for dir, want := range map[string]string{project: "npx here", other: "npx there"} {
		e := recent()[dir]
		if !strings.HasPrefix(allOf(e), want) || !e.Foreign {
			t.Errorf("%s: %+v", want, e)
		}
		s := listed.named(e.Key, e.Args)
		if s == nil || s.Written.String() != want {
			t.Errorf("%s: it opens %+v", want, s)
		}
		p.Remember(s)
		if e = recent()[dir]; e.Ask != nil || e.Args == nil {
			t.Errorf("%s: it is asked again: %+v", want, e.Ask)
		}
	}
	put(t, filepath.Join(other, ".mcp.json"), `{"mcpServers":{"ours":{"command":"npx","args":["changed"]}}}`)
	if e := recent()[other]; !strings.HasPrefix(allOf(e), "npx changed") {
		t.Errorf("another content: %+v", e)
	}
	put(t, filepath.Join(other, ".mcp.json"), `{"mcpServers":{}}`)
	if e := recent()[other]; e.Args != nil || len(e.Problems) == 0 {
		t.Errorf("an entry that is gone: %+v", e)
	}
}

// What was chosen on the start screen starts only with the agreement to what it is now, or one from before:
// without any, and with one to another text, it is refused.
func TestShown_StartsByItsAgreement(t *testing.T) {
	p, _ := starting(t, `{"command":"true","args":["one"]}`)
	listed := p.listedServers()
	e := entryOf(t, listed.group(t.Context()), "ours")
	s := listed.named(e.Key, e.Args)
	seen := func(c question.Text) question.Agreement {
		var sight question.Sight
		sight.Lay(0)
		a, ok := sight.Agree(c, 0)
		if !ok {
			t.Fatal("there is no agreement")
		}
		return a
	}
	_, other := target.ConsentTo(s, "x", []string{"a header"})
	p.Shown = s
	for name, a := range map[string]question.Agreement{"none": {}, "typed": question.Typed(), "another text": seen(other)} {
		p.Agreed = a
		if _, agreed, err := p.Entry(s); err == nil || agreed || !strings.Contains(err.Error(), "has changed since it was shown") {
			t.Errorf("%s: agreed %v, %v", name, agreed, err)
		}
	}
	p.Agreed = seen(e.Ask.Text)
	if _, agreed, err := p.Entry(s); !agreed || err != nil {
		t.Errorf("%v", err)
	}
	p.Agreed = question.Agreement{} // it is remembered
	if _, agreed, err := p.Entry(s); !agreed || err != nil {
		t.Errorf("the second time: %v", err)
	}
}

// The words of mcptea and the names of files mean what they mean without a project.
func TestTyped_WordsThatNoProjectTakes(t *testing.T) {
	p, _ := starting(t, `{"command":"true"}`)
	t.Setenv("PATH", t.TempDir())
	put(t, "notes", "a file without an end")
	for text, first := range map[string]bool{"demo": true, "open": true, "x.jsonl": true, "notes": true, "a.YAML": true, "ours": false, "my.server": false, "demo now": false, "DEMO": true} {
		if e := p.typed(text); e.First != first {
			t.Errorf("%s: %v", text, e.First)
		}
	}
}

// What is typed or was typed before is asked about with its text.
func TestTyped_IsAsked(t *testing.T) {
	p, _ := starting(t, `{"command":"true"}`)
	for _, text := range []string{"http://localhost:1/mcp -H 'A: b'", "sh -c 'echo $HOME'", "mcptea open x", "--url http://localhost:1/mcp"} {
		e := p.typed(text)
		if e.Ask == nil || !e.Ask.Own || len(e.Ask.Lines) != 1 || e.Ask.Lines[0] != text {
			t.Errorf("%s: %+v", text, e.Ask)
		}
	}
	if err := p.recentFile().Add(state.Target{Time: time.Now(), Command: "-- sh -c true", Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if e := p.recentGroup(context.Background(), p.listedServers()).Entries[0]; e.Ask == nil || !e.Ask.Own || !strings.HasPrefix(allOf(&e), "mcptea -- sh -c true\ndirectory ") {
		t.Errorf("%+v", e)
	}
}

// An entry that its application does not load says why, in its row and where it is read.
func TestStart_NotLoadedSaysWhy(t *testing.T) {
	p, project := starting(t, `{"command":"true"}`)
	put(t, filepath.Join(project, ".codex", "config.toml"), "[mcp_servers.untrusted]\ncommand = \"true\"\n")
	e := entryOf(t, p.listedServers().group(t.Context()), "untrusted")
	if e.Note != "not loaded" || e.NoteID != "F009" {
		t.Errorf("the row says %q %q", e.NoteID, e.Note)
	}
	if len(e.Problems) == 0 || !strings.Contains(e.Problems[0].Text, "because the project is not trusted. Trust the project") {
		t.Errorf("the entry says %+v", e.Problems)
	}
}
