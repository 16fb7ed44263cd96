package apps_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/inmemory"
	"mcptea/record/store"
	"mcptea/session/apps"
	"mcptea/session/session"
)

// server is an MCP server with tools that have an app.
type server struct {
	contents string // content item of the document; empty for a plain one
	mu       sync.Mutex
	seen     []string // frames of the client
	came     *sync.Cond
	out      io.Writer
	// held are calls of the tool "slow", whose responses the test sends.
	held chan jsonrpc.ID
}

const tools = `[
 {"name":"show","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://test/app"}}},
 {"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
 {"name":"drop","inputSchema":{"type":"object"}},
 {"name":"secret","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"visibility":["model"]}}},
 {"name":"hidden","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"visibility":["app"]}}},
 {"name":"fail","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://test/app"}}},
 {"name":"slow","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://test/app"}}},
 {"name":"plain","inputSchema":{"type":"object"}},
 {"name":"twin","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
 {"name":"twin","inputSchema":{"type":"object"}},
 {"name":"half","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
 {"name":"half","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"visibility":["model"]}}},
 {"name":"lost","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://test/missing"}}}
]`

func (s *server) serve(_ context.Context, in io.Reader, out io.Writer) error {
	s.mu.Lock()
	s.out = out
	s.mu.Unlock()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		frame := bytes.Clone(lines.Bytes())
		e := jsonrpc.Scan(frame)
		id, params := e.ID.Of(frame).ID(), e.Params.Of(frame)
		s.mu.Lock()
		s.seen = append(s.seen, string(frame))
		s.mu.Unlock()
		s.came.Broadcast()
		var result string
		switch e.MethodName(frame) {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"test","version":"1"}}`
		case "tools/list":
			result = `{"tools":` + strings.ReplaceAll(tools, "\n", "") + `}`
		case "resources/list":
			result = `{"resources":[]}`
		case "resources/read":
			if jsonrpc.Text(params, "uri") != "ui://test/app" {
				s.write(jsonrpc.EncodeError(id, -32002, "no such resource", nil))
				continue
			}
			result = `{"contents":[` + cmp.Or(s.contents, `{"uri":"ui://test/app","mimeType":"text/html;profile=mcp-app","text":"<!doctype html><title>app</title>"}`) + `]}`
		case "tools/call":
			switch name := jsonrpc.Text(params, "name"); name {
			case "fail":
				s.write(jsonrpc.EncodeError(id, -32000, "broken \x1b[31m", nil))
				continue
			case "slow":
				if token := jsonrpc.Get(params, "_meta", "progressToken"); token != nil {
					s.write(jsonrpc.EncodeNotification("notifications/progress", []byte(`{"progressToken":`+string(token)+`,"progress":1}`)))
				}
				s.held <- id
				continue
			default:
				result = `{"content":[{"type":"text","text":"` + name + `"}], "structuredContent":{"n":1}}`
			}
		default:
			if e.Kind != jsonrpc.Request {
				continue
			}
			s.write(jsonrpc.EncodeError(id, -32601, "unknown", nil))
			continue
		}
		s.write(jsonrpc.EncodeResult(id, []byte(result)))
	}
	return lines.Err()
}

func (s *server) write(frame []byte) {
	_, _ = s.out.Write(append(frame, '\n'))
}

// frames are those of the client with a method.
func (s *server) frames(method string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.withMethod(method)
}

// awaits returns the frames of the client with a method, once there is one.
func (s *server) awaits(method string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for all = s.withMethod(method); len(all) == 0; all = s.withMethod(method) {
		s.came.Wait()
	}
	return all
}

func (s *server) withMethod(method string) (all []string) {
	for _, f := range s.seen {
		if e := jsonrpc.Scan([]byte(f)); e.MethodName([]byte(f)) == method {
			all = append(all, f)
		}
	}
	return all
}

func connect(t *testing.T, cfg session.Config) (*session.Session, *server) {
	t.Helper()
	sv := &server{held: make(chan jsonrpc.ID, 100)}
	sv.came = sync.NewCond(&sv.mu)
	cfg.Record, cfg.Client.Timeout, cfg.Client.Name, cfg.Client.Version = cmp.Or(cfg.Record, "off"), time.Minute, "mcptea", "1"
	cfg.Target = client.Target{Argv: []string{"server"}}
	cfg.Lists = client.ListKinds
	cfg.Dial = func(tap client.Tap, c client.Config) *client.Client {
		return client.NewOver(inmemory.New(sv.serve), tap, c)
	}
	s, err := session.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, sv
}

// view plays the page and the app in the browser.
type view struct {
	t        *testing.T
	app      *apps.App
	base     string
	key      string
	commands chan []byte   // messages for the app
	looks    chan string   // other commands
	ended    chan struct{} // when the stream ends
	leave    func()        // closes the page
}

// open opens the app of a tool and its page.
func open(t *testing.T, s *session.Session, tool, args string, o apps.Options) *view {
	t.Helper()
	a, err := apps.Open(t.Context(), s, tool, []byte(args), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(context.Background()) })
	v := &view{t: t, app: a, commands: make(chan []byte, 10_000), looks: make(chan string, 10_000), ended: make(chan struct{})}
	v.load()
	return v
}

// load gets the page, and reads its commands.
func (v *view) load() {
	v.t.Helper()
	url := v.app.URL()
	v.base = url[:strings.Index(url, "/a/")]
	r, err := http.Get(url)
	if err != nil {
		v.t.Fatal(err)
	}
	page, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	m := regexp.MustCompile(`"key":"(\w+)"`).FindSubmatch(page)
	if m == nil {
		v.t.Fatalf("no key in the page: %d %s", r.StatusCode, page)
	}
	v.key = string(m[1])
	ctx, leave := context.WithCancel(v.t.Context())
	v.leave = leave
	stream, err := http.DefaultClient.Do(v.request("/commands", "").WithContext(ctx))
	if err != nil || stream.StatusCode != http.StatusOK {
		v.t.Fatal(err, stream)
	}
	v.t.Cleanup(func() { _ = stream.Body.Close() })
	go func() {
		defer close(v.ended)
		lines := bufio.NewScanner(stream.Body)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var c struct{ Do, Text string }
			if json.Unmarshal(lines.Bytes(), &c) == nil && c.Do == "message" {
				v.commands <- []byte(c.Text)
			} else if c.Do != "" {
				v.looks <- lines.Text()
			}
		}
	}()
}

func (v *view) request(path, body string) *http.Request {
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Origin", v.base)
	r.Header.Set("X-Mcptea-Key", v.key)
	return r
}

// send sends messages of the app.
func (v *view) send(messages ...string) {
	v.t.Helper()
	r, err := http.DefaultClient.Do(v.request("/messages", "m"+strings.Join(messages, "\nm")))
	if err != nil {
		v.t.Fatal(err)
	}
	_ = r.Body.Close()
	if r.StatusCode != http.StatusNoContent {
		v.t.Fatalf("status %d", r.StatusCode)
	}
}

// next is the next message for the app.
func (v *view) next() string {
	v.t.Helper()
	select {
	case m := <-v.commands:
		return string(m)
	case <-time.After(20 * time.Second):
		v.t.Fatal("no message for the app")
		return ""
	}
}

// gets checks that the next message for the app has a text.
func (v *view) gets(text string) string {
	v.t.Helper()
	m := v.next()
	if !strings.Contains(m, text) {
		v.t.Fatalf("got %.400s\nwant %s", m, text)
	}
	return m
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"ui/initialize","params":{"appInfo":{"name":"Panel","version":"1.2"},"appCapabilities":{"availableDisplayModes":["inline","fullscreen"]},"protocolVersion":"2026-01-26"}}`

const initialized = `{"jsonrpc":"2.0","method":"ui/notifications/initialized","params":{}}`

// start initializes the app, and takes the input and the result.
func (v *view) start() {
	v.t.Helper()
	v.send(initialize)
	v.gets(`"id":1,"result"`)
	v.send(initialized)
	v.gets("ui/notifications/tool-input")
	v.gets("ui/notifications/tool-result")
}

// until waits until the state is as expected.
func (v *view) until(what string, is func(apps.State) bool) apps.State {
	v.t.Helper()
	changed, stop := v.app.Subscribe()
	defer stop()
	late := time.After(20 * time.Second)
	for {
		if st := v.app.State(); is(st) {
			return st
		}
		select {
		case <-changed:
		case <-late:
			v.t.Fatalf("%s: %+v", what, v.app.State())
		}
	}
}

// rows are the frames of the app in the record, such as "← ui/initialize".
func rows(t *testing.T, st *store.Store) (all []string) {
	t.Helper()
	for i := range int32(st.Snapshot().Rows) {
		row, _ := st.Row(i)
		if row.App {
			arrow := map[string]string{"out": "→", "in": "←"}[row.Dir.String()]
			all = append(all, fmt.Sprintf("%s %s %s", arrow, row.Kind, st.Method(row.Method)))
		}
	}
	return all
}

func TestOpen_InputAndResultOnceInitialized(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", `{"city":"Berlin"}`, apps.Options{})
	v.send(initialize)
	r := v.gets(`"id":1,"result"`)
	for _, part := range []string{
		`"protocolVersion":"2026-01-26"`, `"hostInfo":{"name":"mcptea","version":"1"}`, `"serverTools":{"listChanged":true}`, `"serverResources":{}`, `"theme":"dark"`, `"displayMode":"inline"`,
		`"availableDisplayModes":["inline","fullscreen"]`, `"containerDimensions":{"maxHeight":1200,"width":720}`, `"toolInfo":{"id":`, `"--color-text-primary":"#e6e6ee"`,
	} {
		if !strings.Contains(r, part) {
			t.Errorf("the result has no %s:\n%s", part, r)
		}
	}
	if strings.Contains(r, "openLinks") || strings.Contains(r, "downloadFile") {
		t.Error("declares what it cannot do")
	}
	v.send(initialized)
	if m := v.next(); m != `{"jsonrpc":"2.0","method":"ui/notifications/tool-input","params":{"arguments":{"city":"Berlin"}}}` {
		t.Error(m)
	}
	if m := v.next(); m != `{"jsonrpc":"2.0","method":"ui/notifications/tool-result","params":{"content":[{"type":"text","text":"show"}], "structuredContent":{"n":1}}}` {
		t.Error(m)
	}
	st := v.app.State()
	if st.Name != "Panel" || st.Version != "1.2" || st.Phase != apps.Ready || st.Initialized.IsZero() {
		t.Errorf("%+v", st)
	}
	v.send(initialized) // again: nothing is sent again
	v.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	v.gets(`{"jsonrpc":"2.0","id":"p","result":{}}`)
	want := []string{
		"← request ui/initialize", "→ response ui/initialize", "← notification ui/notifications/initialized",
		"→ notification ui/notifications/tool-input", "→ notification ui/notifications/tool-result", "← notification ui/notifications/initialized", "← request ping", "→ response ping",
	}
	if got := rows(t, s.Store()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s", strings.Join(got, "\n"))
	}
}
