//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// crashedRecording writes a recording of a server that has named a file and ended.
func crashedRecording(t *testing.T, path, dir, file string) {
	t.Helper()
	text := fmt.Sprintf(`{"mcptea":2,"t":1795801922769045235,"tool":"test","transport":"stdio","target":"server"}
{"s":1,"t":1795801922769163921,"k":"connection","what":"opened","conn":1,"transport":"stdio","target":"server"}
{"s":2,"t":1795801922769426811,"k":"process","what":"started","pid":3307,"path":"/bin/server","argv":["server"],"dir":%s}
{"s":3,"t":1795801922770583714,"k":"out","id":1,"m":"initialize","n":46,"msg":{"jsonrpc":"2.0","id":1,"method":"initialize"}}
{"s":4,"t":1795801922871805096,"k":"err","text":%s}
{"s":5,"t":1795801922871805096,"k":"err","text":"Error: bad"}
{"s":6,"t":1795801922878955618,"k":"process","what":"exited","pid":3307,"code":1}
{"s":7,"t":1795801922879410603,"k":"step","step":"response","state":"failed","took":108773009,"detail":"initialize got no response: the server process exited with code 1 after 109 ms"}
{"s":8,"t":1795801922880730649,"k":"connection","what":"closed","conn":1}
`, jsonrpc.Quote(dir), jsonrpc.Quote(`  File "`+file+`", line 3, in <module>`))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A source file of a recording is given to the editor by an absolute path, without a question only
// if it is in the folder of the recording, and not at all if it is where the server did not run.
func TestOpen_SourceOfARecording(t *testing.T) {
	top := t.TempDir()
	report, project := filepath.Join(top, "report"), filepath.Join(top, "project")
	const odd = "+!touch PWNED.js"
	for _, dir := range []string{report, project} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, odd), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	given := filepath.Join(top, "given")
	editor := filepath.Join(top, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf '%s|' \"$@\" >>'"+given+"'\necho the editor runs\nread -r _\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	open := func(dir, file string) *terminal {
		t.Helper()
		crashedRecording(t, filepath.Join(report, "bug.mcptea.jsonl"), dir, file)
		_ = os.Remove(given)
		term := onTerminalWith(t, 2*deadline, []string{"sh", "-c", `cd "$0" && exec env VISUAL="$1" "$2" open bug.mcptea.jsonl`, report, editor, program(t)})
		term.shows("Connection failed")
		term.types("1")
		return term
	}
	edits := func(term *terminal) {
		t.Helper()
		term.shows("the editor runs")
		term.types("\r")
		term.shows("RECORDING")
	}
	want := func(term *terminal, want string) {
		t.Helper()
		term.types("q")
		if code := term.ends(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if got, _ := os.ReadFile(given); string(got) != want {
			t.Errorf("the editor got %q, want %q", got, want)
		}
	}

	term := open(report, odd)
	term.shows("in your editor")
	term.types("o")
	edits(term)
	want(term, "+3|"+filepath.Join(report, odd)+"|")

	term = open(project, odd)
	term.shows("in your editor")
	term.types("o")
	term.shows("Open this file?")
	term.shows("server ran in")
	term.shows("The recording names the file and the folder.")
	term.decides("Open this file?", "\x1b")
	want(term, "")

	term = open(project, odd)
	term.shows("in your editor")
	term.types("o")
	term.decides("Open this file?", "y")
	edits(term)
	want(term, "+3|"+filepath.Join(project, odd)+"|")

	term = open(project, filepath.Join(report, odd))
	term.types("o")
	term.shows("No line on stderr names a source file")
	if strings.Contains(term.text(), "in your editor") {
		t.Errorf("it is offered:\n%s", term.text())
	}
	want(term, "")
}
