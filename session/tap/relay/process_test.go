//go:build unix

package relay_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/session/tap/relay"
)

// logVariable names the directory in which the test program, as a server, writes what it gets.
const logVariable = "MCPTEA_TEST_RELAY_LOG"

func TestMain(m *testing.M) {
	if dir := os.Getenv(logVariable); dir != "" {
		serveLogged(dir)
		return
	}
	if mode := os.Getenv(attackVariable); mode != "" {
		serveAttack(mode)
		return
	}
	os.Exit(m.Run())
}

// serveLogged is a server that writes each line that it gets to a file of its own. Some of its responses
// come late, and each call reports progress before.
func serveLogged(dir string) {
	log, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d-%d", time.Now().UnixNano(), os.Getpid())))
	if err != nil {
		panic(err)
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	var late sync.WaitGroup
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		b := bytes.Clone(lines.Bytes())
		_, _ = log.Write(append(bytes.Clone(b), '\n'))
		e := jsonrpc.Scan(b)
		if e.Kind != jsonrpc.Request {
			continue
		}
		id := e.ID.Of(b).String()
		switch e.MethodName(b) {
		case "initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, id)
		case "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}}`, id, os.Getpid())
		case "tools/call":
			n, _ := strconv.Atoi(id)
			answer := func() {
				say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, id)
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"of %s"}]}}`, id, id)
			}
			if n%5 != 0 {
				answer()
				continue
			}
			late.Add(1)
			time.AfterFunc(time.Duration(n%40)*time.Millisecond, func() { defer late.Done(); answer() })
		default:
			say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		}
	}
	late.Wait()
}

// heard is what a host has got.
type heard struct {
	mu    sync.Mutex
	lines []string
	byID  map[int][]string
}

// However and whenever the server is replaced — by a restart, kill -9, or a restart in the middle of a
// start —, each request of a steady stream has one response, no server gets one that another one got, and
// each gets them in their order. The recording has each byte that was sent and received, and says which
// frames are the tap's own.
func TestRelay_SteadyStream(t *testing.T) {
	restarts := 12
	if os.Getenv("MCPTEA_E2E") != "" {
		restarts = 500
	}
	const seed = 20261127
	random := rand.New(rand.NewPCG(seed, 1))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logs, path := t.TempDir(), filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	target := client.Target{Argv: []string{self}, Env: append(os.Environ(), logVariable+"="+logs)}
	in, host, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r := &relay.Relay{
		Server: target, Stdin: in, Stdout: stdout, Stderr: io.Discard, Warn: func(string) {}, Declares: true,
		Record: func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: path}, record.Header{Transport: "stdio", Target: "s"})
		},
	}
	var mu sync.Mutex
	pid := 0
	r.Dial = func(relay.Events) transport.Transport {
		return noting{stdio.New(stdio.Config{Argv: target.Argv, Env: target.Env, Grace: 5 * time.Second, Idle: 200 * time.Millisecond}), func(now int) {
			mu.Lock()
			defer mu.Unlock()
			pid = now
		}}
	}
	connected := make(chan struct{})
	r.Follow = func(ctx context.Context) {
		_ = r.Connect(ctx)
		close(connected)
	}
	got := &heard{byID: map[int][]string{}}
	read := make(chan struct{})
	arrived := make(chan struct{}, 1)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			text := lines.Text()
			e := jsonrpc.Scan([]byte(text))
			got.mu.Lock()
			got.lines = append(got.lines, text)
			if e.Kind.IsResponse() {
				id, _ := strconv.Atoi(e.ID.Of([]byte(text)).String())
				got.byID[id] = append(got.byID[id], text)
			}
			got.mu.Unlock()
			select {
			case arrived <- struct{}{}:
			default:
			}
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.Run(t.Context())
		_ = stdout.Close()
	}()
	var sent []string
	send := func(frame string) {
		sent = append(sent, frame)
		if _, err := io.WriteString(host, frame+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	responses := func() int {
		got.mu.Lock()
		defer got.mu.Unlock()
		return len(got.byID)
	}
	<-connected
	send(`{"jsonrpc":"2.0", "id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
	for responses() < 1 {
		<-arrived
	}
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range restarts {
			time.Sleep(time.Duration(random.IntN(40)) * time.Millisecond) // when the restart is, not for how long one waits
			mu.Lock()
			now := pid
			mu.Unlock()
			switch random.IntN(4) {
			case 0:
				_ = syscall.Kill(now, syscall.SIGKILL)
				_ = r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"})
			case 1: // a save in the middle of a start
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.IntN(15))*time.Millisecond)
				_ = r.RestartAfter(ctx, session.Cause{Text: "a.js saved"})
				cancel()
				_ = r.RestartAfter(t.Context(), session.Cause{Text: "b.js saved"})
			default:
				_ = r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"})
			}
		}
	}()
	last := 2
	for running := true; running; {
		select {
		case <-stop:
			running = false
		default:
		}
		for last-responses() > 8 { // a host that waits for some of them
			<-arrived
		}
		last++
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":%d}}}`, last, last))
	}
	for responses() < last {
		<-arrived
	}
	_ = host.Close()
	<-ended
	<-read

	results, failures := 0, 0
	for id := 1; id <= last; id++ {
		switch all := got.byID[id]; {
		case len(all) != 1:
			t.Errorf("request %d has %d responses: %q", id, len(all), all)
		case strings.Contains(all[0], `"error"`):
			failures++
			if !strings.Contains(all[0], `"source":"mcptea tap"`) {
				t.Errorf("request %d: %s", id, all[0])
			}
		case id > 2 && !strings.Contains(all[0], fmt.Sprintf(`"of %d"`, id)):
			t.Errorf("request %d has the response of another one: %s", id, all[0])
		default:
			results++
		}
	}
	servers := serverLogs(t, logs)
	checkOrder(t, servers)
	checkRecording(t, path, servers, got.lines, sent)
	t.Logf("%d restarts, %d servers, %d requests: %d results, %d errors of the tap", restarts, len(servers), last, results, failures)
}

// serverLogs are the lines that each server got, in the order of their starts.
func serverLogs(t *testing.T, dir string) (all [][]string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		all = append(all, lines[:len(lines)-1])
	}
	return all
}

// checkOrder checks that each call reached one server, and each server got its calls in their order.
func checkOrder(t *testing.T, servers [][]string) {
	t.Helper()
	seen := map[int]int{}
	for n, lines := range servers {
		newest := 0
		for _, line := range lines {
			if !strings.Contains(line, `"tools/call"`) {
				continue
			}
			b := []byte(line)
			e := jsonrpc.Scan(b)
			id, _ := strconv.Atoi(e.ID.Of(b).String())
			if before, twice := seen[id]; twice {
				t.Errorf("call %d reached server %d and %d", id, before, n)
			}
			if seen[id] = n; id < newest {
				t.Errorf("server %d got call %d after %d", n, id, newest)
			}
			newest = max(newest, id)
		}
	}
}

// checkRecording compares a recording with what the host and the servers have written and read.
func checkRecording(t *testing.T, path string, servers [][]string, toHost, ofHost []string) {
	t.Helper()
	out, in, host := map[uint16][]string{}, []string(nil), []string(nil)
	changes := map[int32]*record.Change{}
	frames := eventsOf(t, path, changes)
	own := 0
	for row, e := range frames {
		f, text := &e.Frame, string(e.Frame.Bytes)
		c := changes[int32(row)]
		if f.Side == transport.Own {
			own++
		}
		switch {
		case f.Dir == transport.Out && f.Side != transport.Own:
			host = append(host, text)
			fallthrough
		case f.Dir == transport.Out:
			if f.Side != transport.Withheld {
				out[e.Conn] = append(out[e.Conn], text)
			}
		case f.Side == transport.Own || f.Side == transport.Withheld:
		case c != nil && c.What == record.Edited:
			in = append(in, string(c.Sent[0]))
		default:
			in = append(in, text)
		}
	}
	if own == 0 {
		t.Error("no frame is the tap's own")
	}
	if !slices.Equal(in, toHost) {
		t.Errorf("the recording has %d frames for the host, which got %d", len(in), len(toHost))
	}
	if !slices.Equal(host, ofHost) {
		t.Errorf("the recording has %d frames of the host, which wrote %d", len(host), len(ofHost))
	}
	unmatched := 0
	for _, lines := range servers { // a server that was killed has not read all
		if !slices.ContainsFunc(slices.Collect(maps.Values(out)), func(sent []string) bool {
			return len(lines) <= len(sent) && slices.Equal(lines, sent[:len(lines)])
		}) {
			unmatched++
			t.Logf("lines of a server:\n%s", strings.Join(lines, "\n"))
		}
	}
	if unmatched > 0 {
		t.Errorf("%d servers got other lines than the recording has", unmatched)
	}
}

// eventsOf returns the frames of a recording, and what has become of them by their row.
func eventsOf(t *testing.T, path string, changes map[int32]*record.Change) (frames []record.Event) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := record.NewLines(t.Context(), bytes.NewReader(text))
	defer lines.Close()
	header, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := record.NewReader(header, lines)
	if err != nil {
		t.Fatal(err)
	}
	for event, err := range reader.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch event.Kind {
		case record.KindFrame:
			kept := *event
			kept.Frame.Bytes = bytes.Clone(event.Frame.Bytes)
			frames = append(frames, kept)
		case record.KindChange:
			c := *event.Change
			changes[c.Row] = &c
		}
	}
	return frames
}

// noting is a transport that says which process it has started.
type noting struct {
	*stdio.Transport
	started func(pid int)
}

func (n noting) Open(ctx context.Context, r transport.Receiver) error {
	err := n.Transport.Open(ctx, r)
	if err == nil {
		n.started(n.PID())
	}
	return err
}
