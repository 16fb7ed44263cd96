package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/session"
)

// fakeServer is a connection to a server that the test plays.
type fakeServer struct {
	receiver transport.Receiver
	got      chan string // frames of the tap
	openErr  error
	stdout   sync.Mutex
	mu       sync.Mutex
	err      error
	done     chan struct{}
	once     sync.Once
}

func (s *fakeServer) Open(_ context.Context, r transport.Receiver) error {
	s.receiver = r
	return s.openErr
}

func (s *fakeServer) Send(_ context.Context, o transport.Outgoing) error {
	s.got <- string(o.Bytes)
	return nil
}

func (s *fakeServer) Negotiated(string) {}

func (s *fakeServer) Listen() <-chan struct{} { return nil }

func (s *fakeServer) Done() <-chan struct{} { return s.done }

func (s *fakeServer) Close(context.Context) error { s.once.Do(func() { close(s.done) }); return nil }

func (s *fakeServer) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// die ends the server by itself.
func (s *fakeServer) die(text string) {
	s.mu.Lock()
	s.err = errors.New(text)
	s.mu.Unlock()
	s.once.Do(func() { close(s.done) })
}

// says has the server write some frames at once.
func (s *fakeServer) says(frames ...string) {
	s.stdout.Lock()
	defer s.stdout.Unlock()
	s.receiver.(transport.LineReceiver).Lines(time.Now(), []byte(strings.Join(frames, "\n")+"\n"))
}

// relayRig is a relay between a host and servers that the test plays.
type relayRig struct {
	t       *testing.T
	r       *Relay
	host    *io.PipeWriter
	lines   chan string // to the host
	servers chan *fakeServer
}

func newRelayRig(t *testing.T) *relayRig {
	g := unstartedRig(t)
	g.start(t)
	return g
}

// unstartedRig is a rig whose relay can still be set up.
func unstartedRig(t *testing.T) *relayRig {
	in, host := io.Pipe()
	out, stdout := io.Pipe()
	g := &relayRig{t: t, host: host, lines: make(chan string, 100), servers: make(chan *fakeServer, 10)}
	g.r = &Relay{
		Server: client.Target{Argv: []string{"server"}}, Stdin: in, Stdout: stdout, Stderr: io.Discard, Until: "when a file changes",
		Warn: func(string) {},
		Dial: func(Events) transport.Transport {
			s := &fakeServer{got: make(chan string, 100), done: make(chan struct{})}
			g.servers <- s
			return s
		},
	}
	g.r.Follow = func(ctx context.Context) { _ = g.r.Connect(ctx) }
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			g.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() { _ = stdout.Close() })
	return g
}

// start runs the relay until the end of the test.
func (g *relayRig) start(t *testing.T) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = g.r.Run(t.Context())
	}()
	t.Cleanup(func() {
		_ = g.host.Close()
		<-ended
	})
}

func (g *relayRig) sends(frame string) { _, _ = io.WriteString(g.host, frame+"\n") }

func (g *relayRig) hostGets(parts ...string) string {
	g.t.Helper()
	synctest.Wait()
	select {
	case line := <-g.lines:
		for _, p := range parts {
			if !strings.Contains(line, p) {
				g.t.Errorf("the host got %s, without %s", line, p)
			}
		}
		return line
	case <-time.After(time.Minute):
		g.t.Fatal("the host got nothing")
	}
	return ""
}

func (g *relayRig) nothing() {
	g.t.Helper()
	synctest.Wait()
	select {
	case line := <-g.lines:
		g.t.Errorf("the host got %s", line)
	default:
	}
}

func next(t *testing.T, s *fakeServer, parts ...string) string {
	t.Helper()
	select {
	case line := <-s.got:
		for _, p := range parts {
			if !strings.Contains(line, p) {
				t.Errorf("the server got %s, without %s", line, p)
			}
		}
		return line
	case <-time.After(time.Minute):
		t.Fatal("the server got nothing")
	}
	return ""
}

const (
	hostInitialize  = `{"jsonrpc":"2.0", "id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`
	hostInitialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	serverResult    = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`
)

// connected has the host connect to the first server, and list its tools.
func (g *relayRig) connected() *fakeServer {
	s := <-g.servers
	g.sends(hostInitialize)
	next(g.t, s, `"id":0`)
	s.says(fmt.Sprintf(serverResult, "0"))
	g.hostGets(`"id":0`)
	g.sends(hostInitialized)
	next(g.t, s, "initialized")
	g.sends(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	next(g.t, s, "tools/list")
	s.says(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`)
	g.hostGets(`"id":1`)
	return s
}

// restart replaces the server and returns the new one, which has responded to initialize.
func (g *relayRig) restart(generation ...uint64) (s *fakeServer, done chan error) {
	done = make(chan error, 1)
	cause := session.Cause{Text: "a.js saved"}
	if generation != nil {
		cause.Generation = generation[0]
	}
	go func() { done <- g.r.RestartAfter(g.t.Context(), cause) }()
	s = <-g.servers
	line := next(g.t, s, `"method":"initialize"`, `"clientInfo":{"name":"h","version":"1"}`)
	if strings.Contains(line, `"id":0,`) {
		g.t.Error("initialize was repeated with the id of the host: " + line)
	}
	e := jsonrpc.Scan([]byte(line))
	s.says(fmt.Sprintf(serverResult, e.ID.Of([]byte(line)).String()))
	if got := next(g.t, s, "initialized"); got != hostInitialized {
		g.t.Error("other bytes than those of the host: " + got)
	}
	return s, done
}

// serve plays a server: it responds to each request after a while, and notes what it got.
func (s *fakeServer) serve(random *rand.Rand, got func(id string)) {
	for {
		select {
		case <-s.done:
			return
		case line := <-s.got:
			b := []byte(line)
			e := jsonrpc.Scan(b)
			if e.Kind != jsonrpc.Request {
				continue
			}
			id := e.ID.Of(b).String()
			result := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, id)
			if e.HasMethod(b, "initialize") {
				result = fmt.Sprintf(serverResult, id)
			}
			if e.HasMethod(b, "ping") {
				got(id)
			}
			wait := time.Duration(random.IntN(30)) * time.Millisecond
			time.AfterFunc(wait, func() {
				select {
				case <-s.done:
				default:
					s.says(result)
				}
			})
		}
	}
}

// ended waits for the end of a relay, and returns its error.
func ended(done <-chan error) error { return <-done }
