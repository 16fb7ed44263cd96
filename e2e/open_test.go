//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/session/record"
)

// What a recording of 1,000,000 frames may take until its first frames are on the
// screen, and in memory when all of it is read.
const (
	openBudget       = 400 * time.Millisecond
	openMemoryBudget = 150 << 20
)

// millionFrames writes a recording of 1,000,000 frames.
func millionFrames(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "million.mcptea.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	now := time.Now().UnixNano()
	_, _ = w.Write(record.AppendHeader(nil, record.Header{Time: now, Tool: "test", Transport: "stdio", Target: "server"}))
	for i := range 500_000 {
		out := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a text of some length, so that a line has about 230 bytes %d"}}}`, i, i)
		in := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a text of some length, so that a line has about 230 bytes %d"}],"isError":false}}`, i, i)
		fmt.Fprintf(w, `{"s":%d,"t":%d,"k":"out","n":%d,"msg":%s}`+"\n", 2*i+1, now, len(out), out)
		fmt.Fprintf(w, `{"s":%d,"t":%d,"k":"in","n":%d,"msg":%s}`+"\n", 2*i+2, now, len(in), in)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen_MillionFrames(t *testing.T) {
	skipUnlessQuiet(t)
	program(t) // built before the clock runs
	path := millionFrames(t)
	best := time.Hour
	for range tries {
		begin := time.Now()
		term := onTerminal(t, "open", path)
		term.shows("RECORDING")
		term.shows("tools/call echo")
		first := time.Since(begin)
		term.shows("1,000,000")
		all, memory := time.Since(begin), resident(t, term.cmd.Process.Pid)
		t.Logf("first frames after %v, all after %v, %d MB at the most", first.Round(time.Millisecond), all.Round(time.Millisecond), memory>>20)
		term.types("G")
		term.shows("499999")
		term.leaves()
		if memory > openMemoryBudget {
			t.Errorf("%d MB are more than %d MB", memory>>20, openMemoryBudget>>20)
		}
		if best = min(best, first); best <= openBudget {
			return
		}
	}
	t.Errorf("the first frames are on the screen after %v, later than %v", best, openBudget)
}

var floodFrame = regexp.MustCompile(`frame (\d+) of very`)

// A recording has each frame that was on the screen when the inspector was killed.
func TestOpen_AfterKill(t *testing.T) {
	if !demanded() {
		t.Skip("records 1,000,000 frames; set MCPTEA_E2E=1")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "killed.mcptea.jsonl")
	term := onTerminal(t, "--record", path, "--protocol", "2025-11-25", "-e", hostileEnv+"=frames 1000000", "--", self)
	term.shows("connected")
	term.paste(`{"jsonrpc":"2.0","id":"flood","method":"tools/call","params":{"name":"go","arguments":{}}}`)
	term.shows("Compose")
	term.types("\x13") // ctrl+s
	term.types("\x1b9")
	eventually(t, "a frame of the middle of the flood", func() bool {
		for _, m := range floodFrame.FindAllStringSubmatch(term.text(), -1) {
			if n, _ := strconv.Atoi(m[1]); n > 100_000 {
				return true
			}
		}
		return false
	})
	if err := term.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = term.cmd.Wait() // killed
	<-term.read
	shown := floodFrame.FindAllString(term.text(), -1)
	if len(shown) == 0 {
		t.Fatalf("no frame is on the screen\n%s", term.text())
	}
	var raw, remarks bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program(t), "export", path, "--to", "raw", "--dir", "in")
	cmd.Stdout, cmd.Stderr = &raw, &remarks
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, remarks.String())
	}
	for _, frame := range shown {
		if !bytes.Contains(raw.Bytes(), []byte(frame)) {
			t.Errorf("the recording lacks %q, which was on the screen", frame)
		}
	}
	t.Logf("%d frames are on the screen, %d in the recording; %s", len(shown), bytes.Count(raw.Bytes(), []byte("\n")), strings.TrimSpace(remarks.String()))
	opened := onTerminal(t, "open", path)
	opened.shows("RECORDING")
	last := strings.TrimSuffix(lastFrame(raw.Bytes()), " very")
	eventually(t, "the last frame", func() bool { // once all are read, G goes to it
		opened.types("G")
		return strings.Contains(opened.text(), last)
	})
	opened.types("q")
	if code := opened.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// lastFrame is the newest frame of the flood.
func lastFrame(raw []byte) string {
	all := floodFrame.FindAll(raw[max(0, len(raw)-4096):], -1)
	return string(all[len(all)-1])
}
