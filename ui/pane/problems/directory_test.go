package problems

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// knows has the session know a list of tools, given as JSON objects.
func (fx *fixture) knows(change func(*offer.List), tools ...string) {
	l := offer.List{Offered: true, Loaded: noon.Add(time.Duration(len(tools)) * time.Second)}
	for _, raw := range tools {
		l.Items = append(l.Items, offer.NewItem(client.Tools.Name, []byte(raw)))
	}
	if change != nil {
		change(&l)
	}
	fx.state(session.State{Handshake: client.Handshake{Revision: revision.R20251125, ServerCaps: []byte(`{"tools":{}}`)}, Lists: map[string]offer.List{client.Tools.Name: l}})
}

func (fx *fixture) state(st session.State) { fx.pane.Refresh(app.Tick{Now: noon, State: st}) }

// chooses chooses a directory in the window.
func (fx *fixture) chooses(name string) {
	fx.T.Helper()
	fx.Run("check.directory")
	for i, choice := range append(append([]string{}, directory.Names...), "all", "none") {
		if choice == name {
			fx.Press(append(strings.Split(strings.Repeat("j", i), ""), "enter")...)
			return
		}
	}
	fx.T.Fatal("no directory " + name)
}

// isClean reports that a screen has no verdict about acceptance.
func isClean(screen string) bool {
	return !regexp.MustCompile(`\b(ready|accepted|approved)\b`).MatchString(strings.ReplaceAll(strings.ToLower(screen), "not ready", ""))
}

const titled = `{"name":"read","title":"Read","annotations":{"readOnlyHint":true}}`

func TestDirectory_Parts(t *testing.T) {
	fx, _ := live(t)
	fx.knows(nil, titled, `{"name":"\u001b[2Jbare"}`)
	total, _ := fx.pane.Total()
	if fx.screen(120, 40); fx.pane.dirs.reports != nil || fx.pane.dirs.busy {
		t.Error("requirements are judged that were not chosen")
	}
	fx.chooses("claude")
	as := "as of " + directory.Date([]string{"claude"})
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 45}} {
		fx.sees(size[0], size[1], "directory: not ready", "✗ 2", "DIR-01  1 tool without a title: ", "Requirements of claude "+as+"; the", "them.")
	}
	if fx.id() != "directory: not ready" {
		t.Errorf("%s is selected", fx.id())
	}
	fx.sees(120, 60, "directory: by hand", "DIR-11  The authorization server accepts", "directory: met", "✓ 2", "directory: does not apply")
	if now, _ := fx.pane.Total(); now != total {
		t.Errorf("%d problems of the server, before it were %d", now, total)
	}
	fx.Press("j")
	fx.sees(160, 45, "Set title of each tool, or annotations.title.", "requires Every tool has a title.", "by       claude", strings.Replace(as, "as of", "as of   ", 1)+"; the directories change them", "claude.com/docs/connectors/building/review-criteria", "mcptea check --directory claude --url")
	for key, want := range map[string]string{
		"enter": "off: A requirement is not about one frame.", "r": "off: It is judged without sending anything: there is nothing to run.",
		"o": "open https://claude.com/docs/connectors/building/review-criteria",
	} {
		if got := fx.Press(key); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
	for ; fx.selected().group.isDirectory(); fx.Press("j") {
		if screen := fx.screen(160, 60); !isClean(screen) {
			t.Fatalf("a verdict about acceptance:\n%s", screen)
		}
	}
	if fx.chooses("none"); strings.Contains(fx.screen(120, 60), "directory:") || fx.pane.dirs.reports != nil {
		t.Errorf("after none:\n%s", fx.screen(120, 60))
	}
}

// What is known decides: a part of a list judges nothing, and neither does no server.
func TestDirectory_WhatIsKnown(t *testing.T) {
	page := func(l *offer.List) { l.Loading = true }
	for _, c := range []struct {
		name     string
		recorded bool
		change   func(*offer.List)
		tools    []string
		want     string
	}{
		{"an error", false, func(l *offer.List) { l.Err = errors.New("page 3 is an error") }, []string{titled}, "Every tool has a title: the list of tools is incomplete: page 3 is an error."},
		{"not read", false, func(l *offer.List) { l.Loaded = time.Time{} }, nil, "Every tool has a title: the list of tools is incomplete: it was not read."},
		{"a recording without the end", true, page, []string{titled}, "Every tool has a title: the list of tools is incomplete: the recording does not have its last page."},
		{"read again", false, page, []string{titled}, "Every tool has a title."},
		{"no tools", false, nil, nil, "Every tool has a title: the server has no tools."},
	} {
		t.Run(c.name, func(t *testing.T) {
			fx, _ := live(t)
			if c.recorded {
				fx.pane.probes, fx.pane.Probes = nil, nil
			}
			fx.knows(c.change, c.tools...)
			fx.chooses("claude")
			fx.Press("+")
			fx.sees(200, 90, "DIR-01  "+c.want)
			if screen := fx.screen(200, 90); strings.Contains(screen, "directory: not ready") {
				t.Error(screen)
			}
		})
	}
	fx, _ := live(t)
	fx.state(session.State{})
	fx.chooses("claude")
	fx.sees(200, 60, "DIR-01  Every tool has a title: the server was not connected.")
}

// The list is that of the newest tools; while they are read again, it stays.
func TestDirectory_ListsChange(t *testing.T) {
	fx, c := live(t)
	fx.knows(nil, titled)
	fx.chooses("claude")
	fx.knows(func(l *offer.List) { l.Loading = true }, titled, `{"name":"a"}`)
	if strings.Contains(fx.screen(160, 60), "without a title") {
		t.Error("a list is judged while it is read")
	}
	fx.knows(nil, titled, `{"name":"a"}`)
	fx.sees(160, 60, "DIR-01  1 tool without a title: a.")
	c.st.Running, c.st.Generation = true, c.st.Generation+1
	fx.knows(nil, titled, `{"name":"a"}`, `{"name":"b"}`)
	fx.sees(160, 60, "DIR-01  1 tool without a title: a.")
	c.st.Running, c.st.Generation = false, c.st.Generation+1
	fx.knows(nil, titled, `{"name":"a"}`, `{"name":"b"}`)
	fx.sees(160, 60, "DIR-01  2 tools without a title: a, b.")
}

// Another choice while the first one is judged is the one that counts.
func TestDirectory_ChoiceWhileJudging(t *testing.T) {
	fx, _ := live(t)
	fx.knows(nil, `{"name":"a"}`)
	fx.Hold = true
	fx.chooses("claude")
	fx.chooses("openai")
	fx.Finish()
	if screen := fx.screen(160, 60); !strings.Contains(screen, "DIR-03") || strings.Contains(screen, "DIR-01") {
		t.Errorf("openai was chosen:\n%s", screen)
	}
}

func TestDirectory_ManyTools(t *testing.T) {
	fx, _ := live(t)
	var tools []string
	for i := range 25 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%02d"}`, i))
	}
	fx.knows(nil, tools...)
	fx.chooses("claude")
	fx.Press("j")
	fx.sees(160, 45, "25 tools without a title: t00", "and 15 more.", "more     t10, t11", "t24")
	if got := fx.Press("y"); !strings.Contains(got, "t24") {
		t.Error(got)
	}
}

// Probes show more of some requirements; a file is not that of a session.
func TestDirectory_ProbesAndFile(t *testing.T) {
	fx, c := live(t)
	fx.knows(nil, titled)
	fx.chooses("all")
	fx.Press("+")
	fx.sees(200, 90, "DIR-10  Authorization, if there is any, follows the specification: the probes of authorization have not run.", "claude, openai",
		"DIR-15  server.json names an accepted registry, and its _meta has only the member for publishers: mcptea check --directory registry FILE reads the server.json.")
	at := func(id string) {
		t.Helper()
		for i, l := range fx.pane.lines {
			if l.entry != nil && l.entry.id == id {
				fx.pane.Select(keyOf(fx.pane.lines[i]))
				return
			}
		}
		t.Fatal("no line of " + id)
	}
	at("DIR-10")
	fx.sees(160, 45, "r run the probes of auth, which show more of it")
	if fx.Press("r"); len(c.ran) != 1 || c.ran[0] == "" || strings.Contains(c.ran[0], "P-0") {
		t.Errorf("ran %q", c.ran)
	}
	at("DIR-08")
	fx.sees(200, 60, "mcptea check --directory claude --only tools")
	at("DIR-15")
	if screen := fx.screen(200, 60); strings.Contains(screen, "--directory registry http") {
		t.Error(screen)
	}
	fx.Run("copy.command")
	if got := fx.Asked[len(fx.Asked)-1]; got != "off: Its command takes a file: mcptea check --directory registry FILE." {
		t.Error(got)
	}
	c.st.Generation++
	c.st.Servers = []*probe.Server{{Revision: revision.R20251125, Largest: map[string]int{"read": 200_000}}}
	c.st.Reports = []probe.Report{{Entry: entryNamed(t, "P-160"), Verdict: probe.Fail}}
	fx.knows(nil, titled)
	fx.sees(200, 90, "DIR-08  1 tool with a result of more than 150,000 characters: read (200,000 characters).", "DIR-10  Probes of authorization failed: P-160.")
}
