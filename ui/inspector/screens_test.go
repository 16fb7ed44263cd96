package inspector

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/termsvg"
	"mcptea/session/session"
	"mcptea/ui/keys"
)

// authorityRecording is the recording of mcptea auth serve; tests change the directory.
var authorityRecording, _ = filepath.Abs("testdata/authority.jsonl")

// screensDir has the pictures of the documentation. They are made again by
//
//	go test ./ui/inspector -run TestScreens -update
var screensDir = filepath.Join("..", "..", "docs", "screens")

// The sizes of the pictures: a small terminal, a usual one, a whole screen.
var screenSizes = [][2]int{{80, 24}, {120, 36}, {200, 60}}

// forecast are the responses of a server that exits in a call of its tool.
var forecast = map[string]string{
	"initialize":     `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"weather","version":"0.3.1"}}`,
	"ping":           `{}`,
	"tools/list":     `{"tools":[{"name":"forecast","description":"The weather of the next days in a city","inputSchema":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city"},"days":{"type":"integer","minimum":1,"maximum":7,"default":3}},"required":["city"]}},{"name":"alerts","description":"Current weather alerts","inputSchema":{"type":"object"}}]}`,
	"resources/list": `{"resources":[]}`, "resources/templates/list": `{"resourceTemplates":[]}`, "prompts/list": `{"prompts":[]}`,
}

// tracker are the responses of a server before and after an edit.
var edited = []map[string]string{
	trackerWith(`[{"name":"add_comment","inputSchema":{"type":"object"}},{"name":"search_issues","title":"Search","description":"Search issues.","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer","default":10}},"required":["repo","q"]}},{"name":"find_duplicates","description":"Issues that are alike.","inputSchema":{"type":"object"}},{"name":"list_labels","inputSchema":{"type":"object"}}]`),
	trackerWith(`[{"name":"add_comment","inputSchema":{"type":"object"}},{"name":"search_issues","title":"Search","description":"Search issues of one repository, newest first.","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"query":{"type":"string","minLength":1,"maxLength":256},"limit":{"type":"integer","default":20},"sort":{"enum":["created","updated"]}},"required":["repo","query"]}},{"name":"export_csv","description":"Issues as CSV.","inputSchema":{"type":"object"}},{"name":"list_labels","inputSchema":{"type":"object"}}]`),
}

func trackerWith(tools string) map[string]string {
	return map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"0.9.3"}}`,
		"ping":       `{}`, "tools/list": `{"tools":` + tools + `}`,
	}
}

// servesNext responds on each connection with the next of the results by method, see
// scripted, and from then on with the last.
func servesNext(results ...map[string]string) func(context.Context, io.Reader, io.Writer) error {
	var connections atomic.Int32
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		n := int(connections.Add(1)) - 1
		return scripted(results[min(n, len(results)-1)])(ctx, in, out)
	}
}

// picture is one screen of the documentation.
type picture struct {
	name, title string
	// Of fault, serve, next, dial, http and open at most one is set; none of them is the demo
	// server.
	fault string // of the demo server
	serve func(context.Context, io.Reader, io.Writer) error
	next  []map[string]string // the responses by method on one connection after another
	dial  func(client.Tap, client.Config) *client.Client
	http  bool   // a server that requires a token
	open  string // a recording
	keys  func(d *driver)
}

var pictures = []picture{
	{name: "demo", title: "The inspector on the demo server, connected", keys: func(*driver) {}},
	{name: "call", title: "A tool call that reports progress", keys: func(d *driver) {
		d.tool("long-work")
		d.command("call.send")
		d.sleep(3 * time.Second)
	}},
	{name: "result", title: "The result of a tool call", keys: func(d *driver) {
		d.tool("echo")
		d.press("hello")
		d.command("call.send")
	}},
	{name: "failure", title: "A server that exits instead of connecting", dial: dialProcess(func(p *process, in io.Reader, out io.Writer) int {
		reply(in, out, nil) // reads initialize and does not respond
		time.Sleep(140 * time.Millisecond)
		for line := range strings.Lines(moduleNotFound) {
			p.stderr(strings.TrimSuffix(line, "\n"))
		}
		return 1
	}, "node", "build/index.js"), keys: func(*driver) {}},
	{name: "crash", title: "A server that exits in the middle of a tool call", dial: dialProcess(func(p *process, in io.Reader, out io.Writer) int {
		p.stderr("weather 0.3.1 listening on stdio")
		if reply(in, out, forecast) == "" {
			return 0
		}
		time.Sleep(61 * time.Millisecond)
		for line := range strings.Lines(traceback) {
			p.stderr(strings.TrimSuffix(line, "\n"))
		}
		return 1
	}, "python", "-m", "weather"), keys: func(d *driver) {
		d.tool("forecast")
		d.press("Lisbon")
		d.command("call.send")
	}},
	{name: "changes", title: "What a restart changed, in the list until it is seen", next: edited, keys: func(d *driver) {
		d.tool("search_issues")
		d.press("golang/go<tab>panic parser<esc>")
		d.command("restart")
		d.sleep(time.Second)
	}},
	{name: "unauthorized", title: "A server over HTTP that responds 401", http: true, keys: func(*driver) {}},
	{name: "authority", title: "What a client has requested of mcptea auth serve", open: authorityRecording, keys: func(d *driver) {
		d.command(tabServer)
	}},
	{name: "composer", title: "A request in the composer", keys: func(d *driver) {
		d.selectTool("echo")
		d.command("compose.item")
	}},
	{name: "inbox", title: "A server request that waits for a response: elicitation", keys: func(d *driver) {
		d.call("ask-user", `{}`)
		d.command(tabInbox)
	}},
	{name: "problems", title: "Lint findings: rule, responsible side, fix", fault: "bad-schema", keys: func(d *driver) {
		d.command(tabProblems)
	}},
	{name: "frame", title: "A frame as a tree", keys: func(d *driver) {
		d.tool("echo")
		d.press("hello")
		d.command("call.send")
		d.command("result")
		d.command("frame")
	}},
	{name: "intercept", title: "A held call, edited", keys: func(d *driver) {
		d.command(tabTraffic)
		d.command("breakpoint")
		d.press("<ctrl+u>method:tools/call weather dir:out<enter>")
		d.command("breakpoint")
		d.press("<ctrl+u>method:sampling/*<enter>")
		d.palette("inject a fault")
		d.press("delay=300ms@50% method:tools/list<enter>")
		d.session.Start("tools/call", []byte(`{"name":"weather","arguments":{"city":"Lisbon"}}`))
		d.settle()
		d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"behind"}}`))
		d.sleep(9 * time.Second)
		d.command("edit")
		d.press("<ctrl+end><up><up><up><end><left>" + strings.Repeat("<backspace>", len("Lisbon")) + "Porto<ctrl+s>")
	}},
	{name: "export", title: "Exporting a session: formats with a preview", keys: func(d *driver) {
		d.call("echo", `{"message":"hello"}`)
		d.command(tabTraffic)
		d.command("export")
		d.press("<down><down><down><down><tab>")
	}},
	{name: "pins", title: "Pinned calls after a restart of the server", serve: screenTracker.serve, keys: func(d *driver) {
		pinAll(d)
		screenTracker.set("labels", `{"content":[],"structuredContent":{"total":3,"labels":[{"name":"bug","color":"d73a4a"},{"name":"parser","color":"1d76db"},{"name":"regression","color":"b60205"}],"updated_at":"2026-11-20T14:20:07Z"}}`)
		d.command("restart")
		screenTracker.set("labels", trackerLabels)
		d.command("pins")
		d.press("<home>")
	}},
	{name: "diff", title: "The differences of two frames", keys: func(d *driver) {
		d.call("weather", `{"city":"Lisbon"}`)
		d.call("weather", `{"city":"Oslo"}`)
		d.command(tabTraffic)
		d.press("<end>")
		d.command("mark")
		d.press("<up>")
		d.command("diff")
	}},
	{name: "timeline", title: "The requests in time: server requests under their call, latencies, phases", keys: func(d *driver) {
		d.call("echo", `{"message":"hello"}`)
		d.session.Start("tools/call", []byte(`{"name":"long-work","arguments":{},"_meta":{"progressToken":"p"}}`))
		d.sleep(2 * time.Second)
		d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
		d.sleep(time.Second)
		d.call("weather", `{"city":"Oslo"}`)
		d.command(tabTraffic)
		d.command("view")
		d.command("view")
	}},
	{name: "sequence", title: "The frames as a sequence diagram, one exchange with its JSON", keys: func(d *driver) {
		d.call("echo", `{"message":"hello"}`)
		d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
		d.sleep(time.Second)
		d.command(tabTraffic)
		d.command("view")
		d.command("view")
		d.command("view")
	}},
	{name: "result-markdown", title: "Markdown in the result of a tool call", keys: func(d *driver) {
		d.tool("content")
		d.command("call.send")
		d.command("result")
	}},
	{name: "result-image", title: "An image in a resource", keys: func(d *driver) {
		d.command(tabResources)
		d.command("filter")
		d.press("picture")
		d.command("filter.apply")
		d.command("item.open")
		d.command("result")
	}},
	{name: "policies", title: "Who responds to the requests of the server", keys: func(d *driver) {
		d.command(tabInbox)
		d.command("setting")
	}},
	{name: "commands", title: "The list of commands with their keys", keys: func(d *driver) {
		d.command("help")
	}},
}

const moduleNotFound = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/home/me/weather/build/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Module._load (node:internal/modules/cjs/loader:1051:27)
    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:173:12)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v22.4.1`

const traceback = `Traceback (most recent call last):
  File "/home/me/weather/weather/server.py", line 41, in forecast
    days = response["daily"]["time"][:days]
KeyError: 'daily'`

// selectTool selects a tool in the list.
func (d *driver) selectTool(name string) {
	d.command(tabTools)
	d.command("filter")
	d.press(name)
	d.command("filter.apply")
}

// tool opens the form of a tool.
func (d *driver) tool(name string) {
	d.selectTool(name)
	d.command("item.open")
}

// command presses the key of a command where the focus is, and waits.
func (d *driver) command(id string) {
	d.t.Helper()
	d.pressKeyOf(id)
	d.settle()
}

func (d *driver) pressKeyOf(id string) {
	d.t.Helper()
	cmd := d.model.Find(id)
	if cmd == nil {
		d.t.Fatalf("no command %s in %s", id, d.model.Focused().Section())
	}
	typing := d.model.Painted.Field() != nil
	names := slices.DeleteFunc(slices.Clone(d.model.Keys.Of(cmd)), func(k string) bool { return typing && keys.IsText(k) })
	if len(names) == 0 {
		d.t.Fatalf("no key for %s in %s", id, d.model.Focused().Section())
	}
	d.program.Send(pressKey(names[0]))
}

// capture copies the screen with its cursor.
func (d *driver) capture() termsvg.Screen {
	synctest.Wait()
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	d.term.emu.SetDefaultBackgroundColor(screenBackground)
	s := termsvg.Capture(d.term.emu)
	hideAddress(s, d.address)
	fixCommandCount(s, d.term.emu.String())
	if d.term.cursor {
		at := d.term.emu.CursorPosition()
		s.Cursor = &at
	}
	return s
}

// stopSpinners makes every frame of a spinner the same: how many frames there were depends on
// how the news came.
func stopSpinners(s termsvg.Screen, frames []string) {
	for _, frame := range frames {
		s.Replace(frame, frames[0])
	}
}

// screenBackground is that of the terminal in pictures. The default theme leaves the
// background to the terminal.
var screenBackground = color.RGBA{0x12, 0x14, 0x1c, 0xff}

// hideAddress replaces the port of a test server, which differs from run to run, also
// where the address is cut off.
func hideAddress(s termsvg.Screen, address string) {
	host, port, _ := strings.Cut(address, ":")
	const shown = "43110"
	if len(port) != len(shown) {
		return
	}
	s.Replace(address, host+":"+shown)
	for n := 1; n < len(port); n++ {
		s.Replace(host+":"+port[:n]+"…", host+":"+shown[:n]+"…")
	}
}

// run shows a picture at a size.
func (p picture) run(t *testing.T, w, h int, shown func(d *driver)) {
	t.Helper()
	script := func(d *driver) {
		p.keys(d)
		shown(d)
	}
	switch {
	case p.http:
		address := startUnauthorized(t)
		driveSession(t, w, h, session.Config{
			Target: client.Target{URL: "http://" + address + "/mcp"}, Record: "off", Lists: client.ListKinds, Lint: true,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125}, Authorization: &oauth.Config{},
		}, func(d *driver) {
			d.address = address
			script(d)
		})
	case p.open != "":
		driveOpened(t, w, h, func() (*session.Session, error) { return session.OpenRecording(p.open, session.Config{Lint: true}) }, script)
	case p.next != nil:
		driveServer(t, w, h, servesNext(p.next...), script)
	case p.serve != nil:
		driveServer(t, w, h, p.serve, script)
	case p.dial != nil:
		driveSession(t, w, h, session.Config{
			Target: client.Target{Argv: []string{"node", "build/index.js"}}, Record: "off", Lists: client.ListKinds, Lint: true,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125}, Dial: p.dial,
		}, script)
	default:
		driveServer(t, w, h, serveSlowed(demo.Options{Fault: p.fault}), script)
	}
}

// The pictures are current, and the last row of each has at most five keys and the one that leads to all others.
func TestScreens(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for _, p := range pictures {
		for _, size := range screenSizes {
			name := pictureName(p.name, size)
			t.Run(name, func(t *testing.T) {
				p.run(t, size[0], size[1], func(d *driver) {
					s := d.capture()
					stopSpinners(s, d.model.Pal.Glyphs.Spinner)
					requirePicture(t, name, termsvg.Still(s, p.title), d.term.screen())
					if n := len(d.model.ShortHelp()); n > 6 && d.model.Window() == nil {
						t.Errorf("%d keys: %s", n, d.footer())
					}
				})
			})
		}
	}
}

func pictureName(name string, size [2]int) string {
	return fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
}

// shownPictures are the names of the pictures on pages of the documentation.
var shownPictures = sync.OnceValues(func() (map[string]bool, error) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		for _, m := range regexp.MustCompile(`screens/([\w-]+)\.svg`).FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	return names, nil
})

// pictureFile is where a picture is kept: beside the pages if one shows it, and else in testdata.
func pictureFile(t *testing.T, name string) string {
	t.Helper()
	shown, err := shownPictures()
	if err != nil {
		t.Fatal(err)
	}
	if shown[name] {
		return filepath.Join(screensDir, name+".svg")
	}
	return filepath.Join("testdata", "screens", name+".svg")
}

// Each picture is in the one place that it belongs to.
func TestScreens_NoPictureIsLeft(t *testing.T) {
	for _, dir := range []string{screensDir, filepath.Join("testdata", "screens")} {
		files, err := filepath.Glob(filepath.Join(dir, "*.svg"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d pictures, %v", dir, len(files), err)
		}
		for _, file := range files {
			if want := pictureFile(t, strings.TrimSuffix(filepath.Base(file), ".svg")); want != file {
				t.Errorf("%s belongs to %s", file, want)
			}
		}
	}
}

// requirePicture fails unless a picture of the documentation is current. With
// -update it is written.
func requirePicture(t *testing.T, name string, svg []byte, screen string) {
	t.Helper()
	file := pictureFile(t, name)
	if updating() {
		if err := os.WriteFile(file, svg, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != string(svg) {
		at := 0
		for at < min(len(old), len(svg)) && old[at] == svg[at] {
			at++
		}
		t.Errorf("%s is not current; make it with go test ./ui/inspector -run TestScreens -update.\nThe file has %s\nnow it is    %s\nThe screen:\n%s",
			file, excerpt(old, at), excerpt(svg, at), screen)
	}
}

// excerpt is the part of a picture around a place.
func excerpt(svg []byte, at int) []byte {
	return svg[max(0, at-80):min(len(svg), at+80)]
}
