package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// called runs a command line as a function of this process, without input: the fastest way to
// test words, flags and texts. The configuration of the user is not read.
func called(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("MCPTEA_CONFIG", "off")
	dir := t.TempDir()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		if files[i], err = os.Create(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	code = Run("1.2.3", in, files[0], files[1], args)
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
		{"--version", app.ExitOK, "mcptea version 1.2.3", ""},
		{"explain -- -32602", app.ExitOK, "Invalid params", ""},
		{"explain -- -32602 --json", app.ExitUsage, "", "--json"},
		{"cal echo", app.ExitUsage, "", "call"},
		{"list tols http://127.0.0.1:1/mcp", app.ExitUsage, "", "The kinds are tools, resources"},
		{"lint no-such-file.jsonl", app.ExitUsage, "", "no such file or directory"},
		{"info --timeout soon http://127.0.0.1:1/mcp", app.ExitUsage, "", "--timeout"},
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
