//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
)

const (
	// hostileEnv makes this binary a server that sends very much: what, how often, and how
	// often a second, if not as fast as it can.
	hostileEnv = "MCPTEA_E2E_HOSTILE"
	// writtenEnv names a file to which it writes when the last byte was written, in
	// nanoseconds since 1970.
	writtenEnv = "MCPTEA_E2E_WRITTEN"
	// peakEnv makes it run a command, and write the most memory that this had, in MB, to file 3.
	peakEnv = "MCPTEA_E2E_PEAK"
	// pacedFrom is more than what is kept in memory of the newest frames.
	pacedFrom = 75_000
)

// hostile are the floods by name: what the server writes for a number.
var hostile = map[string]func(out *bufio.Writer, i int){
	"pings": func(out *bufio.Writer, i int) { fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i) },
	"ids": func(out *bufio.Writer, i int) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":"%s%d","method":"ping"}`+"\n", megabyte, i)
	},
	"names": func(out *bufio.Writer, i int) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"name":"%s"}}`+"\n", i, megabyte)
	},
	"elicitations": func(out *bufio.Writer, i int) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"%s","requestedSchema":{"type":"object","properties":{}}}}`+"\n", i, megabyte)
		fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i)
	},
	"frames": func(out *bufio.Writer, i int) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"frame %d of very many, %0100d"}}`+"\n", i, i)
	},
}

// largeLine is repeated in the result of "text".
const largeLine = `the \"measurement\" of something, which is \u00e9gal\n`

// largeItem is repeated in the result of "large".
const largeItem = `{"id":1234567,"name":"the measurement of something","value":12345.6},`

var megabyte = strings.Repeat("x", 1<<20)

// actsAs makes this binary what measures a process, or a hostile server, when it is to be one.
func actsAs() bool {
	what := os.Getenv(hostileEnv)
	switch {
	case os.Getenv(peakEnv) != "":
		measurePeak()
	case what != "":
		serveHostile(what)
	case os.Getenv(randomEnv) != "":
		serveRandom(os.Getenv(randomEnv))
	default:
		return false
	}
	return true
}

// measurePeak runs the command of the arguments.
func measurePeak() {
	_ = os.Unsetenv(peakEnv)
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	_ = cmd.Run() // the exit code tells
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprint(os.NewFile(3, "peak"), usage.Maxrss>>10)
	os.Exit(cmd.ProcessState.ExitCode())
}

// runForPeak runs a command, and returns the most memory that it had, in MB. A small process
// starts it: the peak of a process is never below that of the one that starts it.
func runForPeak(t *testing.T, cmd *exec.Cmd) (peak int64, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	measured, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer measured.Close()
	cmd.Args = append([]string{self}, cmd.Args...)
	cmd.Args[1], cmd.Path = cmd.Path, self
	cmd.Env = append(cmd.Environ(), peakEnv+"=1")
	cmd.ExtraFiles = []*os.File{written}
	failed := cmd.Run()
	_ = written.Close() // its end was that of the command
	if _, err := fmt.Fscan(measured, &peak); err != nil {
		t.Fatalf("no peak: %v, %v", err, failed)
	}
	return peak, failed
}

// serveHostile answers the handshake and, on the first tools/call, sends the
// flood. The result says how many responses have come.
func serveHostile(what string) {
	name, count, _ := strings.Cut(what, " ")
	count, pace, _ := strings.Cut(count, " ")
	n, _ := strconv.Atoi(count)
	perSecond, _ := strconv.Atoi(pace)
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	say := func(format string, a ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, format+"\n", a...)
		_ = out.Flush() // a client that has gone ends us by EOF
	}
	var answered atomic.Int64
	all := make(chan struct{})
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		e := jsonrpc.Scan(line)
		id := e.ID.Of(line).String()
		switch method := e.MethodName(line); {
		case e.Kind.IsResponse():
			if answered.Add(1) == int64(n) {
				close(all)
			}
		case method == "initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"hostile","version":"1"}}}`, id)
		case method == "tools/list" && name == "pages":
			n--
			next := ""
			if n > 0 {
				next = fmt.Sprintf(`,"nextCursor":"%d"`, n)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}},{"name":"t%d","description":"%s"}]%s}}`, id, n, megabyte, next)
		case method == "tools/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}}`, id)
		case method == "tools/call" && name == "large":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"large"}],"structuredContent":{"items":[%s{}]}}}`,
				id, strings.Repeat(largeItem, n/len(largeItem)))
			_ = os.WriteFile(os.Getenv(writtenEnv), []byte(strconv.FormatInt(time.Now().UnixNano(), 10)), 0o600)
		case method == "tools/call" && name == "text":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`,
				id, strings.Repeat(largeLine, n/len(largeLine)))
			_ = os.WriteFile(os.Getenv(writtenEnv), []byte(strconv.FormatInt(time.Now().UnixNano(), 10)), 0o600)
		case method == "tools/call" && name == "blocks":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[%s{"type":"text","text":"0 responses"}]}}`, id, strings.Repeat(`{"type":"text","text":"0 responses"},`, n))
		case method == "tools/call" && name == "stderr":
			for range n {
				_, _ = os.Stderr.WriteString(megabyte)
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"0 responses"}]}}`, id)
		case method == "tools/call" && name == "pages":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"0 responses"}]}}`, id)
		case method == "tools/call":
			go func() {
				mu.Lock()
				for i, begin := 0, time.Now(); i < n; i++ {
					if perSecond > 0 && i >= pacedFrom && i%(perSecond/100) == 0 { // a hundred times a second
						_ = out.Flush()
						mu.Unlock()
						time.Sleep(time.Until(begin.Add(time.Duration(i-pacedFrom) * time.Second / time.Duration(perSecond))))
						mu.Lock()
					}
					hostile[name](out, i)
				}
				_ = out.Flush()
				mu.Unlock()
				if name == "pings" || name == "names" {
					<-all
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%d responses"}]}}`, id, answered.Load())
			}()
		case e.Kind == jsonrpc.Request:
			say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		}
	}
}

func TestBounds_ResidentMemory(t *testing.T) {
	if !demanded() {
		t.Skip("takes minutes; set MCPTEA_E2E=1")
	}
	t.Parallel() // with the other test of memory; each measures a process of its own
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		what   string
		limit  int64  // MB
		ulimit string // of a file, in KiB
		args   []string
		out    string
	}{
		// Its four million messages have a match of 24 bytes each, the newest in memory.
		{what: "pings 1000000", limit: 175, out: "1000000 responses"},
		{what: "ids 1500", limit: 150, out: "0 responses"},
		{what: "names 1500", limit: 100, out: "1500 responses"},
		{what: "elicitations 4000", limit: 130, args: []string{"--answer", "elicitation=decline"}, out: "responses"},
		{what: "frames 4000000", limit: 100, out: "0 responses"},
		{what: "frames 1500000", limit: 400, ulimit: "2048", args: []string{"--record", "r.jsonl"}, out: "0 responses"},
		{what: "pages 600", limit: 150, args: []string{"a=1"}, out: "0 responses"},
		{what: "blocks 500000", limit: 200, out: "0 responses"},
		{what: "stderr 512", limit: 120, out: "0 responses"},
		// About 20 MB of the peaks are the pages of the program itself.
		{what: "pings 500000", limit: 180, args: []string{"--record", "r.jsonl", "--record-limit", "10MB"}, out: "500000 responses"},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.what+" "+strings.Join(tt.args, " "), " ", "_"), func(t *testing.T) {
			args := append([]string{"call", "go", "--timeout", "5m"}, tt.args...)
			args = append(args, "--", self)
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
			defer stop()
			cmd := exec.CommandContext(ctx, program(t), args...)
			if tt.ulimit != "" {
				cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -f ` + tt.ulimit + `; exec "$@"`, "sh", program(t)}, args...)...)
			}
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), hostileEnv+"="+tt.what, "HOME="+cmd.Dir, "TMPDIR="+cmd.Dir)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			rss, err := runForPeak(t, cmd)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			if !strings.Contains(stdout.String(), tt.out) {
				t.Errorf("the tool says %q, want %q\n%s", stdout.String(), tt.out, stderr.String())
			}
			t.Logf("%d MB at the most; %s", rss, stderr.String())
			if rss > tt.limit {
				t.Errorf("%d MB are more than %d MB", rss, tt.limit)
			}
			if left, _ := filepath.Glob(filepath.Join(cmd.Dir, "mcptea-*")); len(left) > 0 {
				t.Errorf("files are left: %v", left)
			}
		})
	}
}

// A recording of 800 MB is read as a stream, from a file and from a pipe.
func TestBounds_LintOfALargeRecording(t *testing.T) {
	if !demanded() {
		t.Skip("takes minutes; set MCPTEA_E2E=1")
	}
	t.Parallel() // each test of memory measures a process of its own
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	record := exec.CommandContext(t.Context(), program(t), "call", "go", "--timeout", "5m", "--record", "r.jsonl", "--record-limit", "0", "--", self)
	record.Dir, record.Env = dir, append(os.Environ(), hostileEnv+"=frames 3000000")
	if out, err := record.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, script := range []string{`exec "$0" lint r.jsonl`, `cat r.jsonl | "$0" lint -`} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script, program(t))
		cmd.Dir = dir
		begin := time.Now()
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		rss, err := runForPeak(t, cmd)
		t.Logf("%s: %d MB at the most, %v", script, rss, time.Since(begin).Round(time.Second))
		if err != nil || !strings.Contains(out.String(), "read as a recording") {
			t.Errorf("%v\n%.500s", err, out.String())
		}
		if rss > 150 {
			t.Errorf("%s: %d MB", script, rss)
		}
	}
}

// Without a place to write to, commands work as ever and leave nothing behind.
func TestBounds_NoWritableDirectory(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	base := []string{"PATH=" + os.Getenv("PATH"), hostileEnv + "=frames 20000"}
	for name, env := range map[string][]string{
		"no directory exists":   {"TMPDIR=" + file + "/tmp", "HOME=" + file + "/home"},
		"no variable is set":    {"TMPDIR=" + file + "/tmp"},
		"a home that is a file": {"TMPDIR=" + file, "HOME=" + file, "XDG_CONFIG_HOME=" + file},
	} {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{"info"}, {"list"}, {"call", "go"}, {"call", "go", "--record", "off"}} {
				cmd := exec.CommandContext(t.Context(), program(t), append(args, "--", self)...)
				cmd.Env = append(append([]string{}, base...), env...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if err := cmd.Run(); err != nil || strings.Contains(stderr.String(), "recorded") || strings.Contains(stderr.String(), "warning") {
					t.Errorf("%v: %v\n%s", args, err, stderr.String())
				}
			}
		})
	}
}
