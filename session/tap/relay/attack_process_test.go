//go:build unix

package relay_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
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

// attackVariable has the test program be a server that ends in a bad way when it is called, or a process
// that one leaves behind.
const attackVariable = "MCPTEA_TEST_RELAY_ATTACK"

// deadLine is what a process writes that has outlived its server.
const deadLine = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"of the dead"}}`

// serveAttack is that server.
func serveAttack(mode string) {
	if mode == "left behind" {
		fmt.Println(deadLine)
		for {
			if _, err := fmt.Println(deadLine); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		b := lines.Bytes()
		e := jsonrpc.Scan(b)
		if e.Kind != jsonrpc.Request {
			continue
		}
		id := e.ID.Of(b).String()
		switch {
		case e.HasMethod(b, "initialize"):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`+"\n", id)
		case !e.HasMethod(b, "tools/call"):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`+"\n", id)
		case mode == "torn":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"te`, id)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case mode == "leaves":
			left := exec.Command(os.Args[0])
			left.Env = append(os.Environ(), attackVariable+"=left behind")
			left.Stdout = os.Stdout
			left.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // not of the group that is ended
			if err := left.Start(); err != nil {
				panic(err)
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"left":%d}}`+"\n", id, left.Process.Pid)
			os.Exit(0)
		}
	}
}

// attacked is a host of a relay whose server is serveAttack.
type attacked struct {
	t     *testing.T
	r     *relay.Relay
	host  *os.File
	lines chan string
	ended chan struct{}
	path  string
}

func newAttacked(t *testing.T, mode string) *attacked {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, host, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a := &attacked{t: t, host: host, lines: make(chan string, 100_000), ended: make(chan struct{}), path: filepath.Join(t.TempDir(), "s.mcptea.jsonl")}
	mark := "MCPTEA_TEST_MARK=" + strconv.Itoa(os.Getpid()) + t.Name()
	env := append(os.Environ(), attackVariable+"="+mode, mark)
	a.r = &relay.Relay{
		Server: client.Target{Argv: []string{self}, Env: env}, Stdin: in, Stdout: stdout, Stderr: io.Discard, Warn: func(string) {},
		Record: func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: a.path}, record.Header{Transport: "stdio", Target: "s"})
		},
		Dial: func(relay.Events) transport.Transport {
			return stdio.New(stdio.Config{Argv: []string{self}, Env: env, Grace: time.Second, KillLeft: true, Mark: mark})
		},
	}
	a.r.Follow = func(ctx context.Context) { _ = a.r.Connect(ctx) }
	go func() {
		defer close(a.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			a.lines <- lines.Text()
		}
	}()
	go func() {
		defer close(a.ended)
		_ = a.r.Run(t.Context())
	}()
	t.Cleanup(func() {
		_ = host.Close()
		<-a.ended
	})
	a.sends(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
	a.gets(`"id":0`)
	a.sends(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return a
}

func (a *attacked) sends(frame string) { _, _ = io.WriteString(a.host, frame+"\n") }

// gets returns the next line that has a text.
func (a *attacked) gets(text string) (line string, before int) {
	a.t.Helper()
	for line := range a.lines {
		if strings.Contains(line, text) {
			return line, before
		}
		before++
	}
	a.t.Fatalf("the host did not get %s", text)
	return "", 0
}

// A process that outlives its server, and writes to the stdout that both have, reaches the host no more
// once the next server has begun, and does not live on.
func TestRelay_ServerWritesAfterItsEnd(t *testing.T) {
	a := newAttacked(t, "leaves")
	a.sends(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	line, _ := a.gets(`"left"`)
	pid, _ := strconv.Atoi(string(jsonrpc.Get([]byte(line), "result", "left")))
	a.gets("of the dead") // it writes while nothing has replaced its server
	if err := a.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}); err != nil {
		t.Fatal(err)
	}
	a.sends(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	a.gets(`"id":2`) // what was under way is there
	for id := 3; id < 53; id++ {
		a.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		if _, before := a.gets(fmt.Sprintf(`"id":%d`, id)); before > 0 {
			t.Fatalf("the host got %d lines of the server that was replaced", before)
		}
	}
	for runs(pid) { // until the test is given up
		time.Sleep(time.Millisecond)
	}
}

// runs reports a process that has not ended.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
}

// A line of which a server has written a part when it was killed reaches the host in no form, also not glued
// to a line of the next server, and is a frame of its own in the recording.
func TestRelay_ServerEndsInALine(t *testing.T) {
	a := newAttacked(t, "torn")
	a.sends(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	if line, before := a.gets(`"id":1`); before > 0 || !strings.Contains(line, "SIGKILL") {
		t.Errorf("the host got %s, after %d other lines", line, before)
	}
	if err := a.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved"}); err != nil {
		t.Fatal(err)
	}
	a.sends(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if line, before := a.gets(`"id":2`); before > 0 || line != `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}` {
		t.Errorf("the host got %s, after %d other lines", line, before)
	}
	_ = a.host.Close()
	<-a.ended
	torn := 0
	for _, e := range eventsOf(t, a.path, map[int32]*record.Change{}) {
		text := string(e.Frame.Bytes)
		if strings.HasSuffix(text, `"type":"te`) {
			if torn++; e.Frame.Side != transport.Withheld || !e.Frame.Truncated {
				t.Errorf("the part of a line is recorded with side %q", e.Frame.Side)
			}
			continue
		}
		if !e.Frame.Envelope.Kind.IsResponse() && strings.Contains(text, `"te`) && e.Frame.Dir == transport.In {
			t.Errorf("recorded: %s", text)
		}
	}
	if torn != 1 {
		t.Errorf("the part of a line is recorded %d times", torn)
	}
}
