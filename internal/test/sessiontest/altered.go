package sessiontest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
)

// Altered returns a server with faults: it answers the frames that a script names by itself, and leaves the
// others to another server. A line of the script is
//
//	METHOD [#N] [@N] [+N] [~ TEXT] => ACTION
//	                              a frame with this method (* for any) that contains TEXT;
//	                              #N only the Nth with the method, over all connections;
//	                              @N only on connections from the Nth;
//	                              +N only while N further frames wait to be read
//	stalled => drop N             after a write that is not read for a while, N lines are lost
//	start => ACTION               before the first frame
//	end => ACTION                 when stdin ends
//	edit REGEXP => REPLACEMENT    each line of the other server
//
// and an action is
//
//	result JSON | error CODE TEXT | send LINE… | ignore | exit | wait DURATION | later DURATION JSON | echofile
//
// LINE is written unchanged; $id stands for the id of the frame, and \n separates lines. wait delays the
// response of the other server and all responses after it; later sends a result, and continues in the
// meantime. echofile returns the file that params.uri names. In TEXT and in the text of an error, CR, \xff
// and \n stand for these bytes. The first line that fits decides.
func Altered(serve Serve, script string) (Serve, error) {
	a := &altered{seen: map[string]int{}}
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		when, action, ok := strings.Cut(line, "=>")
		if !ok {
			return nil, fmt.Errorf("no => in %q", line)
		}
		when, action = strings.TrimSpace(when), strings.TrimSpace(action)
		if pattern, ok := strings.CutPrefix(when, "edit "); ok {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			a.edits = append(a.edits, edit{re, action})
			continue
		}
		if when == "stalled" {
			if _, err := fmt.Sscanf(action, "drop %d", &a.drop); err != nil {
				return nil, err
			}
			continue
		}
		method, text, _ := strings.Cut(when, "~")
		verb, rest, _ := strings.Cut(action, " ")
		switch verb {
		case "result", "error", "send", "ignore", "exit", "wait", "later", "echofile":
		default:
			return nil, fmt.Errorf("unknown action in %q", line)
		}
		rule := alteration{text: bytesOf.Replace(strings.TrimSpace(text)), verb: verb, rest: rest}
		for i, word := range strings.Fields(strings.NewReplacer("#", " #", "@", " @", "+", " +").Replace(method)) {
			if i == 0 {
				rule.method = word
				continue
			}
			n, err := strconv.Atoi(word[1:])
			if err != nil {
				return nil, err
			}
			switch word[0] {
			case '#':
				rule.nth = n
			case '@':
				rule.from = n
			case '+':
				rule.waiting = n
			}
		}
		a.rules = append(a.rules, rule)
	}
	return func(ctx context.Context, in io.Reader, out io.Writer) error { return a.serve(ctx, serve, in, out) }, nil
}

// bytesOf replaces the names of bytes in a text.
var bytesOf = strings.NewReplacer("}CR", "}\r", `\xff`, "\xff")

type altered struct {
	rules []alteration
	edits []edit
	drop  int // lines after a write that was not read for a while

	mu     sync.Mutex
	starts int            // connections
	seen   map[string]int // frames by their method
}

type alteration struct {
	nth                      int // 0 for each
	from, waiting            int // 0 for any
	method, text, verb, rest string
}

type edit struct {
	pattern *regexp.Regexp
	by      string
}

// find returns the rule for a frame.
func (a *altered) find(method, frame string, start int, lines <-chan string) (alteration, bool) {
	a.mu.Lock()
	a.seen[method]++
	n := a.seen[method]
	a.mu.Unlock()
	for _, r := range a.rules {
		if (r.nth != 0 && r.nth != n) || start < r.from || r.method != method && (r.method != "*" || frame == "") || !strings.Contains(frame, r.text) {
			continue
		}
		if r.waiting > 0 {
			time.Sleep(time.Millisecond) // in a bubble, everything sent before arrives during this sleep
			if len(lines) < r.waiting {
				continue
			}
		}
		return r, true
	}
	return alteration{}, false
}

var errExit = errors.New("the script ends the server")

func (a *altered) serve(ctx context.Context, inner Serve, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	toInner, innerIn := io.Pipe()
	innerOut, fromInner := io.Pipe()
	w := &lineWriter{out: out}
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = inner(ctx, toInner, fromInner)
		_ = fromInner.Close()
		_ = toInner.Close()
	})
	wg.Go(func() { a.copyLines(innerOut, w) })
	defer func() {
		for _, timer := range w.timers {
			timer.Stop()
		}
	}()
	defer wg.Wait()
	defer stop()
	defer func() { _ = innerIn.Close() }()
	a.mu.Lock()
	a.starts++
	start := a.starts
	a.mu.Unlock()
	if r, ok := a.find("start", "", start, nil); ok {
		if err := w.act(r, nil); err != nil {
			return err
		}
	}
	lines := readLines(in)
	for line := range lines {
		frame := strings.TrimSuffix(line, "\n")
		e := jsonrpc.Scan([]byte(frame))
		if r, ok := a.find(e.MethodName([]byte(frame)), frame, start, lines); ok && frame != "" {
			if err := w.act(r, []byte(frame)); err != nil {
				return nil // out is closed
			}
			if r.verb != "wait" {
				continue
			}
		}
		if line != "" {
			if _, err := io.WriteString(innerIn, line); err != nil {
				return nil
			}
		}
	}
	if r, ok := a.find("end", "", start, nil); ok {
		return w.act(r, nil)
	}
	return nil
}

// readLines reads lines until the input ends. The client can write while an earlier
// line is handled.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string, 10_000)
	go func() { // ends with the input
		defer close(lines)
		reader := bufio.NewReaderSize(in, 1<<20)
		for {
			line, err := reader.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// copyLines edits what the other server writes.
func (a *altered) copyLines(from io.Reader, w *lineWriter) {
	lines, lost := bufio.NewReaderSize(from, 1<<20), 0
	for {
		line, err := lines.ReadString('\n')
		if lost > 0 && err == nil {
			lost--
			continue
		}
		for _, e := range a.edits {
			line = e.pattern.ReplaceAllString(line, e.by)
		}
		began := time.Now()
		if w.write(line); time.Since(began) > stall {
			lost = a.drop
		}
		if err != nil {
			return
		}
	}
}

// stall is the duration of a write after which nothing is assumed to read.
const stall = 500 * time.Millisecond

// lineWriter lets two goroutines write whole lines.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	timers []*time.Timer // timers of later; used by one goroutine
}

func (w *lineWriter) write(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = io.WriteString(w.out, line) // the end shows in the input
}

// act performs the action of a rule. An error ends the server.
func (w *lineWriter) act(r alteration, frame []byte) error {
	id := jsonrpc.Scan(frame).ID.Of(frame).ID().String()
	switch r.verb {
	case "exit":
		return errExit
	case "wait":
		d, err := time.ParseDuration(r.rest)
		if err != nil {
			return err
		}
		time.Sleep(d)
	case "later":
		after, result, _ := strings.Cut(r.rest, " ")
		d, err := time.ParseDuration(after)
		if err != nil {
			return err
		}
		w.timers = append(w.timers, time.AfterFunc(d, func() { w.write(`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + "}\n") }))
	case "echofile":
		params, _ := jsonrpc.Member(frame, "params")
		uri := jsonrpc.Text(params, "uri")
		path := strings.TrimPrefix(uri, "file://")
		if drive := strings.TrimPrefix(path, "/"); filepath.VolumeName(drive) != "" {
			path = drive
		}
		content, err := os.ReadFile(path)
		if err != nil || strings.Contains(uri, "..") {
			w.write(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32002,"message":"not found"}}` + "\n")
			return nil
		}
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"result":{"contents":[{"uri":` + jsonrpc.Quote(uri) + `,"text":` + jsonrpc.Quote(string(content)) + `}]}}` + "\n")
	case "result":
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"result":` + r.rest + "}\n")
	case "error":
		code, text, _ := strings.Cut(r.rest, " ")
		if id == "" {
			id = "null"
		}
		text = strings.ReplaceAll(text, `\n`, "\n")
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":` + jsonrpc.Quote(text) + "}}\n")
	case "send":
		for part := range strings.SplitSeq(r.rest, `\n`) {
			w.write(strings.ReplaceAll(part, "$id", id) + "\n")
		}
	}
	return nil
}
