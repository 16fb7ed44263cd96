package target_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client"
)

// fitting is the value of --watch without one: what fits the target.
const fitting = "auto"

func TestFlags_WatchTakesWordsBesideTheTarget(t *testing.T) {
	for _, tt := range []struct{ watch, words, want, rest []string }{
		{watch: []string{fitting}, words: []string{"src", "lib"}, want: []string{"src", "lib"}},
		{watch: []string{"src", fitting}, words: []string{"lib"}, want: []string{"src", "lib"}},
		{watch: []string{fitting}, want: []string{fitting}},
		{watch: []string{"src"}, words: []string{"lib"}, want: []string{"src"}, rest: []string{"lib"}},
		{words: []string{"lib"}, rest: []string{"lib"}},
	} {
		f := target.New(settings.New(nil))
		f.Flags.Watch = tt.watch
		rest := f.TakeWatched(tt.words)
		if diff := cmp.Diff([][]string{tt.want, tt.rest}, [][]string{f.Flags.Watch, rest}); diff != "" {
			t.Errorf("--watch %q and the words %q (-want +got):\n%s", tt.watch, tt.words, diff)
		}
	}
}

func TestWatchedDir(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"src/server.js", "bin/server"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdio := func(words ...string) client.Target { return client.Target{Argv: words} }
	for _, tc := range []struct {
		name  string
		t     client.Target
		built bool
		want  string
	}{
		{"a script", stdio("node", filepath.Join("src", "server.js")), false, "src"},
		{"a script after flags", stdio("node", "--inspect", filepath.Join("src", "server.js"), "bin/server"), false, "src"},
		{"a program", stdio(filepath.Join(".", "bin") + string(filepath.Separator) + "server"), false, "bin"},
		{"a program that is built", stdio("./bin/server"), true, "."},
		{"a program of the system with a script", stdio(program, filepath.Join("src", "server.js")), false, "src"},
		{"a program of the system", stdio(program), false, "."},
		{"a package", stdio("npx", "-y", "some-server"), false, "."},
		{"another working directory", client.Target{Argv: []string{"node", "server.js"}, Dir: "src"}, false, "src"},
		{"another working directory without a script", client.Target{Argv: []string{"make", "run"}, Dir: "src"}, false, "src"},
		{"a URL", client.Target{URL: "http://127.0.0.1:3000/mcp"}, false, "."},
	} {
		p := newTarget(t)
		p.Flags.Watch = []string{fitting}
		if tc.built {
			p.Flags.Build = "true"
		}
		loop, closed, err := p.Reload(nil, tc.t, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		closed()
		want := tc.want + string(filepath.Separator)
		if tc.want == "." { // by its name
			want = filepath.Base(dir) + string(filepath.Separator)
		}
		if got := loop.State().Watching; got != want {
			t.Errorf("%s: %s, want %s", tc.name, got, want)
		}
	}
}
