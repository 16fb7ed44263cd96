// Package chromium drives a headless Chromium with one page, by the DevTools protocol over
// pipes: no port is open. The browser has a profile of its own, which is removed at the end,
// and ends with this program.
package chromium

import (
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

// names lists the names of browser programs. The first one found is used.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"}

// Find returns the path of a browser, or an error that explains how to install one.
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium was found in PATH (%s): install it, on Debian with: apt-get install chromium", strings.Join(names, ", "))
}

// bounds on data from the browser, and timeouts
const (
	maxMessage    = 64 << 20 // bytes; an app may write anything to its console
	maxEvents     = 10_000
	maxEventBytes = 32 << 20
	maxContexts   = 1000
	startTimeout  = 40 * time.Second
	callTimeout   = 10 * time.Second
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
	dir     string   // directory of the profile
	pipe    *os.File // pipe to the browser
	from    *os.File
	session string // session id of the page
	ended   chan struct{}
	changed signal.Signal

	writing sync.Mutex
	stderr  tail
	mu      sync.Mutex
	lastID  int
	waiting map[int]chan<- answer // the requests of calls, each for callTimeout at most; nil once the browser has ended
	events  []Event
	scripts []script

	eventBytes int  // bytes of the params
	lost       bool // there were more events than are kept
}

// A tail keeps the end of the written text.
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
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-dev-shm-usage", "--password-store=basic", "--use-mock-keychain",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp", // WebRTC is limited by no policy of a document
		"about:blank",
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium refuses to start otherwise
	}
	b.cmd = exec.Command(path, args...)
	b.cmd.Stderr = &b.stderr
	b.cmd.WaitDelay = closeTimeout // a process of the browser may outlive it with stderr open
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

var (
	// ErrTimeout is the error of calls that take too long.
	ErrTimeout = fmt.Errorf("the browser has not responded within %s", callTimeout)
	// errEnded is the error of calls after the browser has ended.
	errEnded = errors.New("the browser has ended")
)

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

// Screenshot returns a PNG picture of the page.
func (b *Browser) Screenshot(ctx context.Context) ([]byte, error) {
	var r struct{ Data string }
	if err := b.call(ctx, b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &r); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(r.Data)
}

// Events returns the events since [Browser.Forget], at most the first 10,000 events and 32 MiB. The slice must
// not be changed.
func (b *Browser) Events() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.events[:len(b.events):len(b.events)]
}

// Lost reports that there were more events.
func (b *Browser) Lost() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

// Forget forgets the events.
func (b *Browser) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events, b.eventBytes, b.lost = nil, 0, false
}

// Subscribe returns a channel with one slot that receives a token when something happened, and a function that
// ends the subscription.
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
		err := b.evaluate(ctx, s, "location.href", &url)
		switch {
		case err == nil && strings.HasSuffix(url, frame):
			return b.evaluate(ctx, s, expression, result)
		case errors.Is(err, ErrTimeout) || ctx.Err() != nil:
			return err // other pages may block, too: they may share a process
		}
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
	b.kill() // including its children
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
