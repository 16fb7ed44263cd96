//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// tapProcess is a tap that a test has started as a host does.
type tapProcess struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	mu     sync.Mutex
	stderr bytes.Buffer
	ended  chan struct{}
}

// Write takes stderr.
func (p *tapProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(b)
}

func (p *tapProcess) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

func startTap(t *testing.T, args ...string) *tapProcess {
	t.Helper()
	p := &tapProcess{Cmd: exec.Command(program(t), append([]string{"tap"}, args...)...), ended: make(chan struct{})}
	p.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	out, in, err := os.Pipe() // which is not closed when the tap has ended, unlike StdoutPipe
	if err != nil {
		t.Fatal(err)
	}
	p.Stdout, p.Stderr, p.stdout = in, p, out
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	t.Cleanup(func() {
		_ = p.Process.Kill()
		<-p.ended
		_ = out.Close()
	})
	return p
}

// ends waits for the end of the tap.
func (p *tapProcess) ends(t *testing.T) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(3 * deadline): // it may wait for the responses, for the server, and for a signal
		t.Fatalf("the tap has not ended; it said %s", p.said())
	}
}

// lives reports a process that has not ended.
func lives(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
}

// A build that does not end: a save during it begins another one in its place, and a signal ends the tap and
// the build, even one that no program can catch. No process is left.
func TestTapWatch_BuildThatDoesNotEnd(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			dir, notes := t.TempDir(), filepath.Join(t.TempDir(), "builds")
			children := notes + "-children"
			build := fmt.Sprintf("echo $$ >> '%s'; test $(wc -l < '%[1]s') = 1 || { sleep 1000 & echo $! >> '%s'; wait; }", notes, children) // the first one ends
			p := startTap(t, "--record", "off", "--watch="+dir, "--build", build, "--", "cat")
			_, _ = io.WriteString(p.stdin, hostInitialize)
			if line, err := bufio.NewReader(p.stdout).ReadString('\n'); line != hostInitialize {
				t.Fatalf("%q, %v", line, err)
			}
			pidsIn := func(file string) (pids []int) {
				text, _ := os.ReadFile(file)
				for field := range strings.FieldsSeq(string(text)) {
					pid, _ := strconv.Atoi(field)
					pids = append(pids, pid)
				}
				return pids
			}
			builds := func() []int { return pidsIn(notes) }
			begun := 0
			save := func() {
				if err := os.WriteFile(filepath.Join(dir, "a.js"), []byte(time.Now().String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for n := 1; n <= 4; n++ {
				eventually(t, fmt.Sprintf("build %d", n), func() bool { return len(builds()) > begun && len(pidsIn(children)) == len(builds())-1 })
				all := builds()
				begun = len(all)
				for _, before := range all[:begun-1] {
					eventually(t, "the end of the builds before", func() bool { return !lives(before) })
				}
				if n < 4 {
					save()
				}
			}
			_ = p.Process.Signal(sig)
			p.ends(t)
			for _, pid := range append(builds(), pidsIn(children)...) {
				eventually(t, "the end of the builds", func() bool { return !lives(pid) })
			}
			if got := p.ProcessState.Sys().(syscall.WaitStatus); !got.Signaled() || got.Signal() != sig {
				t.Errorf("the tap has ended with %v; it said %s", p.ProcessState, p.said())
			}
		})
	}
}

// hostInitialize is the first message of a host.
const hostInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}` + "\n"

// A host that reads nothing has the server wait, and the tap keeps no more than it has room for. The end of
// stdin, and a signal, end it all the same.
func TestTapWatch_HostThatDoesNotRead(t *testing.T) {
	flood := []string{"yes", `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"text":"` + strings.Repeat("x", 500) + `"}}`}
	for _, end := range []string{"SIGTERM", "stdin"} {
		t.Run(end, func(t *testing.T) {
			if end == "stdin" && !demanded() {
				t.Skip("takes as long as a host may be slow at the end; set MCPTEA_E2E=1")
			}
			record := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
			p := startTap(t, append([]string{"--record", record, "--watch=" + t.TempDir(), "--"}, flood...)...)
			for range 20 {
				_, _ = io.WriteString(p.stdin, hostInitialize)
			}
			size := func() int64 {
				info, err := os.Stat(record)
				if err != nil {
					return 0
				}
				return info.Size()
			}
			last := int64(-1)
			eventually(t, "the server waits", func() bool { // nothing is recorded any more
				now := size()
				same := now > 0 && now == last
				last = now
				return same
			})
			if rss := residentKB(t, p.Process.Pid); rss > 300_000 {
				t.Errorf("the tap has %d kB in memory", rss)
			}
			if end == "stdin" {
				_ = p.stdin.Close()
			} else {
				_ = p.Process.Signal(syscall.SIGTERM)
			}
			p.ends(t)
			if end == "stdin" && !strings.Contains(p.said(), "10 s to end") {
				t.Errorf("it does not say what it waits for: %s", p.said())
			}
		})
	}
}

// residentKB is how much memory a process has, in kB; 0 where the system does not say.
func residentKB(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}
