package watch_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/runs/watch"
	"mcptea/session/tap/relay"
)

var reason = regexp.MustCompile(`"reason":"[a-z]*"`)

// model runs a seed, and returns what is not as it has to be.
func model(t *testing.T, seed uint64, o modelOptions) (w *world, late int) {
	w = &world{o: o, random: rand.New(rand.NewPCG(seed, 7)), calls: map[int]*modelCall{}, asked: map[string]*process{}, files: map[string]string{}}
	synctest.Test(t, func(t *testing.T) {
		w.queue, w.builds = make(chan fsnotify.Event, 10_000), w.chance(0.3) && !o.noBuilds
		w.config, w.editsItself = w.o.config || w.chance(0.3), w.chance(0.1)
		if w.builds {
			w.outputs = outputKinds{w.chance(0.3), w.chance(0.3), w.chance(0.3), w.chance(0.15), w.chance(0.2)}
			if w.chance(0.3) {
				w.insists = 30
			}
		}
		w.versions = []version{{start: 100 * time.Millisecond, build: 100 * time.Millisecond}}
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		events := make(chan fsnotify.Event)
		work.Go(func() { // the system reports changes in their order, a little later
			random := rand.New(rand.NewPCG(seed, 8))
			for {
				select {
				case e := <-w.queue:
					time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
					select {
					case events <- e:
					case <-ctx.Done():
						return
					}
				case <-ctx.Done():
					return
				}
			}
		})
		in, host := io.Pipe()
		out, stdout := io.Pipe()
		r := &relay.Relay{
			Server: client.Target{Argv: []string{"server"}}, Stdin: in, Stdout: stdout, Stderr: io.Discard, Until: "when a file changes", Warn: func(string) {},
			Dial: func(relay.Events) transport.Transport {
				return &process{w: w, done: make(chan struct{}), waits: map[string]int{}}
			},
		}
		settled, unsubscribe := r.Settled()
		defer unsubscribe()
		sources := &watch.Sources{Calls: r.Calls, Settled: settled, Note: w.note}
		watcher, unwatch := watch.NewScripted(modelDir, events, func(path string) { w.queue <- fsnotify.Event{Name: path, Op: fsnotify.Chmod} }, sources, func(string) (fs.FileInfo, error) { return nil, nil })
		build := ""
		if w.builds {
			build = "make"
		}
		loop := wire(r, watcher, sources, build, w.note)
		loop.SetContent(w.content)
		loop.SetBuild(w.build)
		r.Follow = func(ctx context.Context) { loop.Run(ctx, func() {}) }
		if w.chance(0.2) {
			r.Again = 3
		}
		work.Go(func() { w.watchPauses(ctx, loop) })
		toHost := make(chan func() string, 10_000) // it stays open: a response may be due after the end
		ended := make(chan struct{})
		work.Go(func() {
			for {
				select {
				case next := <-toHost:
					if line := next(); line != "" {
						_, _ = io.WriteString(host, line+"\n")
					}
				case <-ended:
					return
				}
			}
		})
		connected := make(chan struct{})
		work.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				b := slices.Clone(lines.Bytes())
				e := jsonrpc.Scan(b)
				id := e.ID.Of(b).String()
				n, err := strconv.Atoi(id)
				switch {
				case e.Kind == jsonrpc.Request: // the server asks
					w.mu.Lock()
					wait := w.between(0, 300*time.Millisecond)
					w.mu.Unlock()
					time.AfterFunc(wait, func() {
						toHost <- func() string {
							w.mu.Lock()
							s := w.asked[id]
							w.mu.Unlock()
							time.AfterFunc(responseBound, func() { s.hasResponse(id) })
							return `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept"}}`
						}
					})
				case e.Kind.IsResponse() && err == nil && n == 0:
					close(connected)
				case e.Kind.IsResponse() && err == nil:
					w.mu.Lock()
					if c := w.calls[n]; c == nil {
						w.problem("(b) a response to %d, which was not sent", n)
					} else {
						c.answered = time.Now()
						c.responses = append(c.responses, string(b))
					}
					w.mu.Unlock()
				}
			}
		})
		over := make(chan struct{})
		go func() { defer close(over); _ = r.Run(ctx); _ = stdout.Close() }()
		toHost <- func() string {
			return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`
		}
		<-connected
		toHost <- func() string { return `{"jsonrpc":"2.0","method":"notifications/initialized"}` }
		time.Sleep(3 * time.Second)
		w.mu.Lock()
		w.versions = append(w.versions, version{at: time.Now(), start: 100 * time.Millisecond, build: 100 * time.Millisecond})
		w.write("server.js", "first")
		w.mu.Unlock()
		time.Sleep(4 * time.Second)
		w.schedule(toHost)
		if w.builds {
			w.longBuild(toHost)
		}
		time.Sleep(time.Minute)
		servers, builds := w.counts()
		w.mu.Lock()
		w.isOver = true
		w.mu.Unlock()
		time.Sleep(2 * time.Minute)
		w.checkQuiet(servers, builds)
		close(ended)
		_ = host.Close()
		<-over
		stop()
		unwatch()
		work.Wait()
	})
	return w, w.check()
}

type modelOptions struct {
	config bool // files that are not of a programming language are saved, too
	// What does not happen.
	noOverlap, noDeaths, noHaste, noBuilds bool
	pairs                                  bool // a call comes soon after each save
}

// schedule has things happen for a while.
func (w *world) schedule(toHost chan<- func() string) {
	w.mu.Lock()
	id, saved := 0, len(w.versions)
	busy := []time.Duration{20 * time.Millisecond, 300 * time.Millisecond, 3 * time.Second}[w.random.IntN(3)]
	overlap := w.chance(0.6) && !w.o.noOverlap
	w.mu.Unlock()
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); {
		w.mu.Lock()
		switch p := w.random.Float64(); {
		case p < 0.25 && !(w.o.pairs && saved < len(w.versions)):
			name := "server.js"
			if w.config && w.chance(0.3) && !slices.Contains(w.told, "config.json") {
				name = "config.json"
			}
			w.save(name)
		case p < 0.9:
			id++
			c := &modelCall{id: id, duration: w.between(0, 200*time.Millisecond)}
			if overlap && w.chance(0.4) {
				c.duration = w.between(500*time.Millisecond, 12*time.Second)
			}
			c.asks, c.dies, c.writes, c.generates = w.chance(0.1), w.chance(0.02) && !w.o.noDeaths, w.chance(0.05), w.chance(0.01)
			w.call(toHost, c)
			if !overlap {
				w.mu.Unlock()
				for wait := 0; wait < 60_000; wait++ {
					time.Sleep(time.Millisecond)
					w.mu.Lock()
					done := len(c.responses) > 0
					w.mu.Unlock()
					if done {
						break
					}
				}
				w.mu.Lock()
			}
		case id > 0:
			c := w.calls[1+w.random.IntN(id)]
			if c.cancelled.IsZero() && len(c.responses) == 0 && !c.wrote.IsZero() {
				c.cancelled = time.Now()
				toHost <- func() string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, c.id)
				}
			}
		}
		pause, saves := w.between(0, busy), len(w.versions)
		if w.o.noHaste {
			pause += 4 * time.Second
		}
		if w.o.pairs && saves > saved {
			pause = w.between(0, 200*time.Millisecond)
		}
		saved = saves
		if w.chance(0.05) && !w.o.pairs {
			pause = w.between(0, 5*time.Second)
		}
		w.mu.Unlock()
		time.Sleep(pause)
	}
}

// longBuild saves a version whose build takes longer than a request waits, and calls while it runs.
func (w *world) longBuild(toHost chan<- func() string) {
	time.Sleep(15 * time.Second)
	w.mu.Lock()
	w.versions = append(w.versions, version{at: time.Now(), start: 100 * time.Millisecond, build: 45 * time.Second})
	w.write("server.js", "long")
	w.mu.Unlock()
	for range 3 {
		w.mu.Lock()
		w.call(toHost, &modelCall{id: len(w.calls) + 1, long: true})
		w.mu.Unlock()
		time.Sleep(7 * time.Second)
	}
}

// call has the host write a call. The caller holds the lock.
func (w *world) call(toHost chan<- func() string, c *modelCall) {
	w.calls[c.id] = c
	toHost <- func() string {
		w.mu.Lock()
		defer w.mu.Unlock()
		c.wrote, c.needs = time.Now(), len(w.versions)-1
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, c.id)
	}
}

// TestModel runs MODEL_SEEDS seeds, beginning with MODEL_FROM: by default a sample, and 10,000 if MCPTEA_E2E is set.
func TestModel(t *testing.T) {
	sample := 100
	if os.Getenv("MCPTEA_E2E") != "" {
		sample = 10_000
	}
	seeds, from := number("MODEL_SEEDS", sample), number("MODEL_FROM", 0)
	with := func(name string) bool { return strings.Contains(os.Getenv("MODEL"), name) }
	o := modelOptions{with("config"), with("nooverlap"), with("nodeaths"), with("nohaste"), with("nobuilds"), with("pairs")}
	failed, calls, sum := 0, 0, map[string]int{}
	unbuilt, unbuiltLate := 0, 0 // calls of worlds without builds, and those of them whose time was over
	kinds := map[string]int{}
	for seed := from; seed < from+seeds; seed++ {
		w, late := model(t, uint64(seed), o)
		problems := w.problems
		calls += late
		if !w.builds {
			unbuilt, unbuiltLate = unbuilt+len(w.calls), unbuiltLate+late
		}
		sum["saves"] += len(w.versions)
		sum["servers"] += w.servers
		sum["unsent"] += w.unsent
		for _, c := range w.calls {
			sum["calls"]++
			switch {
			case len(c.responses) == 0:
				sum["cancelled"]++
			case strings.Contains(c.responses[0], "result"):
				sum["results"]++
			default:
				sum["errors "+reason.FindString(c.responses[0])]++
			}
		}
		if len(problems) == 0 {
			continue
		}
		if failed++; failed <= number("MODEL_SHOW", 3) {
			t.Errorf("seed %d: %d problems: %s", seed, len(problems), strings.Join(problems[:min(len(problems), 5)], "\n\t"))
		}
		seen := map[string]bool{}
		for _, p := range problems {
			if k := p[:3]; !seen[k] {
				seen[k] = true
				kinds[k]++
			}
		}
	}
	if sum["unsent"] > 1+sum["calls"]/10_000 {
		t.Errorf("%d of %d calls have the error of a server that they have not reached", sum["unsent"], sum["calls"])
	}
	if unbuiltLate > 2+unbuilt/2000 {
		t.Errorf("the time was over for %d of %d calls without builds", unbuiltLate, unbuilt)
	}
	t.Logf("%d of %d seeds fail %v; %d answers that the time is over, %d of %d without builds; %v", failed, seeds, kinds, calls, unbuiltLate, unbuilt, sum)
	if failed > 0 {
		t.Fail()
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
