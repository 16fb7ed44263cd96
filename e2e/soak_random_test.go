//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/internal/test/raced"
)

// The same seed and process have the same acts, and others have others.
func TestSoakRandom_SameSeed(t *testing.T) {
	sequence := func(seed, process int) []act {
		a := newActor(seed, process)
		var acts []act
		for range 20_000 {
			acts = append(acts, a.next())
		}
		return acts
	}
	if !slices.Equal(sequence(7, 1), sequence(7, 1)) {
		t.Error("the same seed has two sequences")
	}
	if slices.Equal(sequence(7, 1), sequence(8, 1)) || slices.Equal(sequence(7, 1), sequence(7, 2)) {
		t.Error("two seeds, or two processes, have one sequence")
	}
}

// soakKeys are pressed at random: no key that quits, suspends, starts a program, sends what is
// typed to a shell, or holds frames, such as those of the handshake of the next process; and not the
// palette, which finds all of them.
var soakKeys = []string{
	"1", "2", "3", "4", "5", "6", "7", "8", "9", "9", "2", "5", "\x1b[A", "\x1b[B", "\x1b[B", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F",
	"\r", "\r", "\r", "\t", "\t", "\x1b", "\x1b", "\x1b", "\x1b", "/", "t", "v", "f", "p", "n", "N", "K", "d", "r", "y", "m", "c", "\x13", "\\", "?", " ", "<", ">", "X", "J", "a",
	"R",
}

// TestSoakRandom presses keys at random, changes the size of the window and restarts a server
// that does everything at random, for a minute or for MCPTEA_E2E_SOAK. Memory is flat, goroutines and
// open files are as many at the end as at the start, the recording has each frame of each of
// its processes, and nothing is left. MCPTEA_E2E_SEED repeats a run.
func TestSoakRandom(t *testing.T) {
	raced.Never(t, "measures memory of a program that is built without the detector")
	if !demanded() {
		t.Skip("takes a minute, or as long as MCPTEA_E2E_SOAK says; set MCPTEA_E2E=1")
	}
	t.Parallel() // with the other tests of memory; each measures a process of its own
	length, err := time.ParseDuration(cmp.Or(os.Getenv("MCPTEA_E2E_SOAK"), "1m"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.Atoi(cmp.Or(os.Getenv("MCPTEA_E2E_SEED"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const noise = 16 << 20 // bytes that memory may grow, whatever the length
	dir := t.TempDir()
	recording, trace := filepath.Join(dir, "soak.jsonl"), filepath.Join(dir, "goroutines")
	// The runtime writes the goroutines to stderr, which is a file beside the terminal.
	term := onTerminalWith(t, 2*length+4*deadline, []string{"sh", "-c", `exec env EDITOR=true VISUAL=true BROWSER=true GODEBUG=schedtrace=2000,scheddetail=1 "$@" 2>"$0"`, trace, program(t), "--record", recording, "--record-limit", "0", "--protocol", "2025-11-25", "-e", "GODEBUG=", "-e", fmt.Sprintf("%s=%d %s", randomEnv, seed, filepath.Join(dir, "processes")), "--", self})
	pid := term.cmd.Process.Pid
	term.shows("connected")
	eventually(t, "the flood before", func() bool { return paced.MatchString(term.text()) })
	soak := &soak{t: t, term: term, trace: trace, rng: rand.New(rand.NewPCG(uint64(seed), 1<<32))}
	soak.presses(length / 5) // caches fill
	before := soak.measure(pid)
	t.Logf("at first %v", before)
	begin := time.Now()
	for time.Since(begin) < length {
		soak.presses(max(length/30, time.Second))
		soak.samples = append(soak.samples, reading{time.Since(begin).Minutes(), float64(memoryOf(t, pid, "VmRSS:"))})
		t.Logf("after %.1f minutes %.1f MB", soak.samples[len(soak.samples)-1].minutes, soak.samples[len(soak.samples)-1].bytes/(1<<20))
	}
	after := soak.measure(pid)
	t.Logf("at the end %v, %d keys, slope %.0f kB a minute", after, soak.keys, soak.slope()/1024)
	if grown := soak.slope() * length.Minutes(); grown > noise {
		t.Errorf("memory grows by %.1f MB in %v: %v", grown/(1<<20), length, soak.samples)
	}
	if after.goroutines > before.goroutines+10 || after.files > before.files+3 || after.threads > before.threads+20 {
		_ = term.cmd.Process.Signal(syscall.SIGABRT) // the runtime writes where each goroutine is
		<-term.read
		t.Fatalf("at the end %v, at first %v\n%s", after, before, places(t, trace))
	}
	term.leaves()
	compareSequences(t, recording, seed)
}

// soak presses keys.
type soak struct {
	t       *testing.T
	term    *terminal
	trace   string // the file of what it writes to stderr
	rng     *rand.Rand
	keys    int
	tab     string // the newest key of a tab
	samples []reading
}

type reading struct{ minutes, bytes float64 }

// said is the end of what the program has written to stderr, without what the runtime traces there.
func said(t *testing.T, trace string) string {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "SCHED ") || strings.HasPrefix(line, "  ")
	})
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

var (
	goroutineState = regexp.MustCompile(`goroutine \d+[^\[\n]*\[([^],\n]*)`)
	ownFunction    = regexp.MustCompile(`(?m)^(?:created by )?(mcptea/\S+?)(?:\([^()]*\))?(?: in goroutine \d+)?$`)
)

// places returns the numbers of goroutines that wait in functions of ours, the largest first, of those
// that the runtime has written at the end.
func places(t *testing.T, trace string) string {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		if state := goroutineState.FindStringSubmatch(block); state != nil {
			where := "the runtime or a library"
			if own := ownFunction.FindStringSubmatch(block); own != nil {
				where = own[1]
			}
			count[state[1]+" in "+where]++
		}
	}
	var lines []string
	for place, n := range count {
		lines = append(lines, fmt.Sprintf("%4d %s", n, place))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// presses presses keys for some time, about 25 a second, and changes the size of the window.
func (s *soak) presses(length time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(40 * time.Millisecond) {
		select {
		case <-s.term.read:
			err := s.term.cmd.Wait()
			s.t.Fatalf("the program ended after %d keys: %v, %s; the screen was\n%s", s.keys, err, said(s.t, s.trace), s.term.text())
		default:
		}
		key := soakKeys[s.rng.IntN(len(soakKeys))]
		if len(key) == 1 && key >= "1" && key <= "9" {
			s.tab = key
		}
		// On Problems these keys run probes, whose journal may take 64 MB.
		runsProbes := s.tab == "8" && (key == "r" || key == "\r")
		if !runsProbes && (key != "\r" || s.connected()) {
			s.term.types(key)
		}
		if s.keys++; s.keys%60 == 0 {
			s.term.resize(1+s.rng.IntN(200), 1+s.rng.IntN(60))
		}
		if s.keys%100 == 0 { // a server that has exited is started again
			s.leavesShell()
			s.term.types("\x1b\x1b\x1b")
			time.Sleep(100 * time.Millisecond)
			s.term.types("\x1b")
			time.Sleep(100 * time.Millisecond)
			s.term.types("1R")
		}
	}
}

// connected reports that the header says so. Enter is pressed only then: on the page of a failure it would
// edit the command, or run it on the terminal, and what was measured would be another server.
func (s *soak) connected() bool { return strings.Contains(s.term.text(), "● connected") }

// leavesShell ends the server where a remedy of a failed connection has run it on the terminal.
func (s *soak) leavesShell() {
	if strings.HasPrefix(strings.TrimSpace(s.term.text()), "$") {
		s.term.types("\x03")
		time.Sleep(time.Second)
		s.term.types("\r") // leads back
		time.Sleep(time.Second)
	}
}

// rests leaves windows and text fields, so that what is measured is the same state each time.
func (s *soak) rests() {
	s.t.Helper()
	for range 10 {
		s.leavesShell()
		s.term.resize(wide, high-1)
		s.term.resize(wide, high) // painted as a whole
		for range 6 {
			s.term.types("\x1b")
			time.Sleep(150 * time.Millisecond)
		}
		s.term.types("1R")
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end) && !s.connected(); time.Sleep(50 * time.Millisecond) {
			continue
		}
		if s.connected() {
			break
		}
	}
	s.term.shows("● connected")
	s.term.types("6")
	time.Sleep(5 * time.Second) // requests end, and the runtime writes what it has
}

// measured is what a process has.
type measured struct {
	memory                     int64
	goroutines, threads, files int
}

func (m measured) String() string {
	return fmt.Sprintf("%d MB, %d goroutines, %d threads, %d files", m.memory>>20, m.goroutines, m.threads, m.files)
}

var goroutineLine = regexp.MustCompile(`(?m)^\s+G\d+: status=(\d+)`)

// measure measures the program while it is idle with a server, which may end at any time: then it is
// measured again.
func (s *soak) measure(pid int) (m measured) {
	s.t.Helper()
	for range 10 {
		s.rests()
		if m = s.read(pid); s.connected() {
			return m
		}
	}
	s.t.Fatalf("no server has lived for as long as measuring takes; the screen is\n%s", s.term.text())
	return m
}

// read reads what the runtime has written of its goroutines, and what the system knows.
func (s *soak) read(pid int) measured {
	s.t.Helper()
	text, err := os.ReadFile(s.trace)
	if err != nil {
		s.t.Fatal(err)
	}
	blocks := bytes.Split(text, []byte("SCHED "))
	m := measured{memory: memoryOf(s.t, pid, "VmRSS:"), files: openFiles(s.t, pid)}
	if len(blocks) > 2 {
		const dead = "6"
		for _, g := range goroutineLine.FindAllSubmatch(blocks[len(blocks)-2], -1) { // the last one may be cut
			if string(g[1]) != dead {
				m.goroutines++
			}
		}
	}
	if m.goroutines == 0 {
		s.t.Fatalf("the runtime has written no goroutines: %.300s", text)
	}
	if threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)); err == nil {
		m.threads = len(threads)
	}
	return m
}

// slope returns the growth of memory in bytes per minute, by least squares.
func (s *soak) slope() float64 {
	var n, x, y, xx, xy float64
	for _, p := range s.samples {
		n, x, y, xx, xy = n+1, x+p.minutes, y+p.bytes, xx+p.minutes*p.minutes, xy+p.minutes*p.bytes
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// compareSequences checks that a recording has the messages of each process of the random server,
// from its first to its last one.
func compareSequences(t *testing.T, recording string, seed int) {
	t.Helper()
	file, err := os.Open(recording)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	marked := regexp.MustCompile(`"soak":"(\d+)\.(\d+)"`)
	type sequence struct {
		actor *actor
		bad   bool
		seen  int
	}
	sequences := map[string]*sequence{}
	in := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var event struct {
			Kind string          `json:"k"`
			Msg  json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		mark := marked.FindSubmatch(event.Msg)
		if event.Kind != "in" || mark == nil {
			continue
		}
		q := sequences[string(mark[1])]
		if q == nil {
			process, _ := strconv.Atoi(string(mark[1]))
			q = &sequence{actor: newActor(seed, process)}
			sequences[string(mark[1])] = q
		}
		for !q.bad {
			next := q.actor.next().stdout
			if !strings.Contains(next, `"soak":`) {
				continue
			}
			if q.seen++; next != string(event.Msg)+"\n" {
				q.bad = true
				t.Errorf("message %d of process %s is %.200s, not %.200s", q.seen, mark[1], event.Msg, next)
			}
			break
		}
	}
	total := 0
	for _, q := range sequences {
		total += q.seen
	}
	t.Logf("%d messages of %d processes in the recording", total, len(sequences))
	if total == 0 {
		t.Error("no message is in the recording")
	}
}
