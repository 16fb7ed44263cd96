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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/raced"
	"mcptea/record"
)

// openMemoryBudget is what a recording of 1,000,000 frames may take in memory when all of it
// is read.
const openMemoryBudget = 150 << 20

// recordingOf writes a recording of so many frames.
func recordingOf(t testing.TB, frames int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "million.mcptea.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(file, 1<<20)
	now := time.Now().UnixNano()
	_, _ = w.Write(record.AppendHeader(nil, record.Header{Time: now, Tool: "test", Transport: "stdio", Target: "server"}))
	for i := range frames / 2 {
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

// BenchmarkOpen is the time until the first frames of a recording are on the screen, until
// all are counted, and how long a key takes then.
func BenchmarkOpen(b *testing.B) {
	program(b) // built before the clock runs
	for _, frames := range []int{10_000, 100_000, 1_000_000, 10_000_000} {
		b.Run(strconv.Itoa(frames), func(b *testing.B) {
			path := recordingOf(b, frames)
			var firsts, alls, memory []float64
			var keys []time.Duration
			for b.Loop() {
				first, all, peak := opened(b, path, frames, func(term *terminal) {
					term.types("/") // the filter
					keys = append(keys, term.echoes(10)...)
				})
				firsts, alls, memory = append(firsts, first.Seconds()), append(alls, all.Seconds()), append(memory, float64(peak))
			}
			slices.Sort(keys)
			b.ReportMetric(1000*median(firsts), "ms-first")
			b.ReportMetric(1000*median(alls), "ms-all")
			b.ReportMetric(median(memory)/(1<<20), "MB-peak")
			b.ReportMetric(float64(keys[len(keys)*95/100].Microseconds()), "key-p95-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func TestOpen_MillionFrames(t *testing.T) {
	raced.Never(t, "measures memory of a program that is built without the detector")
	if !demanded() {
		t.Skip("a million frames take their time; with MCPTEA_E2E=1 they come")
	}
	_, _, peak := opened(t, recordingOf(t, 1_000_000), 1_000_000, func(term *terminal) {
		term.types("G")
		term.shows("499999")
	})
	if peak > openMemoryBudget {
		t.Errorf("%d MB are more than %d MB", peak>>20, openMemoryBudget>>20)
	}
}

// opened opens a recording in the inspector, and returns when its first frames were on the
// screen, when all were counted, and the most memory that the program held. look is called
// before it ends.
func opened(t testing.TB, path string, frames int, look func(*terminal)) (first, all time.Duration, peak int64) {
	t.Helper()
	begin := time.Now()
	term := onTerminal(t, "open", path)
	term.shows("RECORDING")
	term.shows("→ echo ")
	first = time.Since(begin)
	term.shows(grouped(frames))
	all = time.Since(begin)
	look(term)
	peak = memoryOf(t, term.cmd.Process.Pid, "VmHWM:")
	term.leaves()
	return first, all, peak
}

// grouped is a number with a comma before each three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
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
	term = onTerminal(t, "open", path)
	term.shows("RECORDING")
	last := strings.TrimSuffix(lastFrame(raw.Bytes()), " very")
	eventually(t, "the last frame", func() bool { // once all are read, G goes to it
		term.types("G")
		return strings.Contains(term.text(), last)
	})
	term.types("q")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// lastFrame is the newest frame of the flood.
func lastFrame(raw []byte) string {
	all := floodFrame.FindAll(raw[max(0, len(raw)-4096):], -1)
	return string(all[len(all)-1])
}
