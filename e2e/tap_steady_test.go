//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	mcpjsonrpc "mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// steadyServers are commands that have the tool echo.
func steadyServers(t *testing.T) map[string][]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		lacks(t, "there is no python3")
	}
	script := filepath.Join(t.TempDir(), "server.py")
	if err := os.WriteFile(script, []byte(pythonServer), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{"everything": everything(t), "python": {python, script}, "demo": {program(t), "demo", "--serve"}}
}

// byDay are the pairs that are tried without the night: each host and each server.
var byDay = map[string]bool{"TypeScript SDK v1 everything": true, "TypeScript SDK v2 python": true, "Go SDK demo": true, "mcptea python": true}

// Hosts of others call without a pause while their server is restarted at random: by saves, by a command,
// and by kill -9. Each call has its own result, or an error of the tap, and one response; the recording has
// each byte between the host and the tap.
func TestTapWatch_SteadyHosts(t *testing.T) {
	times, night := 8, os.Getenv("MCPTEA_E2E_SOAK") != ""
	if night {
		times = 42 // 12 pairs: 504 restarts
	}
	total := 0
	for host, calls := range steadyHosts {
		for server, command := range steadyServers(t) {
			if !night && !byDay[host+" "+server] {
				continue
			}
			t.Run(host+" "+server, func(t *testing.T) {
				dir, state := t.TempDir(), t.TempDir()
				w := wiretapped(t, watchedTap(t, dir, command))
				restarts := 0
				got := steadily(t, calls, w.argv, append(os.Environ(), "XDG_STATE_HOME="+state), func() { restarts = disturb(t, state, dir, times) })
				total += restarts
				w.check(t, restarts > 0)
				t.Logf("%d restarts, %d calls: %d results, %d errors of the tap, %d faults %q", restarts, got.Calls, got.Results, got.Tap, len(got.Faults), got.Faults)
			})
		}
	}
	t.Logf("%d restarts", total)
}

// The same with a server that has a URL, which is killed and started again, and whose sessions are gone then.
func TestTapURL_SteadyHosts(t *testing.T) {
	others(t)
	times, night := 3, os.Getenv("MCPTEA_E2E_SOAK") != ""
	if night {
		times = 15
	}
	for host, calls := range steadyHosts {
		for _, server := range []string{"everything", "demo"} {
			if !night && host != "Go SDK" {
				continue
			}
			t.Run(host+" "+server, func(t *testing.T) {
				again := everythingServer
				if server == "demo" {
					again = demoServer
				}
				url, kill := startedAgain(t, again)
				w := wiretapped(t, urlTap(t, url))
				random := rand.New(rand.NewPCG(20261127, 3))
				got := steadily(t, calls, w.argv, append(os.Environ(), "XDG_STATE_HOME="+t.TempDir()), func() {
					for range times {
						time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // when it is killed
						kill()
					}
				})
				w.check(t, false)
				t.Logf("%d ends of the server, %d calls: %d results, %d errors of the tap, %d faults %q", times, got.Calls, got.Results, got.Tap, len(got.Faults), got.Faults)
			})
		}
	}
}

// steadily has a host call while the server is disturbed.
func steadily(t *testing.T, host steadyHost, argv, env []string, disturb func()) (got outcomes) {
	t.Helper()
	connected, stop := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		defer close(stop)
		select {
		case <-connected:
			disturb()
		case <-t.Context().Done():
		}
	})
	got = host(t, argv, env, func() { close(connected) }, stop)
	work.Wait()
	if got.Calls != got.Results+got.Tap || got.Wrong > 0 || len(got.Other) > 0 || got.Results == 0 {
		t.Errorf("%+v", got)
	}
	return got
}

// wiretap keeps what is between a host and a tap.
type wiretap struct {
	argv             []string // starts the tap
	in, out, records string   // files
}

// wiretapped puts the tee of the system on both sides of a tap.
func wiretapped(t *testing.T, argv []string) *wiretap {
	t.Helper()
	dir := t.TempDir()
	w := &wiretap{in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out"), records: argv[3]}
	script := fmt.Sprintf(`tee '%s' | "$@" | tee '%s'`, w.in, w.out)
	w.argv = append([]string{"sh", "-c", script, "sh"}, argv...)
	return w
}

// check compares the recording with what the host has written and read, and counts the responses.
func (w *wiretap) check(t *testing.T, own bool) {
	t.Helper()
	wrote, read := linesOf(t, w.in), linesOf(t, w.out)
	if all, _ := filepath.Glob(strings.Replace(w.records, ".mcptea", "-*.mcptea", 1)); len(all) > 0 {
		w.records = all[len(all)-1] // a host that finds out the era starts the command again
	}
	var sent, received []string
	ownFrames := 0
	for _, f := range framesOf(t, w.records) {
		switch {
		case f.side == transport.Own:
			ownFrames++
		case f.dir == transport.Out:
			sent = append(sent, f.text)
		case f.side != transport.Withheld:
			received = append(received, f.sent)
		}
	}
	if own && ownFrames == 0 {
		t.Error("no frame is the tap's own")
	}
	differ(t, "of the host", sent, wrote)
	differ(t, "for the host", received, read)
	requests, responses := map[mcpjsonrpc.Key]int{}, map[mcpjsonrpc.Key]int{}
	for _, line := range wrote {
		if e := mcpjsonrpc.Scan([]byte(line)); e.Kind == mcpjsonrpc.Request {
			requests[e.ID.Of([]byte(line)).Key()]++
		}
	}
	for _, line := range read {
		if e := mcpjsonrpc.Scan([]byte(line)); e.Kind.IsResponse() {
			responses[e.ID.Of([]byte(line)).Key()]++
		}
	}
	lost, doubled := 0, 0
	for id, n := range requests {
		lost += max(0, n-responses[id])
		doubled += max(0, responses[id]-n)
	}
	if lost > 0 || doubled > 0 {
		t.Errorf("%d of %d requests have no response, %d have another one", lost, len(requests), doubled)
	}
	t.Logf("%d requests on the wire: lost %d, doubled %d; %d frames of the host and %d for it are recorded as they were, %d are the tap's own", len(requests), lost, doubled, len(wrote), len(read), ownFrames)
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func differ(t *testing.T, what string, recorded, wire []string) {
	t.Helper()
	for i := range min(len(recorded), len(wire)) {
		if recorded[i] != wire[i] {
			t.Errorf("frame %d %s is recorded as %.200q, and was %.200q", i, what, recorded[i], wire[i])
			return
		}
	}
	if len(recorded) != len(wire) {
		t.Errorf("%d frames %s are recorded, of %d", len(recorded), what, len(wire))
	}
}

// disturb restarts the server of the only tap under a state directory again and again, and returns how
// often it was restarted.
func disturb(t *testing.T, state, dir string, times int) int {
	t.Helper()
	run := func(args ...string) string {
		cmd := exec.Command(program(t), args...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return string(out)
	}
	var list struct {
		Taps []struct{ PID, Restarts int }
	}
	taps := func() (pid, restarts int) {
		if err := json.Unmarshal([]byte(run("tap", "--list", "--json")), &list); err != nil || len(list.Taps) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list.Taps[0].PID, list.Taps[0].Restarts
	}
	random := rand.New(rand.NewPCG(20261127, 2))
	for n := range times {
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond) // when the server is disturbed
		pid, before := taps()
		switch random.IntN(3) {
		case 0: // the tap has one child, which is the server
			_ = exec.Command("pkill", "-9", "-P", strconv.Itoa(pid)).Run()
		case 1:
			if err := os.WriteFile(filepath.Join(dir, "a.js"), []byte(strings.Repeat("x", n)), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			run("tap", "--reload", strconv.Itoa(pid))
		}
		if random.IntN(3) > 0 { // else the next one comes in the middle of the start
			if _, now := taps(); now == before {
				run("tap", "--reload", strconv.Itoa(pid))
			}
			eventually(t, "the server is restarted", func() bool {
				_, now := taps()
				return now > before
			})
		}
	}
	_, before := taps()
	run("tap", "--reload", strconv.Itoa(list.Taps[0].PID)) // the last one makes it run
	eventually(t, "the server runs again", func() bool {
		_, now := taps()
		return now > before
	})
	_, restarts := taps()
	return restarts
}

// everythingServer and demoServer start a server at an address, and return the path of its URL.
func everythingServer(t *testing.T, address string) (cmd *exec.Cmd, path string) {
	argv := everything(t)
	cmd = exec.Command(argv[0], append(argv[1:len(argv)-1:len(argv)-1], "streamableHttp")...)
	cmd.Env = append(os.Environ(), "PORT="+address[strings.LastIndexByte(address, ':')+1:])
	return cmd, "/mcp"
}

func demoServer(t *testing.T, address string) (cmd *exec.Cmd, path string) {
	return exec.Command(program(t), "demo", "--listen", address), "/mcp"
}

// startedAgain runs a server, which kill ends and starts again at the same address.
func startedAgain(t *testing.T, server func(t *testing.T, address string) (*exec.Cmd, string)) (url string, kill func()) {
	t.Helper()
	address := freeAddress(t)
	var running *exec.Cmd
	start := func() {
		var path string
		running, path = server(t, address)
		url = "http://" + address + path
		running.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := running.Start(); err != nil {
			t.Error(err)
			return
		}
		eventually(t, "a server at "+address, func() bool { return accepts(address) })
	}
	end := func() {
		_ = syscall.Kill(-running.Process.Pid, syscall.SIGKILL)
		_ = running.Wait()
	}
	start()
	t.Cleanup(func() { end() })
	return url, func() {
		end()
		time.Sleep(20 * time.Millisecond) // calls come meanwhile
		start()
	}
}

// recordedFrame is a frame of a recording of a tap.
type recordedFrame struct {
	dir  transport.Direction
	side transport.Side
	text string
	sent string // the frame that was forwarded instead
}

func framesOf(t *testing.T, path string) (frames []recordedFrame) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := record.NewLines(t.Context(), file)
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
			f := &event.Frame
			frames = append(frames, recordedFrame{f.Dir, f.Side, string(f.Bytes), string(f.Bytes)})
		case record.KindChange:
			if c := event.Change; c.What == record.Edited && len(c.Sent) > 0 {
				frames[c.Row].sent = string(c.Sent[0])
			}
		}
	}
	return frames
}

// freeAddress is one that no program listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func accepts(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
