//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/raced"
)

var clipboard = regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)`)

// copied presses keys and returns what they copy to the clipboard.
func (term *ptyProgram) copied(keys string) string {
	term.t.Helper()
	before := len(clipboard.FindAllString(term.raw(), -1))
	term.typed(keys)
	late := time.After(deadline)
	for {
		if all := clipboard.FindAllStringSubmatch(term.raw(), -1); len(all) > before {
			text, err := base64.StdEncoding.DecodeString(all[before][1])
			if err != nil {
				term.t.Fatal(err)
			}
			return string(text)
		}
		select {
		case <-term.grown:
		case <-late:
			term.t.Fatalf("%q copied nothing; there is %q", keys, term.raw())
		}
	}
}

// awaitScreen waits until the screen, as a terminal shows it, matches.
func (term *ptyProgram) awaitScreen(want string) {
	term.t.Helper()
	term.refuseEcho(want)
	match := regexp.MustCompile(want)
	late := time.After(deadline)
	for {
		screen := term.shown()
		if match.MatchString(screen) {
			return
		}
		select {
		case <-term.grown:
		case <-late:
			term.t.Fatalf("the screen never showed %s:\n%s", want, screen)
		}
	}
}

// shown is what the terminal shows now: whole frames, for a part of the next one is still another screen
// below. The emulator gets each part of the output once.
func (term *ptyProgram) shown() string {
	term.t.Helper()
	if term.emulator == nil {
		term.emulator = vt.NewEmulator(term.width, term.height)
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, term.emulator) // what the terminal answers
		}()
		term.t.Cleanup(func() {
			if c, ok := term.emulator.InputPipe().(io.Closer); ok {
				_ = c.Close()
			}
			<-drained
		})
	}
	output := term.raw()
	if begin := strings.LastIndex(output, ansi.SetModeSynchronizedOutput); begin >= term.fed && !strings.Contains(output[begin:], ansi.ResetModeSynchronizedOutput) {
		output = output[:begin]
	}
	_, _ = term.emulator.Write([]byte(output[term.fed:]))
	term.fed = len(output)
	return term.emulator.String()
}

func (term *ptyProgram) typed(keys string) {
	term.t.Helper()
	term.keys += keys
	if _, err := term.tty.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

const (
	keyEnter, keyTab   = "\r", "\t"
	keySend, keyResult = "\x13", "\x0f"
)

// A command that is copied must run in a real shell, and print what the
// inspector shows.
func TestCopiedCommand_PrintsTheSame(t *testing.T) {
	raced.ByNight(t, "starts a shell for each copied command; other tests race the same commands")
	t.Setenv("SHELL", "/bin/bash")
	for name, tc := range map[string]struct {
		tab, filter string
		fill        string // in the form
		want        string // of the text that is printed
	}{
		"tool":                {"2", "echo", `it's "$HOME" \ *`, `it's "$HOME" \ *`},
		"tool with structure": {"2", "weather", "Ghent", `"Ghent"`},
		"resource":            {"3", "table", "", "tea,degrees"},
		"template":            {"3", "numbers", "41" + keyTab + "43", "42"},
		"prompt":              {"4", "greeting", "Ada O'Neil", "Ada O'Neil"},
	} {
		t.Run(name, func(t *testing.T) {
			term := onTerminal(t, "--", "mcptea", "demo", "--serve")
			term.awaitScreen("1 skill") // the last of the lists
			term.typed(tc.tab + "/" + tc.filter + keyEnter)
			if tc.fill != "" {
				term.typed(keyEnter + tc.fill + "\x1b" + tc.tab) // alt with the number of the tab leads to its list
			}
			line := term.copied("y")
			if tc.fill != "" {
				term.typed(keyEnter + keySend)
			} else {
				term.typed(keyEnter)
			}
			term.awaitScreen(`(call|read|get) (id )?\d+ ok`)
			text := term.copied(keyResult + "y")
			raw := term.copied("v" + "y")
			term.quits()

			run := func(line string) string {
				cmd := exec.Command("bash", "--norc", "-c", line)
				cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				return string(out)
			}
			printed := run(line)
			if !strings.Contains(printed, tc.want) {
				t.Errorf("%s prints\n%s", line, printed)
			}
			if got, want := words(printed), words(text); got != want && !strings.HasSuffix(want, got) {
				t.Errorf("%s prints\n%s\nand the inspector shows\n%s", line, printed, text)
			}
			if got, want := run(strings.Replace(line, "mcptea ", "mcptea --json ", 1)), raw; !sameJSON(got, want) {
				t.Errorf("%s prints as JSON\n%s\nand the inspector shows\n%s", line, got, want)
			}
		})
	}
}

// words is a text without white space and without the brackets around headings.
func words(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if name, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "]"); ok && strings.HasPrefix(line, "[") {
			lines[i] = name + rest
		}
	}
	return strings.Join(strings.Fields(strings.Join(lines, "\n")), " ")
}

func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// The command of a tool with a hostile name is pasted into a bash on a terminal:
// no part of the name may run, and the tool must be called by its exact name.
func TestCopiedCommand_PasteRunsNothingElse(t *testing.T) {
	raced.ByNight(t, "starts a shell for each copied command; other tests race the same commands")
	t.Setenv("SHELL", "/bin/bash")
	for label, name := range map[string]string{
		"end of paste":  "a\x1b[201~\x03\rtouch pwned\r",
		"cancel":        "a\x03\x15touch pwned\n",
		"C1":            "a\u009b201~\u0003\rtouch pwned\r",
		"quotes":        "a'; touch pwned; '\\''\n$(touch pwned)`touch pwned`\"",
		"separators":    "a\u2028touch pwned\u2029\u0085touch pwned\u202e\u200b",
		"history":       "a!!; touch pwned",
		"looks as flag": "--tool=x\rtouch pwned\r",
	} {
		t.Run(label, func(t *testing.T) {
			quoted, err := json.Marshal(name)
			if err != nil {
				t.Fatal(err)
			}
			// The server takes its names as Go strings.
			server := strings.ReplaceAll(string(quoted[1:len(quoted)-1]), `\"`, `\x22`)
			term := onTerminal(t, "--", "namedserver", server)
			term.awaitScreen("Prompts 1")
			line := term.copied("2y")
			term.quits()
			if strings.ContainsFunc(line, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x202e }) {
				t.Fatalf("there are controls in %q", line)
			}
			for _, bracketed := range []bool{true, false} {
				called := pasteIntoBash(t, line, bracketed)
				got, _ := jsonrpc.Member(called, "name")
				if s, _ := jsonrpc.Unquote(got); s != name {
					t.Errorf("bracketed %v: %s calls %q, want %q; it printed %s", bracketed, line, s, name, called)
				}
			}
		})
	}
}

// pasteIntoBash pastes a command line into an interactive bash, enters it with
// its output sent to a file, and returns that.
func pasteIntoBash(t *testing.T, line string, bracketed bool) []byte {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("bash", "--norc", "--noprofile", "-i")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "PS1=ready>", "HISTFILE=", "INPUTRC=/dev/null", "GORACE=atexit_sleep_ms=0")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	term := &ptyProgram{t: t, width: terminalWidth, height: terminalHeight, cmd: cmd, tty: tty, grown: make(chan struct{}, 1), ended: make(chan struct{})}
	go term.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, unless the test has failed
		_ = tty.Close()
		<-term.ended
	})
	term.waitFor("ready>")
	start, end, mode := "", "", "off"
	if bracketed {
		start, end, mode = "\x1b[200~", "\x1b[201~", "on"
	}
	term.typed("bind 'set enable-bracketed-paste " + mode + "'; echo set-$?\r")
	term.waitFor("set-0")
	term.typed(start + line + end + " > out.json; echo ran-$?\r")
	term.awaitScreen(`ran-\d`)
	term.typed("exit\r")
	term.exit()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "out.json" {
		t.Errorf("%s leaves %v", line, entries)
	}
	called, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatalf("%v; the terminal shows %q", err, term.raw())
	}
	return called
}
