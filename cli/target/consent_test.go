package target_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/session/question"
)

// pastedEntry is the only server of a pasted text, with its env file read.
func pastedEntry(t *testing.T, text string) *hosts.Server {
	t.Helper()
	c, _, err := newTarget(t).Pasted(text)
	if err != nil || c == nil || len(c.Servers) != 1 {
		t.Fatalf("%s: %v, %v", text, c, err)
	}
	if err := settings.TakeEnvFile(t.Context(), c.Servers[0]); err != nil {
		t.Fatal(err)
	}
	return c.Servers[0]
}

// projectEntry is the only server of a file of the project in the working directory, with its env
// file read.
func projectEntry(t *testing.T, entry string) *hosts.Server {
	t.Helper()
	if err := os.MkdirAll(".cursor", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(".cursor/mcp.json", []byte(`{"mcpServers":{"a":`+entry+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	m, err := hosts.LocalMachine(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := hosts.Discover(t.Context(), m, "cursor")
	if err != nil || len(c.Servers) != 1 || !c.Servers[0].InProject() {
		t.Fatalf("%s: %+v, %v", entry, c, err)
	}
	if err := settings.TakeEnvFile(t.Context(), c.Servers[0]); err != nil {
		t.Fatal(err)
	}
	return c.Servers[0]
}

// agreeTo has the user agree to an entry, which the start screen has shown. What was agreed to before
// is forgotten.
func agreeTo(t *testing.T, p *target.Target, s *hosts.Server) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, c := target.ConsentTo(s, s.ID(), p.Sent(s))
	var seen question.Sight
	seen.Lay(0)
	p.Shown = s
	p.Agreed, _ = seen.Agree(c, 0)
	defer func() { p.Shown, p.Agreed = nil, question.Agreement{} }()
	if _, agreed, err := p.Entry(s); !agreed { // an error is of what follows, such as reading a certificate
		t.Fatal(err)
	}
}

func hasFact(c question.Text, label, text string) bool {
	return slices.ContainsFunc(c.Facts, func(f question.Fact) bool { return f.Label == label && f.Text == text })
}

// What a server starts is shown whole in the question about it, also where it looks like a secret, by
// its form or by the name before it: a shell may run it.
func TestConsentTo_ShowsWhatRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, arg := range []string{
		"TOKEN=$(touch$IFS.x)", "API_KEY=`touch$IFS.x`", "API_TOKEN=$(touch x) exec true", "credential.helper=!touch x", "Authorization: touch x", "PASSWORD='touch x'; eval $PASSWORD",
		"aB3dE5fG7hI9jK1lM3nO5pQ7", "deadbeefdeadbeefdeadbeefdeadbeef", "./ghp_abcdefghijklmnopqrstuvwxyz0123456789", "eval Bearer A1A1A1A1A1A1A1A1A1A1",
	} {
		for _, before := range []string{"-c", "--token", "-p", "x"} {
			s := pastedEntry(t, `{"command":"sh","args":["`+before+`","`+arg+`"]}`)
			if _, c := target.ConsentTo(s, "x", nil); !slices.Equal(c.Lines, []string{"sh", before, arg}) {
				t.Errorf("%s %s: %q", before, arg, c.Lines)
			}
			if masked := s.Written.Redacted(); !slices.Equal(masked.Argv(), s.Written.Argv()) && !target.Hides(s) {
				t.Errorf("%s %s: the list hides it", before, arg)
			}
		}
	}
	for _, tt := range []struct{ name, value, want string }{
		{"API_TOKEN", "$(touch x)", "$(touch x)"},
		{"API_TOKEN", "touch x", "touch x"},
		{"API_TOKEN", "/evil", "/evil"},
		{"API_TOKEN", "./evil", "./evil"},
		{"GIT_CONFIG_PARAMETERS", "'credential.helper=!touch x'", "'credential.helper=!touch x'"},
		{"NODE_OPTIONS", "--require=./evil.js", "--require=./evil.js"},
		{"LD_PRELOAD", "/evil.so", "/evil.so"},
		{"API_TOKEN", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "••••"},
		{"API_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCY==", "••••"},
		{"DATABASE_URL", "postgres://u:invented4711@h/x?a=1&b=2", "postgres://u:••••@h/x?a=1&b=2"},
	} {
		s := pastedEntry(t, `{"command":"sh","env":{"`+tt.name+`":"`+tt.value+`"}}`)
		label := "env"
		if _, _, runs := hosts.RunsCode(tt.name); runs {
			label = "runs code"
		}
		if _, c := target.ConsentTo(s, "x", nil); !hasFact(c, label, tt.name+"="+tt.want) {
			t.Errorf("%s=%s: %+v", tt.name, tt.value, c.Facts)
		}
		if hides := strings.ContainsAny(s.Written.Redacted().Env[0].Value, "•") && tt.want == tt.value; hides != target.Hides(s) {
			t.Errorf("%s=%s: hides is %t", tt.name, tt.value, target.Hides(s))
		}
	}
}

// The variables of an env file are shown, are part of what was agreed to, and are those that the server
// gets.
func TestConsentTo_EnvFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	file := filepath.Join(dir, "x.env")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entry := `{"command":"node","envFile":` + jsonOf(file) + `}`
	write("NODE_OPTIONS=--require ./evil.js\nAPI_KEY=invented4711")
	s := pastedEntry(t, entry)
	if _, c := target.ConsentTo(s, "x", nil); !hasFact(c, "env file", file) || !hasFact(c, "runs code", "NODE_OPTIONS=--require ./evil.js") || !hasFact(c, "env", "API_KEY=••••") {
		t.Errorf("%+v", c.Facts)
	}
	of := projectEntry(t, entry)
	if agreeTo(t, newTarget(t), of); !target.IsAgreed(of, nil) {
		t.Error("it is not agreed to")
	}
	write("NODE_OPTIONS=--require ./other.js")
	if other := projectEntry(t, entry); target.IsAgreed(other, nil) {
		t.Error("another content of the env file is agreed to")
	}
	p := newTarget(t)
	p.Flags.Yes = true
	to, _, err := p.Entry(s) // read before the change
	if err != nil || !slices.Contains(to.Env, "NODE_OPTIONS=--require ./evil.js") || slices.Contains(to.Env, "NODE_OPTIONS=--require ./other.js") {
		t.Errorf("%v, %q", err, to.Env)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	c, _, err := p.Pasted(entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := settings.TakeEnvFile(t.Context(), c.Servers[0]); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
}

// A variable whose value is sent is named, also one of a line that was pasted, which no shell has read.
func TestConsentTo_NamesVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("MY_SECRET", "invented-4711")
	for text, want := range map[string]string{
		`{"url":"http://a.test/mcp","headers":{"X-A":"${MY_SECRET}"}}`:                             "X-A: ${MY_SECRET}",
		`{"mcpServers":{"a":{"url":"http://a.test/mcp","headers":{"X-A":"${env:MY_SECRET}"}}}}`:    "X-A: ${env:MY_SECRET}",
		`codex mcp add a --url http://a.test/mcp --bearer-token-env-var MY_SECRET`:                 "Authorization: Bearer ${MY_SECRET}",
		`claude mcp add --transport http a http://a.test/mcp --header "Authorization: $MY_SECRET"`: "Authorization: ${MY_SECRET}",
		`claude mcp add --transport http a "http://a.test/mcp?q=$MY_SECRET"`:                       "?q=${MY_SECRET}",
		`claude mcp add a -- sh -c "curl http://a.test/$MY_SECRET"`:                                "http://a.test/${MY_SECRET}",
	} {
		s := pastedEntry(t, text)
		_, c := target.ConsentTo(s, "x", nil)
		all := strings.Join(c.Lines, "\n")
		for _, f := range c.Facts {
			all += "\n" + f.Text
		}
		if !strings.Contains(all, want) || strings.Contains(all, "invented") {
			t.Errorf("%s: %s", text, all)
		}
	}
}

// The question names the credentials of the user that are sent to the URL of an entry, shows none of
// them, and is asked again when there are others. An entry that is a command, or that authorizes itself,
// gets no token.
func TestConsentTo_NamesCredentials(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("MCPTEA_TOKEN", "invented-4711")
	t.Setenv("MCPTEA_CLIENT_SECRET", "invented-4712")
	const plain, own = `{"url":"http://a.test/mcp"}`, `{"url":"http://a.test/mcp","headers":{"authorization":"Bearer ${X}"}}`
	for _, c := range []struct {
		entry string
		args  []string
		want  []string
	}{
		{plain, nil, []string{"Authorization: Bearer $MCPTEA_TOKEN"}},
		{plain, []string{"--token", "invented-4713"}, []string{"Authorization: Bearer, the token of --token"}},
		{plain, []string{"-H", "X-Key: invented-4714"}, []string{"the header X-Key of -H", "Authorization: Bearer $MCPTEA_TOKEN"}},
		{plain, []string{"-H", "Authorization: invented-4714"}, []string{"the header Authorization of -H"}},
		{plain, []string{"-H", "Authorization:"}, nil},
		{plain, []string{"--client-id", "me"}, []string{"Authorization: Bearer $MCPTEA_TOKEN", "$MCPTEA_CLIENT_SECRET, to the authorization server that it names"}},
		{plain, []string{"--client-id", "me", "--client-secret", "invented-4715"}, []string{"Authorization: Bearer $MCPTEA_TOKEN", "the secret of --client-secret, to the authorization server that it names"}},
		{plain, []string{"--client-id", "me", "--client-key", "k.pem"}, []string{"Authorization: Bearer $MCPTEA_TOKEN", "assertions of the OAuth client, signed with --client-key, to the authorization server that it names"}},
		// As from the environment: nothing says that the flag was given.
		{plain, []string{"--cert", "c.pem"}, []string{"Authorization: Bearer $MCPTEA_TOKEN", "the client certificate of $MCPTEA_CERT"}},
		{own, []string{"--client-id", "me"}, nil},
		{`codex mcp add a --url http://a.test/mcp --bearer-token-env-var MY_SECRET`, nil, nil},
		{`{"command":"node"}`, nil, nil},
	} {
		p, s := newTarget(t), pastedEntry(t, c.entry)
		cmd := &cobra.Command{Use: "x"}
		p.Flags.Auth.AddTo(cmd)
		p.Flags.TLS.AddTo(cmd)
		cmd.Flags().StringArrayVarP(&p.Flags.Headers, "header", "H", nil, "")
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		sent := p.Sent(s)
		if !slices.Equal(sent, c.want) {
			t.Errorf("%s %q: %q, want %q", c.entry, c.args, sent, c.want)
		}
		_, text := target.ConsentTo(s, "x", sent)
		for _, want := range c.want {
			if !hasFact(text, "sends", want) {
				t.Errorf("%s %q: %+v", c.entry, c.args, text.Facts)
			}
		}
		if strings.Contains(fmt.Sprint(text), "invented") {
			t.Errorf("%s %q: a secret is shown: %+v", c.entry, c.args, text)
		}
		if len(sent) > 0 {
			of := projectEntry(t, c.entry)
			if agreeTo(t, p, of); !target.IsAgreed(of, sent) || target.IsAgreed(of, nil) {
				t.Errorf("%s %q: it is not agreed to, or also without what is sent", c.entry, c.args)
			}
		}
		p.Flags = p.Flags.Elsewhere()
		if sent := p.Sent(s); len(sent) > 0 {
			t.Errorf("to another server %q", sent)
		}
	}
}

func jsonOf(text string) string { return `"` + strings.ReplaceAll(text, `\`, `\\`) + `"` }

func newTarget(t *testing.T) *target.Target {
	t.Helper()
	p := target.New(settings.New(app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)))
	p.Ctx, p.Flags.Transport = t.Context(), "auto"
	return p
}

// Variables that make programs run other code come first and are marked, with the reasons, also those of an env
// file; their values are whole, whatever they look like. They are the first facts in few rows too.
func TestConsentTo_MarksWhatRunsCode(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("x.env", []byte("B=2\nnode_options=--require ./evil.js\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := pastedEntry(t, `{"command":"node","cwd":"/srv","envFile":`+jsonOf(filepath.Join(dir, "x.env"))+`,"env":{"A":"1","BASH_ENV":"deadbeefdeadbeefdeadbeefdeadbeef","C":"3","LD_PRELOAD":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}`)
	_, c := target.ConsentTo(s, "x", nil)
	want := []string{"BASH_ENV=deadbeefdeadbeefdeadbeefdeadbeef", "LD_PRELOAD=ghp_abcdefghijklmnopqrstuvwxyz0123456789", "node_options=--require ./evil.js"}
	brief, ok := c.Brief()
	if !ok || len(brief.Facts) < 4 || brief.Facts[0].Text != "node" {
		t.Fatalf("%+v", brief)
	}
	for i, text := range want {
		for _, f := range []question.Fact{c.Facts[i], brief.Facts[i+1]} {
			if f.Text != text || f.Label != "runs code" || !f.Marked {
				t.Errorf("%d: %+v, want %s", i, f, text)
			}
		}
	}
	if len(c.Notes) != 3 || !strings.HasPrefix(c.Notes[0], "BASH_ENV: ") {
		t.Errorf("%q", c.Notes)
	}
	for _, f := range c.Facts {
		aside := f.Label == "entry" || f.Label == "file"
		if in := hasFact(brief, f.Label, f.Text); in == aside {
			t.Errorf("in few rows %s %s is shown: %v", f.Label, f.Text, in)
		}
	}
	for _, v := range []string{"A=1", "C=3", "B=2"} {
		if !hasFact(c, "env", v) {
			t.Errorf("%s is not shown", v)
		}
	}
	if !hasFact(c, "directory", "/srv") || !hasFact(c, "env file", filepath.Join(dir, "x.env")) {
		t.Errorf("%+v", c.Facts)
	}
}
