package cli

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/spelling"
	"mcptea/internal/test/worker"
)

// A spelledRun is a command against a server whose spelling varies. {SERVER} is the TARGET and
// {REC} a recording of the server in this spelling.
type spelledRun struct {
	args string // separated by spaces
}

// spelledRuns are run one after another for each server.
var spelledRuns = []spelledRun{
	{args: `info {SERVER}`},
	{args: `info --as cursor {SERVER}`},
	{args: `list {SERVER}`},
	{args: `list tools --json {SERVER}`},
	{args: `call echo message=é/<x>&😀 --record {REC} {SERVER}`},
	{args: `call weather city=Lisbon --json {SERVER}`},
	{args: `call long-work steps=3 duration=0.1 --record {REC}-work {SERVER}`},
	{args: `call never-answer --timeout 2s --record {REC}-cancelled {SERVER}`}, // is cancelled
	{args: `call fail-protocol code=-32602 {SERVER}`},
	{args: `call nosuch {SERVER}`},
	{args: `read demo://greeting/Ada {SERVER}`},
	{args: `prompt code-review language=go {SERVER}`},
	{args: `complete code-review language=p {SERVER}`},
	{args: `send ping --id "a/é<b" {SERVER}`},
	{args: `send ping --id 9007199254740993 {SERVER}`},
	{args: `lint {REC}`},
	{args: `lint {REC}-work`},
	{args: `lint {REC}-cancelled`},
	{args: `export {REC}-work --to jsonl --filter method:notifications/progress`},
	{args: `export {REC}-work --to mermaid`},
	{args: `replay {REC} {SERVER}`},
	{args: `call echo message=é/<x>&😀 -- mcptea mock {REC}`},
	{args: `list tools -- mcptea mock {REC}`},
}

// spelledCheck is one more run, which takes seconds. It is without the probes that need a tool
// that takes a while, and without the one about back-pressure: on a busy machine any tool takes a while.
var spelledCheck = spelledRun{args: `check --protocol 2025-11-25 --seed 7 --skip P-087 --skip P-042 --skip P-107 {SERVER}`}

// varies are parts of an output that differ from run to run.
var varies = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9][0-9.,]*( ?)(µs|#181;s|ms|s|m|kB|MB|B)\b`), "0$1"},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?`), "TIME"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "127.0.0.1:0"},
	{regexp.MustCompile(`respell [0-9]+`), "respell"},
	{regexp.MustCompile(`(?m)^ *[a-z]* *← .*\n`), ""}, // evidence is shown as it was sent
	{regexp.MustCompile(`[0-9,]+ frames`), "0 frames"},
	{regexp.MustCompile(`"id":[0-9]+,"method"`), `"id":0,"method"`}, // counts frames before it
	{regexp.MustCompile(`(?m)^.*"k":"(http|process|connection)".*\n`), ""},
	{regexp.MustCompile(`(?m)^ +http +POST .*\n`), ""},
	{regexp.MustCompile(`  +`), " "},
	{regexp.MustCompile(`pid [0-9]+`), "pid 0"},
	{regexp.MustCompile(`process (exited with code 0|ended by SIGTERM)`), "process ended"}, // while every core is busy it may be too slow for the grace
}

func (r spelledRun) output(t *testing.T, dir, server, name string) string {
	t.Helper()
	args := strings.Fields(r.args)
	var all []string
	for _, arg := range args {
		switch arg = strings.ReplaceAll(arg, "{REC}", filepath.Join(dir, name)+".mcptea.jsonl"); arg {
		case "{SERVER}":
			all = append(all, strings.Split(server, "\x00")...)
		default:
			all = append(all, arg)
		}
	}
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", "MCPTEA_TOKEN_STORE=file", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
	o := runProgram(t, worker.Command{Args: all, Dir: dir, Env: env})
	text := strings.ReplaceAll(string(o.Stdout)+string(o.Stderr), filepath.Join(dir, name), "REC")
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		var value any
		if json.Unmarshal([]byte(line), &value) == nil { // values are compared, not their bytes
			plain, _ := json.Marshal(steady(value))
			lines[i] = string(plain) + "\n"
		}
	}
	text = strings.Join(lines, "")
	for _, v := range varies {
		text = v.pattern.ReplaceAllString(text, v.with)
	}
	return fmt.Sprintf("%sexit %d\n", text, o.Code)
}

// steady returns a value without the members of a recording that differ from run to run: times,
// sizes and processes.
func steady(value any) any {
	object, _ := value.(map[string]any)
	for name := range object {
		switch name {
		case "t", "s", "n", "pid", "start", "first", "took", "sent", "received", "argv", "Date":
			delete(object, name)
		default:
			object[name] = steady(object[name])
		}
	}
	return value
}

// sameOutput compares outputs. Where members come in another order, what is listed by them may
// do so, too.
func sameOutput(a, b string, reordered bool) bool {
	if reordered {
		return slices.Equal(wordsOf(a), wordsOf(b))
	}
	return a == b
}

// wordsOf are the words of a text in alphabetical order.
func wordsOf(text string) []string {
	return slices.Sorted(slices.Values(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' })))
}

// atOnce is the spelling of all things that need no other comparison of the output.
const atOnce = "all but the order"

// How a server writes its messages changes nothing of what a command prints.
func TestSpellings_Live(t *testing.T) {
	raced.Never(t, "hundreds of commands that differ in how the server writes its messages")
	t.Parallel()
	var tried []int                          // indexes of spelling.All
	for n := 1; n < len(spelling.All); n++ { // the first one changes nothing
		s := &spelling.All[n]
		if s.OnOneLine() && (s.Name == atOnce || s.Reorders() && s.Usual || *allSpellings) {
			tried = append(tried, n)
		}
	}
	dir := t.TempDir()
	at, stop, err := listening(dir, os.Environ(), "demo", "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	demo, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	// server is the TARGET in a spelling, over stdio and over HTTP.
	servers := map[string]func(t *testing.T, n int) string{
		"stdio": func(_ *testing.T, n int) string {
			return strings.Join([]string{"--", "respell", strconv.Itoa(n), "mcptea", "demo", "--serve"}, "\x00")
		},
		"http": func(t *testing.T, n int) string {
			proxy := httptest.NewServer(spelling.All[n].Proxy(demo))
			t.Cleanup(proxy.Close)
			return proxy.URL + demo.Path
		},
	}
	for over, server := range servers {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			runs := spelledRuns
			if over == "stdio" || *allSpellings { // of what takes long, one of the two is enough
				runs = append(runs[:len(runs):len(runs)], spelledCheck)
			}
			plain := server(t, 0)
			want := make([]string, len(runs))
			for i, run := range runs {
				want[i] = run.output(t, dir, plain, over)
			}
			for _, n := range tried {
				name := spelling.All[n].Name
				if name != atOnce && over == "stdio" && !*allSpellings {
					continue
				}
				t.Run(name, func(t *testing.T) {
					target := server(t, n)
					for k, run := range runs {
						if k == len(spelledRuns) && name != atOnce && !*allSpellings {
							continue
						}
						if got := run.output(t, dir, target, fmt.Sprint(over, n)); !sameOutput(got, want[k], spelling.All[n].Reorders()) {
							t.Errorf("mcptea %s\nprints\n%s\nwant\n%s", run.args, got, want[k])
						}
					}
				})
			}
		})
	}
}
