//go:build linux

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// crashed is the recording of a server that ends in the last call, and the server.
func crashed(t *testing.T) (file string, server []string) {
	t.Helper()
	others(t)
	if _, err := exec.LookPath("node"); err != nil {
		lacks(t, "node: %v", err)
	}
	server = []string{"node", filepath.Join(root(t), "e2e/testdata/crash/server.mjs")}
	return recordScript(t, "list tools\ncall divide a=6 b=2\n! call divide a=1 b=0\n", server, "--protocol", "2025-11-25"), server
}

// By command: the branch ends before the call that crashed the server.
func TestContinue_Crash(t *testing.T) {
	file, server := crashed(t)
	made := filepath.Join(t.TempDir(), "branch.mcptea.jsonl")
	r := mcptea(t, onTarget(server, "open", file, "--continue", "--allow", "divide", "--record", made)...)
	r.exits(t, 0)
	for _, want := range []string{"tools/call divide  frame 8: not sent: the recording has no response", "4 requests: 3 equal, 1 not compared"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, r.stderr)
		}
	}
	listed := mcptea(t, "open", "--json", filepath.Dir(made))
	if !strings.Contains(listed.stdout, `"branch":"`+filepath.Base(file)+`"`) {
		t.Errorf("the list does not say where the branch came from:\n%s", listed.stdout)
	}
}

// By keys: from the call that crashed the server, branched twice, compared, and sent with
// other arguments in the composer.
func TestContinue_Keys(t *testing.T) {
	file, server := crashed(t)
	term := onTerminal(t, onTarget(server, "open", file, "--continue", "--until", "8", "--allow", "divide", "--record", filepath.Join(t.TempDir(), "a.mcptea.jsonl"))...)
	term.shows("branch A of")
	term.shows("the session is live from")
	term.shows("3 equal")
	term.types("r")
	term.shows("branch B of")
	term.shows("● live  3 equal")
	term.types("d")
	term.shows("No differences")
	term.types("q")
	term.shows("the session is live from")
	term.types("e")
	term.shows("Compose")
	term.shows("divide")
	term.types("\x03\x03")
	term.ends()
}

// A recorded session of server-memory, continued twice with a memory of their own: the
// branches are equal, and differ from one without the call that writes.
func TestContinue_ServerMemory(t *testing.T) {
	server := peer(t, "@modelcontextprotocol/server-memory/dist/index.js")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name+".mcptea.jsonl") }
	memory := func(name string) []string {
		return []string{"-e", "MEMORY_FILE_PATH=" + filepath.Join(dir, name+".json")}
	}
	file := recordScript(t, `
list tools
call create_entities {"entities":[{"name":"Ada","entityType":"person","observations":["writes"]}]}
call read_graph
call search_nodes query=Ada
`, server, memory("recorded")...)
	goOn := func(name string, code int, flags ...string) {
		args := append([]string{"open", file, "--continue", "--record", at(name)}, append(flags, memory(name)...)...)
		r := mcptea(t, onTarget(server, args...)...)
		if r.exits(t, code); r.code != code {
			t.FailNow()
		}
	}
	goOn("a", 0, "--allow", "create_entities")
	goOn("b", 0, "--allow", "create_entities")
	goOn("c", 1, "--only-read-only")
	mcptea(t, "diff", at("a"), at("b")).exits(t, 0)
	r := mcptea(t, "diff", at("a"), at("c"))
	r.exits(t, 1)
	if !strings.Contains(r.stdout, "read_graph") {
		t.Errorf("the branches do not differ in what was written:\n%s", r.stdout)
	}
}

// By keys: the call that writes is asked about and sent, or left out; two branches of the same
// frame, which differ in what was written, are compared.
func TestContinue_ServerMemoryByKeys(t *testing.T) {
	server := peer(t, "@modelcontextprotocol/server-memory/dist/index.js")
	dir := t.TempDir()
	file := recordScript(t, `
list tools
call create_entities {"entities":[{"name":"Ada","entityType":"person","observations":["writes"]}]}
call read_graph
`, server, "-e", "MEMORY_FILE_PATH="+filepath.Join(dir, "recorded.json"))
	term := onTerminal(t, onTarget(server, "open", file, "--continue", "-e", "MEMORY_FILE_PATH="+filepath.Join(dir, "branches.json"), "--record", filepath.Join(dir, "a.mcptea.jsonl"))...)
	term.decides("Send this call again?", "\x1b")
	term.shows("1 not compared")
	term.types("r")
	term.decides("Send this call again?", "y")
	term.shows("branch B of")
	term.shows("● live")
	term.types("d")
	term.shows("create_entities")
	term.types("q")
	term.shows("● live")
	term.types("\x03\x03")
	term.ends()
}
