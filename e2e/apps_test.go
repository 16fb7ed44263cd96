//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/record/store"
	"mcptea/session/apps"
	"mcptea/session/apps/chromium"
	"mcptea/session/session"
)

// appRun is an app of a server by others, in a headless browser.
type appRun struct {
	t       *testing.T
	ctx     context.Context
	file    string // of the recording
	s       *session.Session
	app     *apps.App
	browser *chromium.Browser
	links   chan string
}

// openApp calls a tool of a server and opens its app.
func openApp(t *testing.T, target []string, tool, args string, o apps.Options) *appRun {
	t.Helper()
	path, err := chromium.Find()
	if err != nil {
		t.Skip(err)
	}
	r := &appRun{t: t, file: filepath.Join(t.TempDir(), "app.mcptea.jsonl"), links: make(chan string, 10)}
	ctx, stop := context.WithTimeout(t.Context(), 4*deadline)
	t.Cleanup(stop)
	r.ctx = ctx
	r.s, err = session.Open(session.Config{
		Target: client.Target{Argv: target}, Client: client.Config{Name: "mcptea", Version: "test", Timeout: deadline},
		Lists: client.ListKinds, Record: r.file, Lint: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.s.Close(context.Background()) })
	if err := r.s.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	o.OpenLink = func(_ context.Context, url string) error {
		r.links <- url
		return nil
	}
	if r.app, err = apps.Open(ctx, r.s, tool, []byte(args), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.app.Close(context.Background()) })
	if r.browser, err = chromium.Start(ctx, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.browser.Close)
	if err := r.browser.Navigate(ctx, r.app.URL()); err != nil {
		t.Fatal(err)
	}
	r.until("the app is initialized", func() bool { return r.app.State().Phase == apps.Ready })
	return r
}

// until waits until a condition holds, which it looks at when something happens.
func (r *appRun) until(what string, is func() bool) {
	r.t.Helper()
	changed, stop := r.s.Store().Subscribe()
	defer stop()
	events, end := r.browser.Subscribe()
	defer end()
	for !is() {
		select {
		case <-changed:
		case <-events:
		case <-r.ctx.Done():
			for _, e := range r.browser.Events() {
				if e.Method == "Log.entryAdded" || e.Method == "Runtime.exceptionThrown" {
					r.t.Logf("%s %.600s", e.Method, e.Params)
				}
			}
			r.t.Fatalf("%s: %s\n%s", what, r.state(), strings.Join(r.rows(), "\n"))
		}
	}
}

// state is the state of the app for a message, without the document.
func (r *appRun) state() string {
	st := r.app.State()
	st.Document.HTML, st.Document.UI = nil, nil
	return fmt.Sprintf("%+v", st)
}

// text evaluates an expression in the app.
func (r *appRun) text(expression string) string {
	r.t.Helper()
	var text string
	if err := r.browser.Evaluate(r.ctx, "/app", "String("+expression+")", &text); err != nil {
		r.t.Fatal(err)
	}
	return text
}

func (r *appRun) click(selector string) {
	r.t.Helper()
	r.text(fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// rows are the frames of the app in the record, such as "← ui/initialize".
func (r *appRun) rows() []string { return appRows(r.t, r.s.Store()) }

func appRows(t *testing.T, st *store.Store) (all []string) {
	t.Helper()
	for i := range int32(st.Snapshot().Rows) {
		row, _ := st.Row(i)
		if !row.App {
			continue
		}
		arrow := map[string]string{"out": "→", "in": "←"}[row.Dir.String()]
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s", arrow, row.Kind, st.Method(row.Method))))
	}
	return all
}

func (r *appRun) saw(row string) func() bool {
	return func() bool { return slices.Contains(r.rows(), row) }
}

func example(t *testing.T, name string) []string {
	return peer(t, "@modelcontextprotocol/server-"+name+"/dist/index.js", "--stdio")
}

func TestApp_BasicExample(t *testing.T) {
	r := openApp(t, example(t, "basic-vanillajs"), "get-time", "{}", apps.Options{Allowed: []string{"get-time"}})
	if st := r.app.State(); st.Name != "Get Time App" {
		t.Errorf("the app is named %q", st.Name)
	}
	r.until("the result is shown", func() bool {
		return strings.Contains(r.text(`document.querySelector("#server-time").textContent`), "T")
	})
	before := r.text(`document.querySelector("#server-time").textContent`)
	r.click("#get-time-btn")
	r.until("the app has called the tool", func() bool { return r.text(`document.querySelector("#server-time").textContent`) != before })
	r.app.SetTheme("light")
	r.until("the theme has changed", func() bool { return r.text("getComputedStyle(document.documentElement).colorScheme") == "light" })
	r.click("#send-message-btn")
	r.until("ui/message", r.saw("← request ui/message"))
	r.click("#send-log-btn")
	r.until("log", r.saw("← notification notifications/message"))
	r.click("#open-link-btn")
	r.until("the question about the link", func() bool { return len(r.app.State().Questions) == 1 })
	q := r.app.State().Questions[0]
	r.app.Decide(q.ID, true)
	if url := <-r.links; url != q.URL || !strings.HasPrefix(url, "https://") {
		t.Errorf("opened %q, asked about %q", url, q.URL)
	}
	r.until("the response to ui/open-link", r.saw("→ response ui/open-link"))
	st := r.app.State()
	if st.Reported.Height == 0 || st.Shown.Height != st.Reported.Height || st.Errors > 0 {
		t.Error(r.state())
	}
	r.app.Close(r.ctx)
	if st := r.app.State(); st.TornDown.IsZero() || st.TeardownError != nil {
		t.Errorf("teardown: %v %v", st.TornDown, st.TeardownError)
	}
	r.recorded([]string{
		"← request ui/initialize", "→ response ui/initialize", "← notification ui/notifications/initialized", "→ notification ui/notifications/tool-input",
		"→ notification ui/notifications/tool-result", "← notification ui/notifications/size-changed", "← request tools/call", "→ response tools/call",
		"→ notification ui/notifications/host-context-changed", "← request ui/message", "← request ui/open-link", "→ request ui/resource-teardown", "← response ui/resource-teardown",
	})
}

// recorded checks that the recording has the rows, and that the call of the app is nested under
// its message.
func (r *appRun) recorded(want []string) {
	r.t.Helper()
	if err := r.s.Close(r.ctx); err != nil {
		r.t.Fatal(err)
	}
	st, err := store.Open(r.file)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if err := st.Load(r.ctx); err != nil {
		r.t.Fatal(err)
	}
	rows := appRows(r.t, st)
	for _, row := range want {
		if !slices.Contains(rows, row) {
			r.t.Errorf("the recording has no %q:\n%s", row, strings.Join(rows, "\n"))
		}
	}
	nested := 0
	for i := range int32(st.Snapshot().Rows) {
		row, _ := st.Row(i)
		if cause, ok := st.Row(row.SentFor(i)); ok && !row.App && cause.App {
			nested++
			if st.Method(row.Method) != "tools/call" || st.Method(cause.Method) != "tools/call" {
				r.t.Errorf("row %d is nested under row %d", i+1, row.SentFor(i)+1)
			}
			if cause.Pair == store.None {
				continue // the app was closed before
			}
			own, _ := st.Body(row.Pair)
			answer, _ := st.Body(cause.Pair)
			if member(own, "result") != member(answer, "result") {
				r.t.Errorf("the app got another result:\n%s\n%s", own, answer)
			}
		}
	}
	if nested == 0 {
		r.t.Error("no call of the app is nested under its message")
	}
}

func member(frame []byte, name string) string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(frame, &all)
	return string(all[name])
}

func TestApp_DebugExample(t *testing.T) {
	r := openApp(t, example(t, "debug"), "debug-tool", `{"contentType":"mixed","includeStructuredContent":true}`, apps.Options{Allowed: []string{"debug-refresh", "debug-log"}})
	r.until("the result", r.saw("→ notification ui/notifications/tool-result"))
	r.click("#call-debug-refresh-btn") // for apps alone
	r.until("the tool for apps alone", r.saw("→ response tools/call"))
	r.click("#display-fullscreen-btn")
	r.until("fullscreen", func() bool { return r.app.State().Display == "fullscreen" })
	r.until("the response", r.saw("→ response ui/request-display-mode"))
	r.click("#log-error-btn")
	r.until("the error in the log", func() bool { return r.app.State().Errors == 1 })
	r.click("#update-context-text-btn")
	r.until("the context for the model", func() bool { return r.app.State().Context != nil })
	r.click("#resize-200x100-btn")
	r.until("the size", func() bool { return r.app.State().Reported == apps.Size{Width: 200, Height: 100} })
	if err := r.app.Send(apps.SendCancelled); err != nil {
		t.Error(err)
	}
	if err := r.app.Send(apps.SendTools); err != nil {
		t.Error(err)
	}
	r.until("the tools of the app", func() bool {
		return slices.Contains(r.rows(), "← response tools/list") || slices.Contains(r.rows(), "← error tools/list")
	})
	r.app.Close(r.ctx)
	r.recorded([]string{"← request ui/request-display-mode", "← request ui/update-model-context", "→ notification ui/notifications/tool-cancelled", "→ notification ui/notifications/host-context-changed"})
}

func TestApp_CheckOfTheDemoAndAnExample(t *testing.T) {
	if _, err := chromium.Find(); err != nil {
		t.Skip(err)
	}
	t.Parallel() // a check waits most of the time
	for tool, target := range map[string][]string{"get-time": example(t, "basic-vanillajs"), "weather": {program(t), "demo", "--serve"}} {
		words := []string{"app", tool}
		if tool == "weather" {
			words = append(words, "city=Lisbon")
		}
		dir := t.TempDir()
		picture, junit := filepath.Join(dir, "app.png"), filepath.Join(dir, "app.xml")
		r := startWithin(t, 3*deadline, on(target, append(words, "--check", "--json", "-o", picture, "--junit", junit)...)...).wait(t)
		r.exits(t, 0)
		lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
		var last struct {
			Summary struct {
				Name       string
				Pass, Fail int
			}
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != 11 || last.Summary.Fail > 0 || last.Summary.Pass < 9 || last.Summary.Name == "" {
			t.Errorf("%s: %v\n%s\n%s", tool, err, r.stdout, r.stderr)
		}
		if b, err := os.ReadFile(picture); err != nil || !strings.HasPrefix(string(b), "\x89PNG") {
			t.Errorf("%s: %d bytes, %v", tool, len(b), err)
		}
		if b, err := os.ReadFile(junit); err != nil || strings.Count(string(b), "<testcase") != 10 {
			t.Errorf("%s: %s %v", tool, b, err)
		}
	}
}
