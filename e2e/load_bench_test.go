//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/raced"
)

// What the inspector costs on a terminal, beside the plainest program that does the same
// here and now: a share of a core means little without saying of which core.
//
//	go test ./e2e -run - -bench Inspector -benchtime 5x

// memoryBudget is what a million frames may hold in memory.
const memoryBudget = 100 << 20

// clockTick is the unit of the processor times in /proc, the same on all
// machines that Linux runs on today.
const clockTick = 10 * time.Millisecond

// spent is the processor time of a process so far.
func spent(t testing.TB, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// The second field is the name in parentheses, which may hold anything.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	ticks := time.Duration(0)
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * clockTick
}

// memoryOf is a figure of the memory of a process, in bytes.
func memoryOf(t testing.TB, pid int, name string) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), name)
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// share is how much of a core a process takes while something goes on.
func share(t testing.TB, pid int, during func()) float64 {
	t.Helper()
	before, begin := spent(t, pid), time.Now()
	during()
	return float64(spent(t, pid)-before) / float64(time.Since(begin))
}

// paste writes text as a terminal does at a paste.
func (term *terminal) paste(text string) {
	term.t.Helper()
	term.types("\x1b[200~" + text + "\x1b[201~")
}

// flood starts a flood through the composer and leaves it.
func (term *terminal) flood(arguments string) {
	term.t.Helper()
	term.paste(`{"jsonrpc":"2.0","id":"flood","method":"tools/call","params":{"name":"flood","arguments":` + arguments + `}}`)
	term.shows("Compose")
	term.shows("perSecond")
	term.types("\x13") // ctrl+s
	term.shows("response to id")
	term.types("\x1b")
	term.shows("log info flood")
}

// echoes types letters that were never on the screen, and measures how long
// each takes to come out.
func (term *terminal) echoes(n int) []time.Duration {
	term.t.Helper()
	var took []time.Duration
	for i := range n {
		letter := string(rune(0x0400 + i)) // Cyrillic: nothing else here writes it
		term.mu.Lock()
		from := len(term.written)
		term.mu.Unlock()
		begin := time.Now()
		term.types(letter)
		timeout := time.After(deadline)
		for !term.hasWritten(from, letter) {
			select {
			case <-term.news:
			case <-timeout:
				term.t.Fatalf("the key %q never shows", letter)
			}
		}
		took = append(took, time.Since(begin))
		time.Sleep(70 * time.Millisecond) // faster than people type
	}
	return took
}

func (term *terminal) hasWritten(from int, text string) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return bytes.Contains(term.written[from:], []byte(text))
}

func (term *terminal) leaves() {
	term.t.Helper()
	term.types("\x03\x03")
	_ = term.ends() // whichever code: it was cut short
}

// BenchmarkInspector_Idle is the share of a core and the memory of an inspector in which
// nothing moves.
func BenchmarkInspector_Idle(b *testing.B) {
	var cost, memory []float64
	for b.Loop() {
		term := flooded(b)
		term.shows("connected")
		time.Sleep(3 * time.Second) // what belongs to the start is over
		cost = append(cost, share(b, term.cmd.Process.Pid, func() { time.Sleep(8 * time.Second) }))
		memory = append(memory, float64(memoryOf(b, term.cmd.Process.Pid, "VmRSS:")))
		term.leaves()
	}
	b.ReportMetric(median(cost)*100, "%core")
	b.ReportMetric(median(memory)/(1<<20), "MB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkInspector_Follow is what 200,000 frames a second cost while they are followed, and
// how long a key takes until it is on the screen meanwhile.
func BenchmarkInspector_Follow(b *testing.B) {
	var plain, cost []float64
	var keys []time.Duration
	for b.Loop() {
		plain = append(plain, plainReading(b))
		term := flooded(b)
		term.shows("connected")
		term.flood(`{"count":1000000,"perSecond":200000}`)
		term.types("2/") // the filter of the tools, beside the traffic
		cost = append(cost, share(b, term.cmd.Process.Pid, func() { keys = append(keys, term.echoes(45)...) }))
		term.leaves()
	}
	slices.Sort(keys)
	b.ReportMetric(median(plain)*100, "%core-reading-alone")
	b.ReportMetric(median(cost)*100, "%core")
	b.ReportMetric(float64(keys[len(keys)/2].Microseconds()), "key-p50-µs")
	b.ReportMetric(float64(keys[len(keys)*95/100].Microseconds()), "key-p95-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkInspector_Million is the time until a million frames that come at once are
// counted on the screen.
func BenchmarkInspector_Million(b *testing.B) {
	var memory []float64
	for b.Loop() {
		memory = append(memory, float64(million(b)))
	}
	b.ReportMetric(median(memory)/(1<<20), "MB-peak")
}

// BenchmarkInspector_LargeFrame is the time from the last byte of a result of 50 MB until its
// row is on the screen, and the tool's result.
func BenchmarkInspector_LargeFrame(b *testing.B) {
	b.Run("structured", func(b *testing.B) { largeFrame(b, "large", "measurement of something") })
	b.Run("text", func(b *testing.B) { largeFrame(b, "text", "of something, which is égal") })
}

// largeFrame measures one kind of result, of which a text is on the screen at the end.
func largeFrame(b *testing.B, kind, shows string) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var row, result, memory []float64
	written := filepath.Join(b.TempDir(), "written")
	for b.Loop() {
		term := onTerminal(b, "--protocol", "2025-11-25", "-e", hostileEnv+"="+kind+" 50000000", "-e", writtenEnv+"="+written, "--", self)
		term.shows("no arguments")
		term.types("\r")
		term.shows("enter send")
		term.types("\r")
		term.shows(" MB") // of the response
		shown := time.Now()
		term.shows(shows)
		parsed := time.Now()
		text, err := os.ReadFile(written)
		if err != nil {
			b.Fatal(err)
		}
		nanos, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		row, result = append(row, shown.Sub(time.Unix(0, nanos)).Seconds()), append(result, parsed.Sub(time.Unix(0, nanos)).Seconds())
		memory = append(memory, float64(memoryOf(b, term.cmd.Process.Pid, "VmHWM:")))
		term.leaves()
	}
	b.ReportMetric(1000*median(row), "ms-row")
	b.ReportMetric(1000*median(result), "ms-result")
	b.ReportMetric(median(memory)/(1<<20), "MB-peak")
	b.ReportMetric(0, "ns/op")
}

func TestInspector_MillionFramesAtOnce(t *testing.T) {
	raced.Never(t, "measures memory of a program that is built without the detector")
	if !demanded() {
		t.Skip("a million frames take their time; with MCPTEA_E2E=1 they come")
	}
	if peak := million(t); peak > memoryBudget {
		t.Errorf("%d MB are more than %d MB", peak>>20, int64(memoryBudget)>>20)
	}
}

// million has the inspector follow a million frames, with keys between them, and returns
// the most memory that it held.
func million(t testing.TB) int64 {
	t.Helper()
	term := flooded(t)
	term.shows("connected")
	term.flood(`{"count":1000000,"perSecond":0}`)
	term.types("2/")
	term.echoes(5)
	term.shows("Logs 1,000,000")
	peak := memoryOf(t, term.cmd.Process.Pid, "VmHWM:")
	term.leaves()
	return peak
}

// flooded is the demo in a revision in which log messages come unasked: they are
// what the flood is made of.
func flooded(t testing.TB) *terminal {
	t.Helper()
	return onTerminal(t, "demo", "--protocol", "2025-11-25")
}
