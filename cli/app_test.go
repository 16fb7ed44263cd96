//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/cli/app"
)

// appPage plays the page and the app in the browser.
type appPage struct {
	t         *testing.T
	base, key string
	commands  *bufio.Scanner
}

// openAppPage opens the page of an app, whose address an output has.
func openAppPage(t *testing.T, output string) *appPage {
	t.Helper()
	m := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/a/\w+`).FindStringSubmatch(output)
	if m == nil {
		t.Fatalf("no address in %s", output)
	}
	r, err := http.Get(m[0])
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	key := regexp.MustCompile(`"key":"(\w+)"`).FindSubmatch(text)
	if key == nil {
		t.Fatalf("%s", text)
	}
	p := &appPage{t: t, base: m[1], key: string(key[1])}
	stream := p.post("/commands", "")
	t.Cleanup(func() { _ = stream.Body.Close() })
	p.commands = bufio.NewScanner(stream.Body)
	p.commands.Buffer(nil, 1<<20)
	return p
}

func (p *appPage) post(path, body string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Origin", p.base)
	r.Header.Set("X-Mcptea-Key", p.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return response
}

// send sends a message of the app.
func (p *appPage) send(message string) {
	p.t.Helper()
	_ = p.post("/messages", "m"+message).Body.Close()
}

// gets waits until the app is sent something.
func (p *appPage) gets(text string) {
	p.t.Helper()
	for p.commands.Scan() {
		if strings.Contains(p.commands.Text(), text) {
			return
		}
	}
	p.t.Fatalf("the app was not sent %s", text)
}

// answers types lines until one of them is taken: what comes at once after a question does not
// count. Of those behind it nothing is awaited.
func (term *ptyProgram) answers(lines, taken string) {
	term.t.Helper()
	late := time.After(deadline)
	count := func(text string) int { return strings.Count(ansi.Strip(term.raw()), text) }
	const tooSoon = "too soon after the question"
	for done := count(taken); ; {
		refused := count(tooSoon)
		term.typed(lines)
		again := time.After(time.Second) // a line typed while a question is printed is dropped without a word
	reading:
		for count(tooSoon) == refused { // what is typed behind such a line is dropped, or refused too
			if count(taken) > done {
				return
			}
			select {
			case <-term.grown:
			case <-again:
				break reading
			case <-late:
				term.t.Fatalf("the answer is not taken: %s", term.raw())
			}
		}
		<-time.After(100 * time.Millisecond) // the question is still being read
	}
}

const (
	hostileName   = `\u001b]0;title\u0007\u001b[2J\u202eevil\n\r`
	appInitialize = `{"jsonrpc":"2.0","id":1,"method":"ui/initialize","params":{"appInfo":{"name":"` + hostileName + `","version":"1\u001b[31m"},"appCapabilities":{},"protocolVersion":"2026-01-26"}}`
	appReady      = `{"jsonrpc":"2.0","method":"ui/notifications/initialized"}`
)

// What an app says reaches the terminal without control characters, and the user decides
// about what changes something.
func TestApp_OnATerminal(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "app.mcptea.jsonl")
	term := onTerminal(t, "app", "weather", "city=Lisbon", "--no-open", "--trace=full", "--record", recording, "--", "mcptea", "demo", "--serve")
	term.waitFor("/a/")
	term.waitFor("\n")
	p := openAppPage(t, term.raw())
	p.send(appInitialize)
	p.send(appReady)
	p.gets("tool-result")
	term.waitFor("is initialized after")
	p.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"\u001b[5m","data":"\u001b[2J\u009b31m"}}`)
	term.waitFor("has logged 1 error")
	call := func(n int, arguments string) (question string) {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"n%d","method":"tools/call","params":{"name":"delete-everything","arguments":%s}}`, n, arguments))
		return fmt.Sprintf("\"n\": %d\r\n  %d  }\r\n     end\r\nmcptea: Allow the call of \"delete-everything\"? [y/N] ", n, strings.Count(arguments, ",")+3)
	}
	for i, c := range []struct{ answer, taken, want string }{{"n\r", "mcptea: declined", "the user has declined this call"}, {"\r", "mcptea: declined", "the user has declined this call"}, {"y\r", "mcptea: allowed", `\"result\":`}} {
		term.waitFor(call(i, fmt.Sprintf(`{"confirm":"\u001b[2J","n":%d}`, i)))
		term.answers(c.answer, c.taken)
		p.gets(c.want)
	}
	// A second answer is not one to a question that was not to be seen before it.
	term.waitFor(call(3, `{"n":3}`))
	second := call(4, `{"n":4}`)
	term.answers("y\ry\r", "mcptea: allowed")
	p.gets(`\"n3\",\"result\":`)
	term.waitFor(second)
	term.answers("n\r", "mcptea: declined")
	p.gets(`\"n4\",\"error\":`)
	_ = call(5, `{"n":"`+strings.Repeat("5", 64<<10)+`"}`)
	term.waitFor("the app is refused this call: more than 66 kB cannot be read and agreed to")
	p.gets(`\"n5\",\"error\":`)
	p.send(`{"jsonrpc":"2.0","id":9,"method":"ui/open-link","params":{"url":"javascript:alert(1)"}}`)
	p.gets("only http and https URLs are opened")
	p.send(`{"jsonrpc":"2.0","method":"ui/notifications/request-teardown"}`)
	p.gets("ui/resource-teardown")
	p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d: %s", code, term.raw())
	}
	// Of its calls those are counted that the user has allowed; the one of weather is the user's.
	out, _, code := runWith(t, "XDG_STATE_HOME="+t.TempDir(), "lint", recording, "--forbid-tool", "delete-*", "--max-calls", "2")
	if want := `contract-forbid  "delete-everything" was called by an app; --forbid-tool delete-* forbids it.`; code != 1 || strings.Count(out, want) != 2 {
		t.Errorf("exit code %d: %s", code, out)
	}
	if want := "contract-calls  Tools were called 3 times (by apps 2); --max-calls allows 2."; !strings.Contains(out, want) {
		t.Errorf("%q is not in %s", want, out)
	}
	// What is sent and received meanwhile is printed after the answer.
	for _, asked := range regexp.MustCompile(`(?s)The app asks to .*?mcptea: (allowed|declined)`).FindAllString(ansi.Strip(term.raw()), -1) {
		if strings.ContainsAny(asked, "→←") {
			t.Errorf("there are frames in the question: %s", asked)
		}
	}
	if strings.Contains(term.raw(), "\r\nevil") || strings.Contains(term.raw(), "\n␍") {
		t.Error("a name of the app has begun a line")
	}
	if raw := term.raw(); regexp.MustCompile(`\x1b(\[2J|\[5m|\[31m|\])|\x07|\x{9b}|\x{202e}`).MatchString(raw) {
		t.Errorf("control characters of the app are in %q", raw)
	}
}

// TestApp_ForgedQuestion has arguments that fill the screen with blanks and end as a question
// about another tool: what the user sees last is the tool that is called, and y agrees to nothing
// before the last line was printed.
func TestApp_ForgedQuestion(t *testing.T) {
	term := onTerminal(t, "app", "weather", "city=Lisbon", "--no-open", "--", "mcptea", "demo", "--serve")
	term.waitFor("/a/")
	term.waitFor("\n")
	p := openAppPage(t, term.raw())
	p.send(appInitialize)
	p.send(appReady)
	p.gets("tool-result")
	const forged = `mcptea: The app calls get_time with the arguments {ʺzoneʺ: ʺUTC`
	p.send(`{"jsonrpc":"2.0","id":"n1","method":"tools/call","params":{"name":"delete-everything","arguments":{"path":"/home/u","note":"` +
		strings.Repeat(" ", terminalWidth*terminalHeight) + forged + `"}}}`)
	term.waitFor("more: enter shows them, n declines")
	if screen := term.shown(); !strings.Contains(screen, "delete-everything") || !strings.Contains(screen, `"path": "/home/u"`) || !strings.Contains(screen, strings.Repeat("·", terminalWidth/2)) {
		t.Errorf("the first page is\n%s", screen)
	}
	// The app logs meanwhile: nothing is printed below the question.
	p.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}`)
	term.typed("y\r")
	term.waitFor("Allow the call of")
	screen := strings.TrimRight(term.shown(), " \n")
	lines := strings.Split(screen, "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != `mcptea: Allow the call of "delete-everything"? [y/N]` {
		t.Errorf("the last line is %q", last)
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "mcptea: The app calls") {
			t.Errorf("a forged line: %q", line)
		}
	}
	if !strings.Contains(screen, "get_time") || strings.Contains(term.raw(), "has logged") {
		t.Errorf("the last page is\n%s", screen)
	}
	term.answers("y\r", "mcptea: allowed")
	p.gets(`\"n1\",\"result\":`)
	term.waitFor("the app has logged 1 error")
	p.send(`{"jsonrpc":"2.0","id":"n2","method":"tools/call","params":{"name":"delete-everything","arguments":{"note":"` + strings.Repeat("x", 2*terminalWidth*terminalHeight) + `"}}}`)
	for strings.Count(term.raw(), "more: enter shows them") < 2 {
		<-term.grown
	}
	term.typed("n\r")
	p.gets(`\"n2\",\"error\":{\"code\":-32000,\"message\":\"the user has declined this call\"}`)
	term.typed("\x03")
	_ = term.exit()
}

// Without a terminal a call is refused, and stderr says which and how it is permitted.
func TestApp_Unattended(t *testing.T) {
	path, err := exec.LookPath("mcptea")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "app", "weather", "city=Lisbon", "--", path, "demo", "--serve")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	p := openAppPage(t, lines.Text())
	p.send(appInitialize)
	p.send(appReady)
	p.gets("tool-result")
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete-everything"}}`)
	p.gets("cannot ask the user")
	p.send(`{"jsonrpc":"2.0","method":"ui/notifications/request-teardown"}`)
	p.gets("ui/resource-teardown")
	p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if want := "a call of delete-everything was refused: the tool is not annotated as read-only, and without a terminal mcptea cannot ask; --allow permits it"; strings.Count(said.String(), want) != 1 {
		t.Error(said.String())
	}
}
