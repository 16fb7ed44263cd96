//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What the screen may cost (of one core), or as much as the plainest program
// that does the same, if that is more; and how long a key may take to show.
const (
	idleBudget   = 0.01
	followBudget = 0.25
	keyBudget    = 15 * time.Millisecond
	memoryBudget = 200 << 20
)

// tries is how often a share of a core is measured until it stays within its
// budget: other work on the machine makes it larger and never smaller, so one
// good try tells more than many bad ones.
const tries = 6

// clockTick is the unit of the processor times in /proc, the same on all
// machines that Linux runs on today.
const clockTick = 10 * time.Millisecond

// spent is the processor time of a process so far.
func spent(t *testing.T, pid int) time.Duration {
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

// resident is the most memory that a process has held.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// share is how much of a core a process takes while something goes on.
func share(t *testing.T, pid int, during func()) float64 {
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
	slices.Sort(took)
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

func TestLoadIdleCostsNextToNothing(t *testing.T) {
	skipUnlessQuiet(t)
	best, plain := 1.0, plainWaking(t)
	most := max(idleBudget, 2*plain)
	t.Logf("being woken as often: %.2f %% of a core", plain*100)
	for range tries {
		term := flooded(t)
		term.shows("connected")
		time.Sleep(2 * time.Second) // what belongs to the start is over
		cost := share(t, term.cmd.Process.Pid, func() { time.Sleep(8 * time.Second) })
		t.Logf("idle: %.2f %% of a core", cost*100)
		term.leaves()
		if best = min(best, cost); best <= most {
			return
		}
	}
	t.Errorf("idle costs %.2f %% of a core, more than %.2f %%", best*100, most*100)
}

func TestLoadFollowingAFlood(t *testing.T) {
	skipUnlessQuiet(t)
	var cost float64
	plain := plainReading(t)
	most := max(followBudget, plain)
	t.Logf("reading and decoding alone: %.1f %% of a core", plain*100)
	var p95 time.Duration
	for range tries {
		term := flooded(t)
		term.shows("connected")
		term.flood(`{"count":1000000,"perSecond":200000}`)
		term.types("2/") // the filter of the tools, beside the traffic
		var took []time.Duration
		cost = share(t, term.cmd.Process.Pid, func() { took = term.echoes(45) })
		p95 = took[len(took)*95/100]
		const unit = 100 * time.Microsecond
		t.Logf("200 000 frames a second: %.1f %% of a core; key to screen: median %v, 95th percentile %v, worst %v",
			cost*100, took[len(took)/2].Round(unit), p95.Round(unit), took[len(took)-1].Round(unit))
		term.leaves()
		if cost <= most && p95 <= keyBudget {
			return
		}
	}
	t.Errorf("following costs %.1f %% of a core (at most %.0f %%), keys take %v (at most %v)", cost*100, most*100, p95, keyBudget)
}

func TestLoadAMillionAtOnce(t *testing.T) {
	skipUnlessQuiet(t)
	term := flooded(t)
	term.shows("connected")
	begin := time.Now()
	term.flood(`{"count":1000000,"perSecond":0}`)
	term.types("2/")
	worst := term.echoes(5)[4]
	term.shows("Logs 1,000,000")
	took, memory := time.Since(begin), resident(t, term.cmd.Process.Pid)
	t.Logf("1 000 000 frames: there after %v, %d MB at the most, slowest of five keys meanwhile %v", took.Round(time.Millisecond), memory>>20, worst.Round(time.Millisecond))
	if memory > memoryBudget {
		t.Errorf("%d MB are more than %d MB", memory>>20, int64(memoryBudget)>>20)
	}
	if worst > 200*time.Millisecond {
		t.Errorf("a key took %v", worst)
	}
	term.leaves()
}

// flooded is the demo in a revision in which log messages come unasked: they are
// what the flood is made of.
func flooded(t *testing.T) *terminal {
	t.Helper()
	return onTerminal(t, "demo", "--protocol", "2025-11-25")
}
