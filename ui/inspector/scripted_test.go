package inspector

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
)

// process is a transport to a server that a test plays, with the events of a child
// process: its start, its lines on stderr, its exit.
type process struct {
	*inmemory.Transport
	argv []string

	mu       sync.Mutex
	receiver transport.Receiver
	exited   error // nil while it runs
}

// dialProcess makes clients of a process. Each connection starts the script again.
// The process exits when the script returns, with the code that it returns.
func dialProcess(script func(p *process, in io.Reader, out io.Writer) (code int), argv ...string) func(client.Tap, client.Config) *client.Client {
	return func(tap client.Tap, cfg client.Config) *client.Client {
		p := &process{argv: argv}
		p.Transport = inmemory.New(func(_ context.Context, in io.Reader, out io.Writer) error {
			started := time.Now()
			p.report(transport.ProcessEvent{What: transport.ProcessStarted, Path: "/usr/bin/" + argv[0], Argv: argv})
			code := script(p, in, out)
			p.report(transport.ProcessEvent{What: transport.ProcessExited, ExitCode: code})
			p.mu.Lock()
			defer p.mu.Unlock()
			p.exited = &stdio.ExitError{Code: code, After: time.Since(started)}
			return p.exited
		})
		return client.NewOver(p, tap, cfg)
	}
}

// Open implements [transport.Transport].
func (p *process) Open(ctx context.Context, r transport.Receiver) error {
	p.mu.Lock()
	p.receiver = r
	p.mu.Unlock()
	return p.Transport.Open(ctx, r)
}

// Err implements [transport.Transport]: the exit, as the transport over stdio
// reports it.
func (p *process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

func (p *process) report(e transport.ProcessEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.Time, e.PID = time.Now(), 4711
	p.receiver.Process(e)
}

// stderr writes a line.
func (p *process) stderr(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.receiver.Stderr(transport.Line{Time: time.Now(), Text: line})
}

// latency is how long a scripted server and the demo server in pictures take to
// write a frame: servers that take no time look unreal.
const latency = 3 * time.Millisecond

// slowed is a stream that takes latency for each frame, and more for a long one.
type slowed struct{ io.Writer }

// Write implements [io.Writer].
func (w slowed) Write(b []byte) (int, error) {
	n := 0
	for line := range bytes.Lines(b) {
		time.Sleep(latency + time.Duration(len(line))*time.Microsecond)
		m, err := w.Writer.Write(line)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// serveSlowed is the demo server with latency.
func serveSlowed(o demo.Options) func(context.Context, io.Reader, io.Writer) error {
	o.Exit, o.Offers = func(int) {}, sessiontest.Fixed
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		return demo.New(o).ServeStdio(ctx, in, slowed{out}, io.Discard)
	}
}

// reply responds to requests with results by method, until a method has none: it
// returns the name of that one. A result that begins with "error " is the error of an
// error response, one that begins with "frame " is all of the response. The empty name
// is the end of the input.
func reply(in io.Reader, out io.Writer, results map[string]string) string {
	out = slowed{out}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil || request.ID == nil {
			continue // a notification
		}
		result, ok := results[request.Method]
		if !ok {
			return request.Method
		}
		if frame, whole := strings.CutPrefix(result, "frame "); whole {
			fmt.Fprintln(out, frame)
			continue
		}
		member, value := "result", result
		if text, isError := strings.CutPrefix(result, "error "); isError {
			member, value = "error", text
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%q:%s}`+"\n", request.ID, member, value)
	}
	return ""
}

// scripted is a server that responds with results by method, and ends where a method
// has none; see reply.
func scripted(results map[string]string) func(context.Context, io.Reader, io.Writer) error {
	return func(_ context.Context, in io.Reader, out io.Writer) error {
		reply(in, out, results)
		return nil
	}
}

// weather is a small server: two tools, and results for the methods in more.
func weather(more map[string]string) func(context.Context, io.Reader, io.Writer) error {
	results := maps.Clone(forecast)
	maps.Copy(results, more)
	return scripted(results)
}

// startUnauthorized starts a server that rejects each request for want of a token.
// It runs outside of the bubble, over a socket: no connection stays open, since one
// would keep the fake time of the bubble from passing.
func startUnauthorized(t *testing.T) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.Header()["Date"] = nil
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="weather", error="invalid_token", error_description="The access token is missing"`)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"invalid_token","error_description":"The access token is missing"}`)
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}
