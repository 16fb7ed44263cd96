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
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
)

// randomEnv makes this binary a server that does everything at random: the seed, and a file that
// counts its processes, each of which has a sequence of its own.
const randomEnv = "MCPTEA_E2E_RANDOM"

// actor chooses what the random server does by itself: the same seed and process, the same acts.
type actor struct {
	rng            *rand.Rand
	process, acted int
}

func newActor(seed, process int) *actor {
	return &actor{rng: rand.New(rand.NewPCG(uint64(seed), uint64(process))), process: process}
}

// act is one thing that the server does: it writes bytes, and may end.
type act struct {
	stdout, stderr string
	exits          bool
	code           int
}

var (
	randomLevels  = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	randomChanged = []string{"tools", "resources", "prompts"}
)

// next is the next act. Each message has its process and its number in "soak". About one in fifty is a
// fault: what is found in a frame is kept, and is memory that grows.
func (a *actor) next() act {
	a.acted++
	mark := fmt.Sprintf(`"soak":"%d.%d"`, a.process, a.acted)
	notification := func(method, params string) act {
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s","params":{%s,"_meta":{%s}}}`, method, params, mark) + "\n"}
	}
	request := func(method, params string) act {
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"%s","params":{%s"_meta":{%s}}}`, a.acted, method, params, mark) + "\n"}
	}
	text := strings.Repeat("word ", 1+a.rng.IntN(30))
	n := a.rng.IntN(10_000)
	switch {
	case n < 6900:
		return notification("message", fmt.Sprintf(`"level":"%s","logger":"l%d","data":"%s"`, randomLevels[a.rng.IntN(len(randomLevels))], n%7, text))
	case n < 7000:
		return notification("progress", fmt.Sprintf(`"progressToken":"made up %d","progress":%d`, n%50, a.acted))
	case n < 7100:
		return notification("resources/updated", fmt.Sprintf(`"uri":"soak://%d"`, n))
	case n < 8000:
		return notification("message", fmt.Sprintf(`"level":"debug","data":{"n":%d,"text":"%s"}`, n, text))
	case n < 8200:
		return notification(randomChanged[n%3]+"/list_changed", `"a":1`)
	case n < 8700:
		return request("ping", "")
	case n < 8900:
		return request("roots/list", "")
	case n < 9000:
		return request("elicitation/create", `"mode":"form","message":"`+text+`","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}},`)
	case n < 9050:
		return request("sampling/createMessage", `"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}],`)
	case n < 9070:
		return notification("cancelled", fmt.Sprintf(`"requestId":"q%d"`, a.acted-1-n%40))
	case n < 9080:
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","id":"unmatched %d","result":{%s}}`, n, mark) + "\n"}
	case n < 9100:
		return act{stdout: "noise " + text + "\n"}
	case n < 9900:
		return act{stderr: randomLevels[n%8] + ": " + text + "\n"}
	case n < 9990:
		return notification("message", fmt.Sprintf(`"level":"info","data":"%s"`, strings.Repeat(text, 200)))
	case n < 9998 || a.acted < 2000:
		return act{stdout: "\n"}
	case n == 9998:
		return act{stdout: `{"jsonrpc":"2.0","method":"cut`, exits: true, code: n % 5}
	default:
		return act{stderr: "fatal: the end\n", exits: true, code: n % 5}
	}
}

// serveRandom is the random server.
func serveRandom(what string) {
	seed, counter, _ := strings.Cut(what, " ")
	s, _ := strconv.Atoi(seed)
	text, _ := os.ReadFile(counter)
	process, _ := strconv.Atoi(string(text))
	_ = os.WriteFile(counter, strconv.AppendInt(nil, int64(process+1), 10), 0o600)
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	acts := func() {
		if process == 0 { // the newest frames fill their places
			for i := range pacedFrom {
				mu.Lock()
				hostile["frames"](out, i)
				mu.Unlock()
			}
		}
		for a := newActor(s, process); ; {
			mu.Lock()
			for range 5 {
				next := a.next()
				_, _ = out.WriteString(next.stdout)
				_, _ = os.Stderr.WriteString(next.stderr)
				if next.exits {
					_ = out.Flush() // a client that has gone ends us as well
					os.Exit(next.code)
				}
			}
			_ = out.Flush()
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
		}
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		e := jsonrpc.Scan(line)
		if e.Kind != jsonrpc.Request {
			if e.MethodName(line) == "notifications/initialized" {
				go acts()
			}
			continue
		}
		mu.Lock()
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", e.ID.Of(line).String(), answerRandom(e.MethodName(line), line))
		_ = out.Flush()
		mu.Unlock()
	}
}

// answerRandom is the response of the random server to a request.
func answerRandom(method string, line []byte) string {
	lists := map[string]string{
		"tools/list":               `"tools":[{"name":"go","description":"soak","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},{"name":"fail","inputSchema":{"type":"object"}}]`,
		"resources/list":           `"resources":[{"uri":"soak://1","name":"one"},{"uri":"soak://2","name":"two"}]`,
		"resources/templates/list": `"resourceTemplates":[{"uriTemplate":"soak://{n}","name":"n"}]`,
		"prompts/list":             `"prompts":[{"name":"greet","arguments":[{"name":"who"}]}]`,
		"prompts/get":              `"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]`,
		"resources/read":           `"contents":[{"uri":"soak://1","text":"` + strings.Repeat("content ", 500) + `"}]`,
		"completion/complete":      `"completion":{"values":["a","b"]}`,
		"ping":                     "", "logging/setLevel": "", "resources/subscribe": "", "resources/unsubscribe": "",
		"initialize": `"protocolVersion":"2025-11-25","serverInfo":{"name":"soak","version":"1"},"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}`,
	}
	result, known := lists[method]
	switch {
	case known:
		return `"result":{` + result + `}`
	case method == "tools/call" && bytes.Contains(line, []byte(`"fail"`)):
		return `"error":{"code":-32000,"message":"failed"}`
	case method == "tools/call":
		return `"result":{"content":[{"type":"text","text":"` + strings.Repeat("result ", 200) + `"}]}`
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

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
// that does everything at random, for MCPTEA_E2E_SOAK. Memory is flat, goroutines and
// open files are as many at the end as at the start, the recording has each frame of each of
// its processes, and nothing is left. MCPTEA_E2E_SEED repeats a run.
func TestSoakRandom(t *testing.T) {
	// A key at random may set a breakpoint that holds the handshake of the next process: who runs it reads
	// the screen of its end.
	if !demanded() || raceDetector || os.Getenv("MCPTEA_E2E_SOAK") == "" {
		t.Skip("takes as long as is asked for; set MCPTEA_E2E=1 and MCPTEA_E2E_SOAK=1m")
	}
	t.Parallel() // with the other tests of memory; each measures a process of its own
	length, err := time.ParseDuration(os.Getenv("MCPTEA_E2E_SOAK"))
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
	soak.rests()
	before := soak.measure(pid)
	t.Logf("at first %v", before)
	begin := time.Now()
	for time.Since(begin) < length {
		soak.presses(max(length/30, time.Second))
		soak.samples = append(soak.samples, reading{time.Since(begin).Minutes(), float64(memoryOf(t, pid, "VmRSS:"))})
	}
	soak.rests()
	after := soak.measure(pid)
	t.Logf("at the end %v, %d keys, slope %.0f kB a minute", after, soak.keys, soak.slope()/1024)
	if grown := soak.slope() * length.Minutes(); grown > noise {
		t.Errorf("memory grows by %.1f MB in %v: %v", grown/(1<<20), length, soak.samples)
	}
	if after.goroutines > before.goroutines+10 || after.files > before.files+3 || after.threads > before.threads+20 {
		t.Errorf("at the end %v, at first %v", after, before)
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
		s.term.types(soakKeys[s.rng.IntN(len(soakKeys))])
		if s.keys++; s.keys%60 == 0 {
			s.term.resize(1+s.rng.IntN(200), 1+s.rng.IntN(60))
		}
		if s.keys%100 == 0 { // a server that has exited is started again
			s.term.types("\x1b\x1b\x1b")
			time.Sleep(100 * time.Millisecond)
			s.term.types("\x1b")
			time.Sleep(100 * time.Millisecond)
			s.term.types("1R")
		}
	}
}

// rests leaves windows and text fields, so that what is measured is the same state each time.
func (s *soak) rests() {
	s.t.Helper()
	connected := func() bool { return strings.Contains(s.term.text(), "● connected") }
	for range 10 {
		s.term.resize(wide, high-1)
		s.term.resize(wide, high) // painted as a whole
		for range 6 {
			s.term.types("\x1b")
			time.Sleep(150 * time.Millisecond)
		}
		s.term.types("1R")
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end) && !connected(); time.Sleep(50 * time.Millisecond) {
			continue
		}
		if connected() {
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

// measure reads what the runtime has written of its goroutines, and what the system knows.
func (s *soak) measure(pid int) measured {
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

// slope is how many bytes memory grows a minute: the line with the least squares.
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
