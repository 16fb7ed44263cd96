// Package chromium drives a headless Chromium with one page, by the DevTools protocol over
// pipes: no port is open. The browser has a profile of its own, which is removed at the end,
// and ends with this program.
package chromium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"mcptea/internal/signal"
)

// names are those of the programs, the first one that is there is used.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"}

// Find returns the path of a browser, or an error that says how to install one.
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium was found in PATH (%s): install it, on Debian with: apt-get install chromium", strings.Join(names, ", "))
}

// The bounds of what is kept of the browser, and of the waits for it.
const (
	maxEvents     = 10_000
	maxContexts   = 1000
	startTimeout  = 20 * time.Second
	closeTimeout  = 5 * time.Second
	maxDiagnostic = 4 << 10
)

// Event is an event of the browser.
type Event struct {
	Method string
	Params json.RawMessage
	Time   time.Time
}

// Browser is a Chromium that runs. Its methods may be called from any goroutine.
type Browser struct {
	cmd     *exec.Cmd
	dir     string   // of the profile
	pipe    *os.File // to the browser
	from    *os.File
	session string // of the page
	ended   chan struct{}
	changed signal.Signal

	writing sync.Mutex
	mu      sync.Mutex
	stderr  tail
	lastID  int
	waiting map[int]chan<- answer
	events  []Event
	scripts []script
}

// script is a place where expressions can be evaluated.
type script struct {
	session string
	id      int
}

type answer struct {
	result json.RawMessage
	err    error
}

// message is one of the DevTools protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

type failure struct {
	Message string `json:"message"`
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-maxDiagnostic):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// Start starts a browser with an empty page. The caller closes it.
func Start(ctx context.Context, path string) (*Browser, error) {
	dir, err := os.MkdirTemp("", "mcptea-chromium-")
	if err != nil {
		return nil, fmt.Errorf("cannot create the profile of the browser: %w", err)
	}
	b := &Browser{dir: dir, ended: make(chan struct{}), waiting: map[int]chan<- answer{}}
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + dir, "--no-first-run", "--disable-gpu", "--disable-quic", "--disable-sync",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-dev-shm-usage", "--password-store=basic", "--use-mock-keychain", "about:blank",
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium refuses to start otherwise
	}
	b.cmd = exec.Command(path, args...)
	b.cmd.Stderr = &b.stderr
	if err := b.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start %s: %w", path, err), os.RemoveAll(dir))
	}
	go b.read()
	ctx, stop := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the browser did not start within %s", startTimeout))
	defer stop()
	if err := b.attach(ctx); err != nil {
		if text := b.stderr.String(); text != "" {
			err = fmt.Errorf("%w; it has written: %s", err, text)
		}
		b.Close()
		return nil, fmt.Errorf("cannot use %s: %w", path, err)
	}
	return b, nil
}

// attach attaches to a new page and to the frames that it gets.
func (b *Browser) attach(ctx context.Context) error {
	var target struct {
		TargetID string `json:"targetId"`
	}
	if err := b.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	err := b.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	if err != nil {
		return err
	}
	b.session = attached.SessionID
	if err := b.call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil); err != nil {
		return err
	}
	for _, m := range setup {
		if err := b.call(ctx, b.session, m.method, m.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// setup are the requests for a page and for each frame with a process of its own.
var setup = []struct {
	method string
	params map[string]any
}{
	{"Runtime.enable", nil},
	{"Log.enable", nil},
	{"Network.enable", nil},
	{"Page.enable", nil},
	{"Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}},
	{"Runtime.runIfWaitingForDebugger", nil},
}

// read takes what the browser sends until it ends.
func (b *Browser) read() {
	defer close(b.ended)
	for r := bufio.NewReader(b.from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		if m.ID != 0 {
			b.answered(m)
		} else {
			b.happened(m)
		}
		b.changed.Notify()
	}
}

func (b *Browser) answered(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if to := b.waiting[m.ID]; to != nil {
		a := answer{result: m.Result}
		if m.Error != nil {
			a.err = errors.New(m.Error.Message)
		}
		to <- a // has a slot
	}
	delete(b.waiting, m.ID)
}

// happened takes an event. A new frame is set up before its scripts run.
func (b *Browser) happened(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if traffic := strings.HasPrefix(m.Method, "Network.") && m.Method != "Network.loadingFailed"; len(b.events) < maxEvents && !traffic {
		b.events = append(b.events, Event{m.Method, m.Params, time.Now()})
	}
	var p struct {
		Context            struct{ ID int }
		ExecutionContextID int
		SessionID          string
	}
	_ = json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "Runtime.executionContextCreated":
		if len(b.scripts) < maxContexts {
			b.scripts = append(b.scripts, script{m.Session, p.Context.ID})
		}
	case "Runtime.executionContextDestroyed":
		b.forget(func(s script) bool { return s == script{m.Session, p.ExecutionContextID} })
	case "Runtime.executionContextsCleared":
		b.forget(func(s script) bool { return s.session == m.Session })
	case "Target.detachedFromTarget":
		b.forget(func(s script) bool { return s.session == p.SessionID })
	case "Target.attachedToTarget":
		first := b.lastID + 1
		b.lastID += len(setup)
		go b.setUp(p.SessionID, first)
	}
}

// setUp sets up a frame, with requests from an id on, whose results are not awaited.
func (b *Browser) setUp(session string, id int) {
	for i, one := range setup {
		_ = b.write(message{ID: id + i, Session: session, Method: one.method}, one.params) // the browser may have ended
	}
}

func (b *Browser) forget(gone func(script) bool) {
	kept := b.scripts[:0]
	for _, s := range b.scripts {
		if !gone(s) {
			kept = append(kept, s)
		}
	}
	b.scripts = kept
}

func (b *Browser) write(m message, params any) error {
	if params != nil {
		text, err := json.Marshal(params)
		if err != nil {
			return err
		}
		m.Params = text
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	_, err = b.pipe.Write(append(text, 0))
	return err
}

// errEnded is the error of calls after the browser has ended.
var errEnded = errors.New("the browser has ended")

// call sends a request and waits for the result.
func (b *Browser) call(ctx context.Context, session, method string, params, result any) error {
	got := make(chan answer, 1)
	b.mu.Lock()
	b.lastID++
	id := b.lastID
	b.waiting[id] = got
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.waiting, id)
		b.mu.Unlock()
	}()
	if err := b.write(message{ID: id, Session: session, Method: method}, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-got:
		if a.err == nil && result != nil {
			a.err = json.Unmarshal(a.result, result)
		}
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		return nil
	case <-b.ended:
		return fmt.Errorf("%s: %w", method, errEnded)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}

// Navigate opens a page.
func (b *Browser) Navigate(ctx context.Context, url string) error {
	var r struct{ ErrorText string }
	if err := b.call(ctx, b.session, "Page.navigate", map[string]any{"url": url}, &r); err != nil {
		return err
	}
	if r.ErrorText != "" {
		return fmt.Errorf("cannot open %s: %s", url, r.ErrorText)
	}
	return nil
}

// Resize sets the size of the window, in CSS pixels.
func (b *Browser) Resize(ctx context.Context, width, height int) error {
	return b.call(ctx, b.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Screenshot is a picture of the page as PNG.
func (b *Browser) Screenshot(ctx context.Context) ([]byte, error) {
	var r struct{ Data string }
	if err := b.call(ctx, b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &r); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(r.Data)
}

// Events returns what has happened so far, at most the first 10,000 events. The slice must not
// be changed.
func (b *Browser) Events() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.events[:len(b.events):len(b.events)]
}

// Subscribe returns a channel with one slot that gets a token when something has happened, and a
// function that ends the subscription.
func (b *Browser) Subscribe() (<-chan struct{}, func()) { return b.changed.Subscribe() }

// ErrNoFrame reports that no frame of the page has a URL.
var ErrNoFrame = errors.New("the page has no such frame")

// Evaluate evaluates an expression in the first frame whose URL ends with a text, waits for its
// value if that is a promise, and decodes the value into result, which may be nil.
func (b *Browser) Evaluate(ctx context.Context, frame, expression string, result any) error {
	b.mu.Lock()
	scripts := append([]script(nil), b.scripts...)
	b.mu.Unlock()
	for _, s := range scripts {
		var url string
		if b.evaluate(ctx, s, "location.href", &url) == nil && strings.HasSuffix(url, frame) {
			return b.evaluate(ctx, s, expression, result)
		}
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return ErrNoFrame
}

func (b *Browser) evaluate(ctx context.Context, s script, expression string, result any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := b.call(ctx, s.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "contextId": s.id, "returnByValue": true, "awaitPromise": true, "userGesture": true, "allowUnsafeEvalBlockedByCSP": false,
	}, &r)
	switch e := r.ExceptionDetails; {
	case err != nil:
		return err
	case e != nil:
		return fmt.Errorf("%s: %s %s", expression, e.Text, e.Exception.Description)
	case result == nil || r.Result.Value == nil:
		return nil
	}
	return json.Unmarshal(r.Result.Value, result)
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() {
	_ = b.pipe.Close() // the browser ends when its pipe does
	ended := make(chan struct{})
	go func() {
		_ = b.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeTimeout):
	}
	b.kill() // with its children
	<-ended
	_ = b.from.Close()
	<-b.ended
	for range 20 { // processes of the browser may still write
		if os.RemoveAll(b.dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
