package use

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/apps"
	"mcptea/session/apps/appcheck"
	"mcptea/session/session"
)

// printing are the commands of a program whose output is what it returns.
func printing() (p *commands, out *bytes.Buffer) {
	out = &bytes.Buffer{}
	s := &app.Screen{Writer: out}
	return &commands{Link: link.New(settings.New(&app.App{Out: s, Err: s}))}, out
}

// What happens to an app is said once, when it happens.
func TestApp_ChangesAreSaidOnce(t *testing.T) {
	for _, tt := range []struct {
		change func(*apps.State)
		want   string
	}{
		{func(*apps.State) {}, ""},
		{func(st *apps.State) { st.Errors = 2 }, "mcptea: the app has logged 2 errors; --trace prints its messages\n"},
		{func(st *apps.State) { st.Violations = 1 }, "mcptea: the content security policy has blocked 1 request\n"},
		{func(st *apps.State) { st.Lost = 3 }, "mcptea: the app sends too much: 3 messages were dropped\n"},
		{func(st *apps.State) { st.SizeLoop = true }, "mcptea: the app keeps changing its size; its reports are ignored\n"},
		{func(st *apps.State) { st.Connected = time.Unix(1, 0) }, "mcptea: the page was opened\n"},
		{func(st *apps.State) { st.Refused = []string{"pay\x1b[2J"} }, "mcptea: a call of pay␛[2J was refused: the tool is not annotated as read-only, and without a terminal mcptea cannot ask; --allow permits it\n"},
	} {
		p, out := printing()
		f := &appFollower{p: p, loaded: func() {}}
		var st apps.State
		tt.change(&st)
		for range 2 {
			f.changes(st)
			f.seen = st
		}
		if out.String() != tt.want {
			t.Errorf("%q, want %q", out, tt.want)
		}
	}
}

// A check of an app fails for what it found, and for a file that cannot be written.
func TestAppCheck_Outcome(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "none", "file")
	picture := filepath.Join(t.TempDir(), "app.png")
	result := func(v appcheck.Verdict) []appcheck.Result { return []appcheck.Result{{Verdict: v}} }
	for name, tt := range map[string]struct {
		report appcheck.Report
		flags  appFlags
		want   string // of the error; empty for none
	}{
		"passed":               {appcheck.Report{Results: result(appcheck.Pass)}, appFlags{failOn: "error"}, ""},
		"warned":               {appcheck.Report{Results: result(appcheck.Warn)}, appFlags{failOn: "error"}, ""},
		"warned, --fail-on":    {appcheck.Report{Results: result(appcheck.Warn)}, appFlags{failOn: "warning"}, "1"},
		"passed, --fail-on":    {appcheck.Report{Results: result(appcheck.Pass)}, appFlags{failOn: "warning"}, ""},
		"failed":               {appcheck.Report{Results: result(appcheck.Fail)}, appFlags{failOn: "error"}, "1"},
		"--junit to nowhere":   {appcheck.Report{}, appFlags{junit: app.Report{Flag: "junit", Path: nowhere}}, "--junit: "},
		"--output to nowhere":  {appcheck.Report{Screenshot: []byte("png")}, appFlags{picture: app.Report{Flag: "output", Path: nowhere}}, "--output: "},
		"--output, no picture": {appcheck.Report{}, appFlags{picture: app.Report{Flag: "output", Path: picture}}, "--output: the browser took no screenshot of the app"},
		"--output":             {appcheck.Report{Screenshot: []byte("png")}, appFlags{picture: app.Report{Flag: "output", Path: picture}}, ""},
	} {
		p, _ := printing()
		err := p.endAppCheck(&tt.report, &tt.flags)
		switch {
		case tt.want == "1":
			var of *app.Error
			if !errors.As(err, &of) || of.Code != 1 {
				t.Errorf("%s: %v", name, err)
			}
		case (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want):
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if b, err := os.ReadFile(picture); err != nil || string(b) != "png" {
		t.Errorf("the screenshot is %q, %v", b, err)
	}
}

// An entry of another skill than the one that was asked for is not used: its file is not read.
func TestSkill_AnotherEntry(t *testing.T) {
	read := false
	serve := sessiontest.Scripted(func(method, id string) string {
		result := "{}"
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "skills/get":
			result = `{"skill":{"uri":"skill://evil/a/SKILL.md","resources":"dynamic"}}`
		case "resources/read":
			read = true
		case "notifications/initialized":
			return ""
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"x"}}, Record: "off", Client: client.Config{Revision: revision.R20251125}, Dial: sessiontest.Dial(serve),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, out := printing()
	p.Ctx = t.Context()
	err = p.getSkill(s, "skill://x/a/SKILL.md", "SKILL.md", true)
	want := `the result of skills/get has the wrong skill: "skill://evil/a/SKILL.md" instead of skill://x/a/SKILL.md`
	if err == nil || err.Error() != want || read {
		t.Errorf("%v, want %s; read: %v\n%s", err, want, read, out)
	}
}
