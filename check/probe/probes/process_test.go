package probes_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

// faultVariable makes this binary a server with a fault.
const faultVariable = "MCPTEA_PROBE_FAULT"

// markVariable names a directory that the first process makes which stays.
const markVariable = "MCPTEA_PROBE_MARK"

func TestMain(m *testing.M) {
	if fault := os.Getenv(faultVariable); fault != "" {
		serveProcess(fault)
		return
	}
	if err := flag.Set("test.parallel", "6"); err != nil { // most of their time they wait for processes
		panic(err)
	}
	// Heaps of a few MB are collected all the time, which is a sixth of the processor time.
	debug.SetGCPercent(400)
	raced.OthersNever("they fire each probe on servers made for it, in one goroutine of a bubble")
	os.Exit(m.Run())
}

// serveProcess is the demo server on stdin and stdout, with a fault of the process.
func serveProcess(fault string) {
	switch fault {
	case "stays":
		signal.Ignore(syscall.SIGTERM)
	case "stays-twice": // with one that exits at SIGTERM between them
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		go func() {
			<-term
			if mark := os.Getenv(markVariable); os.Mkdir(mark, 0o700) == nil || os.Mkdir(mark+"2", 0o700) != nil {
				return
			}
			os.Exit(0)
		}()
	case "wraps":
		wrap()
		return
	case "sleeps":
		time.Sleep(time.Minute) // until it is killed
		return
	case "insists":
		signal.Ignore(syscall.SIGPIPE)
	case "slower":
		n := 1
		for os.Mkdir(os.Getenv(markVariable)+strconv.Itoa(n), 0o700) != nil {
			n++
		}
		if n == 3 || n > 4 { // the one without a frame, and what is started to repeat it
			time.Sleep(5 * time.Second) // longer than the limit of the test
		}
	}
	var out io.Writer = os.Stdout
	switch fault {
	case "canary":
		out = replacing{os.Stdout, `"serverInfo":{`, `"serverInfo":{"title":"` + os.Getenv("MCPTEA_CANARY") + `",`}
	case "banner":
		fmt.Println("The server is running")
	case "differs":
		out = replacing{os.Stdout, `"description":"`, fmt.Sprintf(`"description":"%d `, os.Getpid())}
	}
	var reads atomic.Bool
	var in io.Reader = readsSomething{os.Stdin, &reads}
	if fault == "asks" {
		serveRoots()
		return
	}
	if serve := strict[fault]; serve != nil {
		if sessiontest.Answering(serve)(context.Background(), os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	if fault == "reads" {
		in = readsAreFrames{os.Stdin}
	}
	if fault == "spawns" {
		in = spawnsAtCall{os.Stdin}
	}
	_ = demo.New(demo.Options{Pace: time.Millisecond}).ServeStdio(context.Background(), in, out, io.Discard)
	switch fault {
	case "logs":
		fmt.Fprintln(os.Stderr, "SyntaxError: Unterminated string\n    at JSON.parse (file:///srv/stdio.js:35:44)")
	case "stays":
		time.Sleep(time.Minute) // until it is killed
	case "stays-once":
		if reads.Load() && os.Mkdir(os.Getenv(markVariable), 0o700) == nil { // the first process of those with a frame that gets here
			time.Sleep(time.Minute)
		}
	case "insists":
		if _, err := os.Stdout.WriteString("\n"); err != nil {
			time.Sleep(time.Minute) // until it is killed
		}
	case "panics":
		fmt.Fprintln(os.Stderr, "panic: the end of stdin")
		os.Exit(2)
	}
}

// strict are servers that take pieces as they should, and are strict about something else.
var strict = map[string]func(*sessiontest.Peer, sessiontest.Message) bool{
	"ends-early": beforeInitialized(func(*sessiontest.Peer, sessiontest.Message) bool { return true }),
	"ends-early-later": beforeInitialized(func(*sessiontest.Peer, sessiontest.Message) bool {
		time.Sleep(100 * time.Millisecond) // as one does that writes a report first
		return true
	}),
	"refuses-early": beforeInitialized(func(p *sessiontest.Peer, m sessiontest.Message) bool {
		p.Error(m, jsonrpc.CodeInvalidRequest, "Not initialized")
		return false
	}),
	"ends-at-emoji": func(p *sessiontest.Peer, m sessiontest.Message) bool {
		return bytes.Contains(m.Params, []byte(`😀`)) || usual(p, m)
	},
}

// usual is a server without faults.
var usual = handshakeServer("", nil)

// beforeInitialized is a server that does not answer a request before notifications/initialized.
func beforeInitialized(early func(*sessiontest.Peer, sessiontest.Message) bool) func(*sessiontest.Peer, sessiontest.Message) bool {
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		if m.ID != "" && m.Method != "initialize" && m.Method != "server/discover" && !p.Initialized {
			return early(p, m)
		}
		return usual(p, m)
	}
}

// readsSomething notes that something was read.
type readsSomething struct {
	in   io.Reader
	some *atomic.Bool
}

func (r readsSomething) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if n > 0 {
		r.some.Store(true)
	}
	return n, err
}

// start starts this binary with another fault.
func start(fault string, stdin bool) io.WriteCloser {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), faultVariable+"="+fault)
	var in io.WriteCloser
	if stdin {
		if in, err = cmd.StdinPipe(); err != nil {
			panic(err)
		}
		cmd.Stdout = os.Stdout
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return in
}

// wrap is a wrapper of a server that stays. It ends at the end of stdin, and at SIGTERM.
func wrap() {
	in := start("stays", true)
	_, _ = io.Copy(in, os.Stdin)
}

// spawnsAtCall starts a process that stays with each call of a tool.
type spawnsAtCall struct{ in io.Reader }

func (r spawnsAtCall) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if bytes.Contains(b[:n], []byte(`"tools/call"`)) {
		start("sleeps", false)
	}
	return n, err
}

// serveRoots is a server that requests the roots of a client that declares them, and does
// not exit before it has them.
func serveRoots() {
	lines := bufio.NewScanner(os.Stdin)
	declared, waiting := false, false
	for lines.Scan() {
		line := lines.Bytes()
		e := jsonrpc.Scan(line)
		id := e.ID.Of(line)
		switch e.MethodName(line) {
		case "initialize":
			_, declared = jsonrpc.Member(line, "params", "capabilities", "roots")
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n", id)
		case "notifications/initialized":
			if waiting = declared; declared {
				fmt.Println(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
			}
		case "ping":
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n", id)
		case "":
			waiting = waiting && e.Kind != jsonrpc.Response
		}
	}
	if waiting {
		time.Sleep(time.Minute) // until it is killed
	}
}

// readsAreFrames takes what one read returns for a whole frame.
type readsAreFrames struct{ in io.Reader }

func (r readsAreFrames) Read(b []byte) (int, error) {
	n, err := r.in.Read(b[:len(b)-1])
	if n > 0 && b[n-1] != '\n' {
		b[n] = '\n'
		n++
	}
	return n, err
}

// replacing replaces a text in each line.
type replacing struct {
	out     io.Writer
	old, by string
}

func (w replacing) Write(b []byte) (int, error) {
	_, err := io.WriteString(w.out, strings.ReplaceAll(string(b), w.old, w.by))
	return len(b), err
}

func TestProbe_FiresOnProcessFault(t *testing.T) {
	for _, s := range []struct {
		probe, fault string
		verdict      probe.Verdict
		contains     string
	}{
		{"P-101", "stays", probe.Warn, "does not exit within"},
		{"P-101", "stays-once", probe.Pass, "In 1 of 3 attempts the server, or a process that it had started, was still running 3 s after the end of stdin"},
		{"P-102", "stays-twice", probe.Failure, "in 2 of 3 attempts the server, or a process that it had started, was still running"},
		{"P-101", "panics", probe.Warn, "crashes at the end of stdin"},
		{"P-102", "stays", probe.Warn, "after SIGTERM"},
		{"P-101", "wraps", probe.Warn, "1 process of the server is still running"},
		{"P-102", "wraps", probe.Warn, "1 process of the server is still running"},
		{"P-108", "insists", probe.Warn, "the server is still running"},
		{"P-108", "none", probe.Pass, ""},
		{"P-109", "spawns", probe.Warn, "after a call of"},
		{"P-109", "none", probe.Pass, ""},
		{"P-104", "reads", probe.Fail, "no response to a frame in pieces"},
		{"P-104", "none", probe.Pass, ""},
		{"P-104", "ends-early", probe.Pass, ""},
		{"P-104", "ends-early-later", probe.Pass, ""},
		{"P-104", "refuses-early", probe.Pass, ""},
		{"P-104", "ends-at-emoji", probe.Failure, "a frame in pieces, sent in the plain way on a connection of its own, has no result, either"},
		{"P-177", "canary", probe.Warn, "MCPTEA_CANARY"},
		{"P-190", "differs", probe.Pass, "After a restart the lists differ"},
		{"P-101", "none", probe.Pass, ""},
		{"P-101", "asks", probe.Pass, ""},
		{"P-101", "slower", probe.Pass, ""},
		{"P-101", "logs", probe.Pass, ""},
		{"P-104", "banner", probe.Pass, ""},
		{"P-177", "none", probe.Pass, ""},
		{"P-190", "none", probe.Pass, ""},
	} {
		t.Run(s.probe+"/"+s.fault, func(t *testing.T) {
			if s.probe == "P-102" && runtime.GOOS == "windows" {
				t.Skip("Windows has no SIGTERM")
			}
			t.Parallel()
			limit, timeout := 0.5, 2*time.Second
			switch {
			case s.fault == "slower":
				limit, timeout = 2, 0
			case s.fault == "stays-once", s.fault == "stays-twice", s.fault == "insists":
				limit, timeout = 3, 0
			case s.verdict == probe.Pass && s.fault != "stays" && s.fault != "wraps":
				limit, timeout = 10, 0 // of a loaded machine
			}
			var verdict probe.Verdict
			var said string
			for {
				verdict, said = processFault(t, s.probe, s.fault, limit, timeout)
				if limit *= 2; !strings.Contains(said, "needs as much time to start") || limit > 20 {
					break // else the machine is slow now
				}
			}
			if verdict != s.verdict || !strings.Contains(said, s.contains) {
				t.Errorf("verdict %s, want %s with %q; findings:\n%s", verdict, s.verdict, s.contains, said)
			}
		})
	}
}

// processFault runs a probe against this program with a fault, and returns its verdict with the
// messages of its findings, and why it has none. limit is how long the server may take to exit, in
// seconds.
func processFault(t *testing.T, id, fault string, limit float64, timeout time.Duration) (v probe.Verdict, said string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	summary, err := probes.Run(context.Background(), probe.Config{
		Target: client.Target{Argv: []string{self}, Env: append(os.Environ(), faultVariable+"="+fault, markVariable+"="+filepath.Join(t.TempDir(), "mark")), Grace: 200 * time.Millisecond},
		Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, Timeout: timeout,
		Only: []string{id}, Limits: map[string]float64{"eof-exit": limit},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range summary.Reports {
		if r.Entry.ID != id {
			continue
		}
		messages := []string{r.Skip}
		for _, f := range r.Findings {
			messages = append(messages, f.Message)
		}
		v, said = r.Verdict, strings.Join(messages, "\n")
	}
	return v, said
}
