package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/demo"
)

// called runs a command line as a function of this process, without input: the fastest way to
// test words, flags and texts. The configuration of the user is not read.
func called(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return calledIn(t, append(os.Environ(), "MCPTEA_CONFIG=off"), args...)
}

// calledIn is [called] in an environment.
func calledIn(t *testing.T, env app.Env, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	return calledOn(t, in, env, args...)
}

// calledOn is [calledIn] with an input.
func calledOn(t *testing.T, in *os.File, env app.Env, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir, err := t.TempDir(), error(nil)
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		if files[i], err = os.Create(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	code = newProgram(in, files[0], files[1], env).run(version, args)
	var texts [2]string
	for i, file := range files {
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return texts[0], texts[1], code
}

func TestRun_WordsAndFlags(t *testing.T) {
	for _, tt := range []struct {
		args   string // separated by spaces
		code   int
		stdout string // a part of it; empty for nothing on stdout
		stderr string
	}{
		{"version", app.ExitOK, "mcptea 1.2.3", ""},
		{"--version", app.ExitOK, "mcptea 1.2.3, go1.", ""},
		{"explain -- -32602", app.ExitOK, "Invalid params", ""},
		{"explain DIR-02", app.ExitOK, "judged       by mcptea", ""},
		{"explain -- -32602 --json", app.ExitUsage, "", "--json"},
		{"cal echo", app.ExitUsage, "", "call"},
		{"list tols http://127.0.0.1:1/mcp", app.ExitUsage, "", "The kinds are tools, resources"},
		{"lint no-such-file.jsonl", app.ExitUsage, "", "no such file or directory"},
		{"info --timeout soon http://127.0.0.1:1/mcp", app.ExitUsage, "", "--timeout"},
		{"info --assertion x http://127.0.0.1:1/mcp", app.ExitUsage, "", "Add --grant jwt-bearer.\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			stdout, stderr, code := called(t, strings.Fields(tt.args)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, stream := range []struct{ name, got, want string }{{"stdout", stdout, tt.stdout}, {"stderr", stderr, tt.stderr}} {
				if !strings.Contains(stream.got, stream.want) || stream.want == "" && stream.got != "" {
					t.Errorf("%s is %q, want %q", stream.name, stream.got, stream.want)
				}
			}
		})
	}
}

// A command reads the environment that it was given, and not that of the process.
func TestRun_Environment(t *testing.T) {
	for _, name := range []string{"MCPTEA_TIMEOUT", "MCPTEA_CONFIG", "MCPTEA_RECORD_LIMIT", "SERVER_KEY"} {
		t.Setenv(name, "of the process")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("timeouts: {request: 9s}\nservers:\n  mine: http://127.0.0.1:1/mcp\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	twice, unknown := filepath.Join(t.TempDir(), "twice.yaml"), filepath.Join(t.TempDir(), "unknown.yaml")
	for path, text := range map[string]string{twice: "keys:\n  quit: [f]\n  follow: [f]\n", unknown: "keys:\n  folow: [f]\n"} {
		writeFile(t, path, text)
	}
	for _, tt := range []struct {
		name   string
		env    app.Env
		args   string // separated by spaces
		code   int
		stdout string // a part of it; empty for nothing on stdout
		stderr string
	}{
		{"no variable", app.Env{"MCPTEA_CONFIG=off"}, "config --json", app.ExitOK, `{"key":"timeouts.request","value":"1m0s","origin":"default"}`, ""},
		{"a variable", app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TIMEOUT=7s"}, "config --json", app.ExitOK, `{"key":"timeouts.request","value":"7s","origin":"environment","name":"MCPTEA_TIMEOUT"}`, ""},
		{"the last of a name counts", app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TIMEOUT=7s", "MCPTEA_TIMEOUT=8s"}, "config --json", app.ExitOK, `"value":"8s","origin":"environment"`, ""},
		{"a flag precedes", app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TIMEOUT=7s"}, "config --json --timeout 5s", app.ExitOK, `{"key":"timeouts.request","value":"5s","origin":"flag","name":"--timeout"}`, ""},
		{"the file", app.Env{"MCPTEA_CONFIG=" + file}, "config --json", app.ExitOK, `{"key":"timeouts.request","value":"9s","origin":"file","name":` + jsonOf(t, file+":1") + `}`, ""},
		{"a variable precedes the file", app.Env{"MCPTEA_CONFIG=" + file, "MCPTEA_TIMEOUT=7s"}, "config --json", app.ExitOK, `"value":"7s","origin":"environment"`, ""},
		{"the path of the file", app.Env{"MCPTEA_CONFIG=" + file}, "config path", app.ExitOK, file + "\n", ""},
		{"no file", app.Env{"MCPTEA_CONFIG=off"}, "config path", app.ExitError, "", "it is disabled"},
		{"a wrong value", app.Env{"MCPTEA_CONFIG=off", "MCPTEA_RECORD_LIMIT=much"}, "config", app.ExitUsage, "", `MCPTEA_RECORD_LIMIT: "much" is not a size`},
		{"a key that is bound twice", app.Env{"MCPTEA_CONFIG=" + twice}, "config", app.ExitUsage, "", twice + `:3: keys: "f" is bound to two commands: quit and follow (everywhere)`},
		{"an unknown command", app.Env{"MCPTEA_CONFIG=" + unknown}, "config", app.ExitUsage, "", unknown + `:2: keys: unknown command "folow": did you mean "follow"?`},
		{"names of servers", app.Env{"MCPTEA_CONFIG=" + file}, "__complete list --server mi", app.ExitOK, "mine\thttp://127.0.0.1:1/mcp\n", "Completion ended"},
		{"methods", app.Env{"MCPTEA_CONFIG=off"}, "__complete send events/", app.ExitOK, "events/poll\nevents/stream\nevents/subscribe\n", "Completion ended"},
		{"methods of notifications", app.Env{"MCPTEA_CONFIG=off"}, "__complete send --notification notifications/c", app.ExitOK, "notifications/cancelled\n", "Completion ended"},
		{"a variable to pass on that is not set", app.Env{"MCPTEA_CONFIG=off"}, "info -e SERVER_KEY -- no-such-server", app.ExitUsage, "", "-e SERVER_KEY: the variable is not set in the environment of mcptea"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := calledIn(t, tt.env, strings.Fields(tt.args)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, stream := range []struct{ name, got, want string }{{"stdout", stdout, tt.stdout}, {"stderr", stderr, tt.stderr}} {
				if !strings.Contains(stream.got, stream.want) || stream.want == "" && stream.got != "" {
					t.Errorf("%s is %q, want %q", stream.name, stream.got, stream.want)
				}
			}
		})
	}
}

func jsonOf(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Commands with a server, both in this process. The token is that of the environment of the run.
func TestRun_CallsAServer(t *testing.T) {
	t.Setenv("MCPTEA_TOKEN", "of-the-process")
	server := demo.New(demo.Options{}).HandlerContext(t.Context())
	var mu sync.Mutex
	headers := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		headers[r.Header.Get("Authorization")] = true
		mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	defer s.Close()
	env := app.Env{"MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off"}
	for _, tt := range []struct {
		name   string
		env    app.Env
		args   []string
		code   int
		stdout string // a part of it; empty for nothing on stdout
		stderr string
		header string
	}{
		{"call", env, []string{"call", "echo", "message=hello"}, app.ExitOK, "hello", "", ""},
		{"call with a token", append(env, "MCPTEA_TOKEN=of-the-run"), []string{"call", "echo", "message=hello", "--json"}, app.ExitOK, `"text":"hello"`, "", "Bearer of-the-run"},
		{"list of names", env, []string{"list", "tools", "--jq", ".tools[] | .name"}, app.ExitOK, "echo", "", ""},
		{"unknown tool", env, []string{"call", "ecko", "message=hello"}, app.ExitUsage, "", "Did you mean echo?", ""},
		{"arguments of a wrong type", env, []string{"call", "echo", "message:=1"}, app.ExitUsage, "", "message", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mu.Lock()
			clear(headers)
			mu.Unlock()
			stdout, stderr, code := calledIn(t, tt.env, append(tt.args, s.URL+"/mcp")...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || tt.stdout == "" && stdout != "" || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, want %d\nstdout %q, want %q\nstderr %q, want %q", code, tt.code, stdout, tt.stdout, stderr, tt.stderr)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(headers) != 1 || !headers[tt.header] {
				t.Errorf("the Authorization headers are %v, want %q", headers, tt.header)
			}
		})
	}
}

// What the shell proposes as a value of a flag is one.
func TestComplete_ValuesAreAccepted(t *testing.T) {
	for _, flag := range []string{"--answer", "--protocol"} {
		stdout, _, code := called(t, "__complete", "info", flag, "")
		values := strings.Split(stdout, "\n:")[0]
		if code != app.ExitOK || len(strings.Fields(values)) < 3 {
			t.Errorf("%s: exit code %d, proposals %q", flag, code, values)
		}
		for line := range strings.Lines(values) {
			value, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			_, stderr, code := called(t, "info", flag, value, "--", "no-such-program")
			if code != app.ExitConnect && !strings.Contains(stderr, "=ask requires the inspector") {
				t.Errorf("%s %s: exit code %d, %s", flag, value, code, stderr)
			}
		}
	}
}

// commandSentences lists the commands with what the help says of each in a sentence.
func commandSentences(c *cobra.Command) string {
	text := c.CommandPath() + "\t" + c.Short + "\n"
	for _, sub := range c.Commands() {
		text += commandSentences(sub)
	}
	return text
}

func TestHelp_SentenceOfEachCommand(t *testing.T) {
	const file = "testdata/commands.golden"
	got := commandSentences(Commands())
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the commands differ from %s; look at it, then run go test ./cli -run TestHelp_Sentence -update:\n%s", file, diff)
	}
}

// A flag for a format that a command lacks is answered with the flag that the command has for it.
func TestFlagHint_NamesTheFormatFlag(t *testing.T) {
	for args, want := range map[string]string{
		"export x --format har": "--to names the format: mcptea export --to FORMAT.",
		"export x --json":       "--to names the format: mcptea export --to FORMAT.",
		"list --format json":    "--json prints JSON",
	} {
		if _, stderr, code := called(t, strings.Fields(args)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s, want %q", args, code, stderr, want)
		}
	}
}
