package remedy_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/test/certtest"
	"mcptea/session/explain/failure"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

const remedySecret = "sekrit-0123456789"

func remedyText(t *testing.T, r remedy.Run) string {
	t.Helper()
	text, err := r.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the line says is what is used, and a line that is not changed changes nothing.
func TestRemedy_LineIsReadAsItIsWritten(t *testing.T) {
	stdio := session.Link{Target: client.Target{Argv: []string{"node", "server.js", "--key=" + remedySecret}, Env: []string{"PATH=/bin", "MODE=test"}}}
	web := session.Link{Target: client.Target{URL: "http://localhost:3000/mcp", Header: http.Header{"X-Api-Key": {remedySecret}}, Private: []string{remedySecret}}}
	for name, tt := range map[string]struct {
		link  session.Link
		flags []shell.Flag
		line  string // that is typed; empty for the one that is there
		want  string // of the next line
		fails string
		check func(l session.Link) bool
	}{
		"command as it is": {link: stdio, flags: []shell.Flag{{Name: "env", Value: "MODE=test"}}, want: "--env MODE=test node server.js --key=", check: func(l session.Link) bool {
			return slices.Equal(l.Target.Argv, stdio.Target.Argv)
		}},
		"variable": {link: stdio, line: `-e A="b c" node x.js`, want: `--env 'A=b c' node x.js`, check: func(l session.Link) bool {
			return slices.Contains(l.Target.Env, "A=b c") && slices.Equal(l.Target.Argv, []string{"node", "x.js"})
		}},
		"variable that is left out": {link: stdio, flags: []shell.Flag{{Name: "env", Value: "MODE=test"}}, line: "node x.js", want: "node x.js", check: func(l session.Link) bool {
			return !slices.Contains(l.Target.Env, "MODE=test")
		}},
		"variable whose name begins another one": {link: session.Link{Target: client.Target{Argv: []string{"node", "x.js"}, Env: []string{"MODE=test", "MODES=two", "OTHER=3"}}}, flags: []shell.Flag{{Name: "env", Value: "MODE=test"}}, line: "node x.js", want: "node x.js", check: func(l session.Link) bool {
			return slices.Equal(l.Target.Env, []string{"MODES=two", "OTHER=3"})
		}},
		"directory": {link: stdio, line: "--cwd / --protocol 2025-06-18 node x.js", want: "--cwd / --protocol 2025-06-18 node x.js", check: func(l session.Link) bool {
			return l.Target.Dir == "/" && l.Client.Revision == "2025-06-18"
		}},
		"dashes": {link: stdio, line: "-- -x y", want: "-- -x y"},
		"URL as it is": {link: web, flags: []shell.Flag{{Name: "header", Value: "X-Api-Key: " + remedySecret}}, want: "http://localhost:3000/mcp", check: func(l session.Link) bool {
			return l.Target.Header.Get("X-Api-Key") == remedySecret
		}},
		"header": {link: web, line: `-H "A: b" --transport sse http://localhost/sse`, want: `http://localhost/sse`, check: func(l session.Link) bool {
			return l.Target.Header.Get("A") == "b" && l.Target.Transport == client.TransportSSE
		}},
		"command in the place of a URL": {link: web, line: "node x.js", want: "node x.js", check: func(l session.Link) bool { return l.Target.IsStdio() }},
		"no target":                     {link: stdio, line: "--cwd /", fails: "type a command line or a URL"},
		"quotes":                        {link: stdio, line: `node "x`, fails: `the closing " is missing`},
		"unknown flag":                  {link: stdio, line: "--record x node", fails: "cannot be changed here"},
		"flag of a URL":                 {link: stdio, line: "-H A:b node", fails: "--header is for a server over HTTP"},
		"bad version":                   {link: stdio, line: "--protocol 1 node", fails: "unknown protocol version"},
		"bad URL":                       {link: web, line: "http:///x", fails: "has no host"},
	} {
		t.Run(name, func(t *testing.T) {
			r := remedy.NewRun(tt.link, tt.flags)
			line := tt.line
			if line == "" {
				line = remedyText(t, r)
			}
			next, err := r.Parse(line)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("%v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text := remedyText(t, next)
			if !strings.Contains(text, tt.want) || strings.Contains(text, remedySecret) {
				t.Errorf("the line is %s", text)
			}
			if tt.check != nil && !tt.check(next.Link) {
				t.Errorf("the link is %+v", next.Link)
			}
			if tt.line == "" && next.Changed(r) != "" {
				t.Errorf("changed: %s", next.Changed(r))
			}
		})
	}
}

// What a setting does not accept says how it is written.
func TestRemedy_SettingsThatAreWrong(t *testing.T) {
	stdio, web := session.Link{Target: client.Target{Argv: []string{"node"}}}, session.Link{Target: client.Target{URL: "https://a.test/mcp"}}
	for _, c := range []struct {
		link        session.Link
		name, value string
		want        string
	}{
		{stdio, "env", "A", "write it as -e NAME=VALUE"},
		{stdio, "env", "=b", "write it as -e NAME=VALUE"},
		{web, "header", "A", `write it as -H "Name: value"`},
		{web, "transport", "ws", "the transports are auto, http and sse"},
		{web, "protocol", "1", `unknown protocol version "1"`},
		{web, "timeout", "0s", "write a time as 500ms, 10s or 2m"},
		{web, "connect-timeout", "-1s", "write a time as 500ms, 10s or 2m"},
		{web, "trust", "ab", "this is not the SHA-256 of a certificate"},
		{web, "client-id", "me", "a token or a header authorizes: there is no OAuth"},
		{web, "cwd", "/", "--cwd is for a server over stdio"},
		{web, "record", "x", "--record cannot be changed here"},
	} {
		if _, err := remedy.NewRun(c.link, nil).With(c.name, c.value); err == nil || err.Error() != c.want {
			t.Errorf("--%s %s: %v, want %s", c.name, c.value, err, c.want)
		}
	}
}

// A setting is in the link that is used next, and gone when it is taken back.
func TestRemedy_SettingsAreUsed(t *testing.T) {
	web := session.Link{Target: client.Target{URL: "https://a.test/mcp"}}
	for _, c := range []struct {
		name, value string
		holds       func(l session.Link) bool
	}{
		{"timeout", "1ms", func(l session.Link) bool { return l.Client.Timeout == time.Millisecond }},
		{"connect-timeout", "90s", func(l session.Link) bool { return l.Client.ConnectTimeout == 90*time.Second }},
		{"protocol", "2025-06-18", func(l session.Link) bool { return l.Client.Revision == "2025-06-18" }},
		{"transport", "sse", func(l session.Link) bool { return l.Target.Transport == client.TransportSSE }},
		{"tls-server-name", "b.test", func(l session.Link) bool { return l.Target.TLS.ServerName == "b.test" }},
		{"token", "t0k", func(l session.Link) bool { return l.Target.Header.Get("Authorization") == "Bearer t0k" }},
		{"lenient", "true", func(l session.Link) bool { return l.Client.Lenient }},
		{"trust", strings.Repeat("ab", 32), func(l session.Link) bool { return l.Target.TLS.Trusted.SHA256[31] == 0xab }},
	} {
		r, err := remedy.NewRun(web, nil).With(c.name, c.value)
		if err != nil || !c.holds(r.Link) {
			t.Errorf("--%s %s: %v, %+v", c.name, c.value, err, r.Link)
		}
		line, want := remedyText(t, r), "--"+c.name+" "+c.value+" "
		switch c.name {
		case "token":
			want = `--token "$MCPTEA_TOKEN" `
		case "lenient":
			want = "--lenient "
		case "trust":
			want = "https:"
		}
		if !strings.HasPrefix(line, want) {
			t.Errorf("the line is %s, want %s", line, want)
		}
		if r, err = r.Parse("https://a.test/mcp"); err != nil || c.holds(r.Link) != (c.name == "trust") { // no line shows it
			t.Errorf("without --%s %s: %v, %+v", c.name, c.value, err, r.Link)
		}
	}
}

// explained is an explanation that advises one thing.
func explained(told failure.Remedy) failure.Explanation {
	told.Text = "Do it."
	return failure.Explanation{Causes: []failure.Candidate{{Remedy: told}}}
}

// What a failure advises is done by what its label says.
func TestRemedy_Labels(t *testing.T) {
	stdio := session.Link{Target: client.Target{Argv: []string{"node", "x.js"}}}
	web := session.Link{Target: client.Target{URL: "https://a.test/mcp"}}
	plain, here := session.Link{Target: client.Target{URL: "http://a.test/mcp"}}, session.Link{Target: client.Target{URL: "https://127.0.0.1:3000/mcp"}}
	for _, c := range []struct {
		link  session.Link
		told  failure.Remedy
		want  string // the label, and the flag as it is written
		value string
	}{
		{stdio, failure.Remedy{Action: failure.ActionVariable, Value: "API_KEY is not set"}, "set API_KEY|-e API_KEY=…", ""},
		{stdio, failure.Remedy{Action: failure.ActionCommand, Value: "npx"}, "correct the command|", "npx x.js"},
		{session.Link{Target: client.Target{Argv: []string{"docker", "run", "--rm", "img"}}}, failure.Remedy{Action: failure.ActionCommand, Value: "docker run -i"}, "correct the command|", "docker run -i --rm img"},
		{stdio, failure.Remedy{Action: failure.ActionShell}, "run the command in a shell|", ""},
		{web, failure.Remedy{Action: failure.ActionHeader, Value: "x-key"}, `send the header X-Key|-H "X-Key: …"`, ""},
		{web, failure.Remedy{Action: failure.ActionURL}, "correct the URL|", "https://a.test/mcp"},
		{here, failure.Remedy{Action: failure.ActionScheme}, "correct the URL|", "http://127.0.0.1:3000/mcp"},
		{plain, failure.Remedy{Action: failure.ActionScheme}, "correct the URL|", "https://a.test/mcp"},
		{stdio, failure.Remedy{Action: failure.ActionVariable, Value: "PYTHONIOENCODING=utf-8"}, "set PYTHONIOENCODING=utf-8|-e PYTHONIOENCODING=utf-8", "utf-8"},
		{web, failure.Remedy{Action: failure.ActionNamed, Value: "https://a.test/v2?token=abc"}, "connect to https://a.test/v2?token=****|--url https://a.test/v2?token=****", "https://a.test/v2?token=abc"},
		{web, failure.Remedy{Action: failure.ActionProtocol, Value: "2025-03-26"}, "offer protocol version 2025-03-26|--protocol 2025-03-26", "2025-03-26"},
		{web, failure.Remedy{Action: failure.ActionTransport, Value: "sse"}, "use the transport sse|--transport sse", "sse"},
		{web, failure.Remedy{Action: failure.ActionWait}, "wait for a.test:443|", ""},
		{web, failure.Remedy{Action: failure.ActionTimeout}, "wait up to 2m|--timeout 2m", "2m"},
		{web, failure.Remedy{Action: failure.ActionConnectTimeout}, "wait up to 1m|--connect-timeout 1m", "1m"},
		{web, failure.Remedy{Action: failure.ActionAgain}, "connect again|", ""},
		{web, failure.Remedy{Action: failure.ActionLenient}, "continue past the violation|--lenient", "true"},
	} {
		all := remedy.Of(explained(c.told), remedy.NewRun(c.link, nil), errors.New("failed"))
		if len(all) != 1 || all[0].Label+"|"+all[0].FlagText() != c.want || all[0].Value != c.value {
			t.Errorf("%+v: %+v, want %s", c.told, all, c.want)
		}
	}
	// A guess is beside what the user has written, which the user corrects.
	guess := remedy.Of(explained(failure.Remedy{Action: failure.ActionURL, Value: "/sse"}), remedy.NewRun(web, nil), errors.New("failed"))
	if len(guess) != 2 || guess[0].Value != "https://a.test/mcp" || guess[1].Way != remedy.At || guess[1].Value != "https://a.test/sse" {
		t.Errorf("%+v", guess)
	}
	// The environment of the server is that of mcptea, with what is set.
	t.Setenv("MCPTEA_TEST_OWN", "1")
	next, err := remedy.NewRun(stdio, nil).With("env", "A=b=c")
	if err != nil || !slices.Contains(next.Link.Target.Env, "A=b=c") || !slices.Contains(next.Link.Target.Env, "MCPTEA_TEST_OWN=1") {
		t.Errorf("%v, %q", err, next.Link.Target.Env)
	}
	t.Setenv("MODE", "own")
	next, err = next.With("env", "MODE=test")
	if err == nil {
		next, err = next.Parse("node x.js")
	}
	if err != nil || slices.Contains(next.Link.Target.Env, "MODE=test") || !slices.Contains(next.Link.Target.Env, "MODE=own") || next.Changed(remedy.NewRun(stdio, nil)) != "" {
		t.Errorf("%v, %q", err, next.Link.Target.Env)
	}
	short := web
	short.Client.Timeout = 5 * time.Second
	all := remedy.Of(explained(failure.Remedy{Action: failure.ActionTimeout}), remedy.NewRun(short, nil), errors.New("failed"))
	if len(all) != 1 || all[0].Value != "10s" {
		t.Errorf("%+v", all)
	}
}

// A remedy never sets what is set, and never has what is sent go less protected than before: it is only
// told.
func TestRemedy_NothingThatIsThereOrProtectsLess(t *testing.T) {
	web := session.Link{Target: client.Target{URL: "https://a.test/mcp"}}
	given := web
	given.Client.Revision, given.Client.Lenient, given.Target.Transport = "2025-06-18", true, client.TransportSSE
	stdio := session.Link{Target: client.Target{Argv: []string{"python3", "x.py"}}}
	for name, c := range map[string]struct {
		link session.Link
		told failure.Remedy
	}{
		"https to http":                    {web, failure.Remedy{Action: failure.ActionScheme}},
		"https to http of the same server": {web, failure.Remedy{Action: failure.ActionNamed, Value: "http://a.test/mcp/"}},
		"https to http elsewhere":          {web, failure.Remedy{Action: failure.ActionNamed, Value: "http://b.test/mcp"}},
		"the same URL":                     {web, failure.Remedy{Action: failure.ActionNamed, Value: "https://a.test/mcp"}},
		"the same protocol":                {given, failure.Remedy{Action: failure.ActionProtocol, Value: "2025-06-18"}},
		"no protocol is given":             {web, failure.Remedy{Action: failure.ActionProtocol, Value: "auto"}},
		"the same transport":               {given, failure.Remedy{Action: failure.ActionTransport, Value: "sse"}},
		"no transport is given":            {web, failure.Remedy{Action: failure.ActionTransport, Value: "auto"}},
		"lenient already":                  {given, failure.Remedy{Action: failure.ActionLenient}},
	} {
		all := remedy.Of(explained(c.told), remedy.NewRun(c.link, nil), errors.New("failed"))
		if len(all) != 1 || all[0].Way != remedy.Told || all[0].Text != "Do it." {
			t.Errorf("%s: %+v", name, all)
		}
	}
	set, err := remedy.NewRun(stdio, nil).With("env", "PYTHONIOENCODING=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	if all := remedy.Of(explained(failure.Remedy{Action: failure.ActionVariable, Value: "PYTHONIOENCODING=utf-8"}), set, errors.New("failed")); len(all) != 1 || all[0].Way != remedy.Told {
		t.Errorf("the variable is set: %+v", all)
	}
}

// A certificate can be trusted where it is that of the target, and not that of its authorization server.
func TestRemedy_TrustIsOfTheTarget(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	server := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", nil)}, MinVersion: tls.VersionTLS12}, http.NotFoundHandler())
	defer server.Close()
	target := client.Target{URL: server.URL}
	s, err := session.Open(session.Config{Target: target, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	failed := s.Connect(t.Context())
	elsewhere := &transport.AuthorizationError{Status: &transport.StatusError{Method: "POST", URL: server.URL, Status: 401}, Err: failed}
	for _, c := range []struct {
		name    string
		target  client.Target
		failed  error
		offered bool
	}{
		{"the target", target, failed, true},
		{"its authorization server", target, elsewhere, false},
		{"a command", client.Target{Argv: []string{"node"}}, failed, false},
		{"another failure", target, errors.New("failed"), false},
	} {
		all := remedy.Of(explained(failure.Remedy{Action: failure.ActionTrust}), remedy.NewRun(session.Link{Target: c.target}, nil), c.failed)
		if len(all) != 1 || (all[0].Way == remedy.Agree && len(all[0].Value) == 64 && all[0].FlagText() == "--cacert FILE") != c.offered || c.offered != (all[0].Label != "") {
			t.Errorf("%s: %+v", c.name, all)
		}
	}
}

// A secret is a variable in a command that is copied.
func TestRemedy_CommandHasNoSecrets(t *testing.T) {
	r := remedy.NewRun(session.Link{Target: client.Target{Argv: []string{"node"}, Env: []string{"PATH=/bin"}}}, nil)
	r, err := r.Hidden("env", remedySecret, "API_KEY="+remedySecret)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := r.Command().For(shell.Bash); err != nil || text != `mcptea --env API_KEY="$API_KEY" -- node` {
		t.Errorf("%s, %v", text, err)
	}
}

// What was given for a server is not sent to another origin that it names, and its certificate is not
// trusted there.
func TestRemedy_ElsewhereGetsNothing(t *testing.T) {
	link := session.Link{Target: client.Target{URL: "https://a.test/mcp", Header: http.Header{"Authorization": {"Bearer " + remedySecret}}}}
	r, err := remedy.NewRun(link, []shell.Flag{{Name: "header", Value: "Authorization: Bearer " + remedySecret}}).With("trust", strings.Repeat("ab", 32))
	if err != nil || r.Link.Target.TLS.Trusted.Address != "a.test:443" || !r.InRun() {
		t.Fatalf("%v, %+v", err, r.Link.Target.TLS)
	}
	same, err := r.With("url", "https://a.test/other")
	if err != nil || same.Link.Target.TLS.Trusted.Address != "a.test:443" {
		t.Errorf("%v, %+v", err, same.Link.Target.TLS)
	}
	other, err := r.Elsewhere("https://b.test/mcp")
	if err != nil || len(other.Link.Target.Header) > 0 || other.Link.Target.TLS.Trusted.Address != "" || len(other.Flags()) > 0 {
		t.Errorf("%v, %+v, %v", err, other.Link.Target, other.Flags())
	}
}
