package watch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/runs/watch"
	"mcptea/session/tap/relay"
)

// The model of a server with a URL: another program restarts it some time after a save, and its port refuses
// connections in between. mcptea cannot know which server a call reaches. These hold:
//
//	(b) each call has one response
//	(c) no call is carried out twice
//	(d) no call waits longer than a start may take
//	(e) a call has a result if the server ran from 6 s before the call until the response. mcptea replaces the first
//	    session after a save within 5 s, and a call in flight may end with it.
//	(f) if a call waits in vain while the port refuses connections, its error says so

// urlWorld is the server of a URL and the program that restarts it.
type urlWorld struct {
	mu       sync.Mutex
	random   *rand.Rand
	listener *pipes // of the server that runs; nil while none does
	server   *http.Server
	sessions map[string]bool // of the server that runs
	streams  bool            // GET opens a stream
	changed  time.Time       // of the newest start or end
	carried  map[int]int     // by call: how often it was carried out
	problems []string
}

func (w *urlWorld) between(from, to time.Duration) time.Duration {
	return from + time.Duration(w.random.Int64N(int64(to-from)+1))
}

// pipes accepts connections that are pipes.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects to the server that runs, or is refused.
func (w *urlWorld) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	l := w.listener
	w.mu.Unlock()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	if l == nil {
		return nil, refused
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// start starts a server. The caller holds the lock.
func (w *urlWorld) start() {
	w.listener = &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	sessions := map[string]bool{}
	w.sessions, w.changed = sessions, time.Now()
	w.server = &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.serve(sessions, rw, r) })}
	go func(s *http.Server, l net.Listener) { _ = s.Serve(l) }(w.server, w.listener)
}

// end ends the server that runs, with its connections.
func (w *urlWorld) end() {
	w.mu.Lock()
	s := w.server
	w.listener, w.server, w.changed = nil, nil, time.Now()
	w.mu.Unlock()
	if s != nil {
		_ = s.Close()
	}
}

func (w *urlWorld) serve(sessions map[string]bool, rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Mcp-Session-Id")
	w.mu.Lock()
	known := sessions[id]
	w.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	switch {
	case err != nil:
		return
	case e.HasMethod(body, "initialize"):
		w.mu.Lock()
		id = fmt.Sprintf("s%d", w.random.Uint64())
		sessions[id] = true
		w.mu.Unlock()
		rw.Header().Set("Mcp-Session-Id", id)
		w.respond(rw, e.ID.Of(body).String(), `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
	case !known:
		http.Error(rw, "no such session", http.StatusNotFound)
	case r.Method == http.MethodGet && w.streams:
		rw.Header().Set("Content-Type", "text/event-stream")
		rw.WriteHeader(http.StatusOK)
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.Method != http.MethodPost:
		rw.WriteHeader(http.StatusMethodNotAllowed)
	case e.Kind != jsonrpc.Request:
		rw.WriteHeader(http.StatusAccepted)
	default:
		w.call(rw, r, body, e)
	}
}

// call carries out a request.
func (w *urlWorld) call(rw http.ResponseWriter, r *http.Request, body []byte, e jsonrpc.Envelope) {
	text := e.ID.Of(body).String()
	w.mu.Lock()
	took := w.between(0, 300*time.Millisecond)
	if n, err := strconv.Atoi(text); err == nil && e.HasMethod(body, "tools/call") {
		if w.carried[n]++; w.carried[n] > 1 {
			w.problems = append(w.problems, fmt.Sprintf("(c) call %d was carried out %d times", n, w.carried[n]))
		}
		if w.random.Float64() < 0.1 {
			took = w.between(time.Second, 8*time.Second)
		}
	}
	w.mu.Unlock()
	select {
	case <-time.After(took):
		w.respond(rw, text, `{"content":[]}`)
	case <-r.Context().Done():
	}
}

func (w *urlWorld) respond(rw http.ResponseWriter, id, result string) {
	rw.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// reload has the server restarted a while after a save, as such programs do, unless a later save does it.
func (w *urlWorld) reload(saves *int) {
	*saves++
	mine := *saves
	notice, start := w.between(50*time.Millisecond, 1500*time.Millisecond), w.between(50*time.Millisecond, 3*time.Second)
	fails := w.random.Float64() < 0.2
	time.AfterFunc(notice, func() {
		w.mu.Lock()
		newest := mine == *saves
		w.mu.Unlock()
		if !newest {
			return
		}
		w.end()
		time.AfterFunc(start, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			if mine == *saves && !fails && w.listener == nil {
				w.start()
			}
		})
	})
}

// urlCall is a call of the host.
type urlCall struct {
	wrote, answered time.Time
	stable          bool // the server ran since 6 s before the call, until the response
	since           time.Time
	refused         bool // the port has refused connections for a second at the response
	responses       []string
}

// modelURL runs a seed, and returns what is not as it has to be.
func modelURL(t *testing.T, seed uint64) (problems []string, results int) {
	w := &urlWorld{random: rand.New(rand.NewPCG(seed, 9)), carried: map[int]int{}}
	calls := map[int]*urlCall{}
	synctest.Test(t, func(t *testing.T) {
		w.streams = w.random.IntN(2) == 0
		w.mu.Lock()
		w.start()
		w.mu.Unlock()
		ctx, stop := context.WithCancel(t.Context())
		events := make(chan fsnotify.Event, 10_000)
		target := client.Target{URL: "http://server.test/mcp", Dial: w.dial}
		in, host := io.Pipe()
		out, stdout := io.Pipe()
		r := &relay.Relay{
			Server: target, Secrets: target.Secrets(), Stdin: in, Stdout: stdout, Stderr: io.Discard,
			OnDemand: true, Declares: true, Until: "with the next request", Warn: func(string) {},
		}
		r.Dial = func(e relay.Events) transport.Transport {
			return target.NewTransport(client.Raw{Lost: e.Lost, Expired: e.Expired, Tool: r.Tool, Secrets: r.Secrets})
		}
		settled, unsubscribe := r.Settled()
		defer unsubscribe()
		sources := &watch.Sources{Calls: r.Calls, Settled: settled, Note: func(string) {}}
		watcher, unwatch := watch.NewScripted(modelDir, events, func(path string) { events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod} }, sources, func(string) (fs.FileInfo, error) { return nil, nil })
		loop := wire(r, watcher, sources, "", func(string) {})
		r.Follow = func(ctx context.Context) { loop.Run(ctx, func() {}) }
		connected := make(chan struct{})
		var work sync.WaitGroup
		work.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				e := jsonrpc.Scan(lines.Bytes())
				n, err := strconv.Atoi(e.ID.Of(lines.Bytes()).String())
				switch {
				case err != nil || !e.Kind.IsResponse():
				case n == 0:
					close(connected)
				default:
					w.mu.Lock()
					c := calls[n]
					c.answered, c.stable = time.Now(), c.stable && w.listener != nil && w.changed.Equal(c.since)
					c.refused = w.listener == nil && time.Since(w.changed) > time.Second
					c.responses = append(c.responses, lines.Text())
					w.mu.Unlock()
				}
			}
		})
		over := make(chan struct{})
		go func() { defer close(over); _ = r.Run(ctx); _ = stdout.Close() }()
		sends := func(frame string) { _, _ = io.WriteString(host, frame+"\n") }
		sends(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
		<-connected
		sends(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		saves, id := 0, 0
		busy := []time.Duration{200 * time.Millisecond, time.Second, 4 * time.Second}[w.random.IntN(3)]
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			w.mu.Lock()
			pause, saved := w.between(0, busy), w.random.Float64() < 0.1
			if saved {
				w.reload(&saves)
			}
			w.mu.Unlock()
			if saved {
				events <- fsnotify.Event{Name: modelDir + "/server.js", Op: fsnotify.Write}
			} else {
				id++
				w.mu.Lock()
				calls[id] = &urlCall{wrote: time.Now(), since: w.changed, stable: w.listener != nil && time.Since(w.changed) > 6*time.Second}
				w.mu.Unlock()
				sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
			}
			time.Sleep(pause)
		}
		time.Sleep(2 * time.Minute)
		_ = host.Close()
		<-over
		stop()
		unwatch()
		w.end()
		work.Wait()
	})
	for n := 1; n <= len(calls); n++ {
		c := calls[n]
		switch {
		case len(c.responses) != 1:
			w.problems = append(w.problems, fmt.Sprintf("(b) call %d has %d responses: %q", n, len(c.responses), c.responses))
		case c.answered.Sub(c.wrote) > time.Minute:
			w.problems = append(w.problems, fmt.Sprintf("(d) call %d has waited for %s: %s", n, c.answered.Sub(c.wrote), c.responses[0]))
		case strings.Contains(c.responses[0], `"result"`):
			results++
		case strings.Contains(c.responses[0], "(restarting)") && c.refused:
			w.problems = append(w.problems, fmt.Sprintf("(f) the port refused connections, and the error of call %d does not say so: %s", n, c.responses[0]))
		case c.stable:
			w.problems = append(w.problems, fmt.Sprintf("(e) call %d of a server that runs: %s", n, c.responses[0]))
		}
	}
	return w.problems, results
}

// TestModel_URL runs MODEL_SEEDS seeds, beginning with MODEL_FROM: by default a sample, and 500 if MCPTEA_E2E is set.
func TestModel_URL(t *testing.T) {
	sample := 15
	if os.Getenv("MCPTEA_E2E") != "" {
		sample = 500
	}
	results, from := 0, number("MODEL_FROM", 0)
	for seed := from; seed < from+number("MODEL_SEEDS", sample); seed++ {
		problems, n := modelURL(t, uint64(seed))
		results += n
		if len(problems) > 0 {
			t.Errorf("seed %d: %d problems: %s", seed, len(problems), strings.Join(problems[:min(len(problems), 5)], "\n\t"))
		}
	}
	if results == 0 {
		t.Error("no call had a result")
	}
	t.Logf("%d calls had a result", results)
}
