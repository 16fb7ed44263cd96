package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testTimeout is how long a test waits for what should arrive at once.
const testTimeout = time.Minute

const initializeFrame = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`

const initializedFrame = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// allCapabilities is what a client that can do everything declares.
const allCapabilities = `{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}}`

// client is the other end of a stdio server.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string // with their ends
	ended chan error
	errs  *lockedBuffer
	exits chan int
	stop  context.CancelFunc
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs a server on pipes until the test ends.
func start(t *testing.T, options Options) *client {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{
		t: t, in: inW, lines: make(chan string, 16), ended: make(chan error, 1), errs: &lockedBuffer{},
		exits: make(chan int, 8), stop: stop,
	}
	if options.Pace == 0 {
		options.Pace = time.Millisecond
	}
	options.Exit = func(code int) { c.exits <- code }
	go func() {
		err := New(options).ServeStdio(ctx, inR, outW, c.errs)
		_ = inR.Close()
		_ = outW.Close()
		c.ended <- err
	}()
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				c.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = inW.Close()
		for range c.lines { // until the reader has ended
		}
	})
	return c
}

// connect starts a server and shakes hands.
func connect(t *testing.T, options Options, revision, capabilities string) *client {
	t.Helper()
	c := start(t, options)
	c.send(fmt.Sprintf(initializeFrame, revision, capabilities))
	c.answerTo(`"init"`)
	c.send(initializedFrame)
	return c
}

func (c *client) send(frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		if _, err := io.WriteString(c.in, f+"\n"); err != nil {
			c.t.Fatalf("sending %s: %v", f, err)
		}
	}
}

// line returns the next line, without its end, or false at the end.
func (c *client) line() (string, bool) {
	c.t.Helper()
	select {
	case line, ok := <-c.lines:
		return strings.TrimSuffix(line, "\n"), ok
	case <-time.After(testTimeout):
		c.t.Fatal("nothing comes from the server")
		return "", false
	}
}

func (c *client) mustLine() string {
	c.t.Helper()
	line, ok := c.line()
	if !ok {
		c.t.Fatal("the server's output has ended")
	}
	return line
}

// answerTo skips to the answer with this id token.
func (c *client) answerTo(id string) string {
	c.t.Helper()
	for {
		line := c.mustLine()
		e := jsonrpc.Scan([]byte(line))
		if e.Kind.IsResponse() && e.ID.Of([]byte(line)).String() == id {
			return line
		}
	}
}

// rest closes the server's input and returns all that still comes.
func (c *client) rest() []string {
	c.t.Helper()
	_ = c.in.Close()
	var all []string
	for {
		line, ok := c.line()
		if !ok {
			return all
		}
		all = append(all, line)
	}
}

// end waits for the server to return.
func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		return err
	case <-time.After(testTimeout):
		c.t.Fatal("the server does not end")
		return nil
	}
}

// call makes a tools/call frame.
func call(id, tool, arguments string) string {
	if arguments == "" {
		arguments = "{}"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"t%s"}}}`,
		id, tool, arguments, strings.Trim(id, `"`))
}

// web is a client of an HTTP server.
type web struct {
	t       *testing.T
	url     string
	client  *http.Client
	session string
	version string

	shutDown context.CancelFunc // ends the server, though not its listener
}

// browse runs a server over HTTP until the test ends.
func browse(t *testing.T, options Options) *web {
	t.Helper()
	if options.Pace == 0 {
		options.Pace = time.Millisecond
	}
	ctx, stop := context.WithCancel(context.Background())
	server := httptest.NewServer(New(options).HandlerContext(ctx))
	transport := &http.Transport{}
	t.Cleanup(func() {
		stop()
		transport.CloseIdleConnections()
		server.Close()
	})
	return &web{t: t, url: server.URL + "/mcp", client: &http.Client{Transport: transport, Timeout: testTimeout}, shutDown: stop}
}

// do sends a request with the usual headers, changed by pairs of name and
// value; an empty value removes one.
func (w *web) do(method, body string, headers ...string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if w.session != "" {
		r.Header.Set(rpcserver.SessionHeader, w.session)
		r.Header.Set(rpcserver.VersionHeader, w.version)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return response
}

// shakeHands opens a session.
func (w *web) shakeHands(revision, capabilities string) {
	w.t.Helper()
	response := w.do(http.MethodPost, fmt.Sprintf(initializeFrame, revision, capabilities))
	body := drain(w.t, response)
	if w.session = response.Header.Get(rpcserver.SessionHeader); w.session == "" {
		w.t.Fatalf("no session: %s %s", response.Status, body)
	}
	w.version = revision
	if r := w.do(http.MethodPost, initializedFrame); r.StatusCode != http.StatusAccepted {
		w.t.Fatalf("initialized: %s %s", r.Status, drain(w.t, r))
	} else {
		drain(w.t, r)
	}
}

func drain(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		t.Fatalf("reading the body: %v", err)
	}
	return string(body)
}

// frames returns the frames of an answer, whatever its form.
func frames(t *testing.T, r *http.Response) []string {
	t.Helper()
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return []string{drain(t, r)}
	}
	var all []string
	for _, e := range events(drain(t, r)) {
		all = append(all, e.data)
	}
	return all
}

type sse struct{ id, data string }

// events takes a body of server-sent events apart, those without data left out.
func events(body string) []sse {
	var all []sse
	for block := range strings.SplitSeq(body, "\n\n") {
		var e sse
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				data = append(data, v)
			}
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				e.id = v
			}
		}
		if e.data = strings.Join(data, "\n"); e.data != "" {
			all = append(all, e)
		}
	}
	return all
}

// toolText returns the first text of a tool's result.
func toolText(t *testing.T, frame string) string {
	t.Helper()
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(frame), &answer); err != nil || len(answer.Result.Content) == 0 {
		t.Fatalf("not the result of a tool: %s", frame)
	}
	return answer.Result.Content[0].Text
}
