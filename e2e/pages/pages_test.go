//go:build unix

package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcptea/cli"
)

// TestMain makes this binary the program and each server when it is called as they are.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mcptea": func() { os.Exit(cli.Main("1.2.3")) },
		"node":   serve, "npx": serve, "my-server": serve, "docker": serve,
		"go": func() {}, // builds of servers
	})
}

// expectation is what a line of a page does. The zero value is a command that ends with
// exit code 0.
type expectation struct {
	lines *regexp.Regexp
	skip  string // why the line is not run
	codes []int  // exit codes other than 0 that are expected too
	// screen is a text of the screen: the command is run on a terminal until it is shown.
	screen string
	// serves is true for a command that listens until it is interrupted.
	serves bool
	// input is typed as the answer to a question, once screen is shown.
	input string
}

// expectations are of the lines that do more or less than end with exit code 0. The
// first match counts.
var expectations = []expectation{
	{lines: regexp.MustCompile(`^(git clone|go (run|test|install|build|vet) |CGO_ENABLED=0 go build|\.ci/run)`), skip: "builds or tests this project, as the test does that is running"},
	{lines: regexp.MustCompile(`^docker (build|run)`), skip: "needs Docker and its registry"},
	{lines: regexp.MustCompile(`^rm -rf `), skip: "removes the program that the other lines run"},
	{lines: regexp.MustCompile(`^claude mcp add`), skip: "needs Claude Code"},
	{lines: regexp.MustCompile(`^mcptea auth steps`), codes: []int{1}},  // the stand-in requires no token
	{lines: regexp.MustCompile(`^mcptea .* --attach`), codes: []int{2}}, // no inspector is running
	{lines: regexp.MustCompile(`^mcptea --theme mine demo`), screen: "echo"},
	{lines: regexp.MustCompile(`^mcptea( +#.*)?$`), screen: "cursor"},
	{lines: regexp.MustCompile(`^mcptea open .*--(hosts|save-client|stats)`)},
	{lines: regexp.MustCompile(`^mcptea open [^|]*(\.jsonl|\))`), screen: "RECORDING"},
	{lines: regexp.MustCompile(`^mcptea open( +#.*)?$`), screen: "stand-in"},
	{lines: regexp.MustCompile(`^mcptea servers unwrap all`)}, // the line before has restored it
	{lines: regexp.MustCompile(`^mcptea servers (un)?wrap`), screen: "[y/N]", input: "y\r"},
	{lines: regexp.MustCompile(`^mcptea (tap|mock) .*--listen`), serves: true},
	{lines: regexp.MustCompile(`^mcptea (--|https?:)`), screen: "search"},
	{lines: regexp.MustCompile(`^mcptea check`), codes: []int{1}},            // what is found is of the stand-in
	{lines: regexp.MustCompile(`--fault wrong-id`), codes: []int{1}},         // the response does not arrive
	{lines: regexp.MustCompile(`^mcptea lint bug\.frames`), codes: []int{1}}, // it has the finding
	{lines: regexp.MustCompile(`^mcptea diff`), codes: []int{1}},             // of two that differ
}

// substitutions shorten what lasts, and replace addresses by those of stand-ins.
var substitutions = []string{
	"--max-time 30s", "--max-time 30s --requests 20",
	"--rate 200", "--rate 200 --requests 20",
	"--fault wrong-id", "--fault wrong-id --timeout 300ms",
	"mcptea check --only tools --only 'P-02*'", "mcptea check --only P-001 --only 'P-024*'",
	"mcptea check --directory all --only '*'", "mcptea check --directory all --only 'P-001'",
	"mcptea check ", "mcptea check --only P-001 ",
	"./model.sh -- node server.js", "./model.sh -- mcptea demo --serve",
	"127.0.0.1:8080", "127.0.0.1:0",
	"--listen 8080", "--listen 0",
}

var block = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")

// commands returns the lines of the blocks of a page, continued lines joined, and the
// scripts that are whole blocks.
func commands(text string) (lines, scripts []string) {
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[1], "#!") {
			scripts = append(scripts, m[1])
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(m[1], "\\\n", " ")) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
	}
	return lines, scripts
}

func TestPages_CommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred processes")
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	made := recordings(t)
	used := make(map[*regexp.Regexp]bool)
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, scripts := commands(string(text))
		if len(lines) == 0 {
			continue
		}
		for _, line := range lines {
			used[expected(line).lines] = true
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if out, err := exec.CommandContext(t.Context(), "cp", "-a", made+"/.", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p := newPlace(t, dir, scripts)
			for _, line := range lines {
				t.Run(line, func(t *testing.T) { p.run(t, line) })
			}
		})
	}
	for _, e := range expectations {
		if !used[e.lines] {
			t.Errorf("no line of the pages matches %s", e.lines)
		}
	}
}

func expected(line string) expectation {
	for _, e := range expectations {
		if e.lines.MatchString(line) {
			return e
		}
	}
	return expectation{}
}
