package watch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// The model: sources that are saved, servers that are made of them, and a host that calls. Everything happens at
// random times. A save has a number; a server, the end of one and a failed build name that of their sources.

const modelDir = "/w"

// bound is how long a call may wait until it is at a server or has an error of the tap: 25 s, and what a look at
// the file system and the end of a server may take.
const bound = 29 * time.Second

// responseBound is how long a response of the host may take to a server that runs.
const responseBound = 500 * time.Millisecond

type kind uint8 // of a version

const (
	runs    kind = iota
	dies         // at its start
	slow         // to start
	noBuild      // its build fails
)

type version struct {
	kind   kind
	at     time.Time
	isOf   string // the file that was saved
	isLost bool   // the user was told that the file is taken for data
	start  time.Duration
	build  time.Duration
}

type world struct {
	mu          sync.Mutex
	random      *rand.Rand
	versions    []version // that were saved
	built       int       // the newest that was built
	builds      bool
	buildCount  int
	unsent      int // calls that were in flight, but have not reached their server
	outputs     outputKinds
	config      bool              // config.json is saved, too
	editsItself bool              // each server writes a source soon after its start
	insists     int               // number of builds during which the user will still save a source
	isOver      bool              // the schedule has ended
	writes      int               // number of writes to files
	wrote       time.Time         // of the newest write
	told        []string          // files that the user knows as data
	files       map[string]string // the texts of files, by their paths
	queue       chan fsnotify.Event
	calls       map[int]*modelCall
	asked       map[string]*process // by the id of the server request
	problems    []string
	servers     int
	o           modelOptions
}

type modelCall struct {
	id, server                    int // the server's number; 0 for none
	version                       int // of it
	wrote                         time.Time
	needs                         int // the newest version that was saved before
	delivered, answered           time.Time
	duration                      time.Duration
	asks, dies, writes, generates bool
	long                          bool // during a build that takes longer than a request waits
	cancelled                     time.Time
	responses                     []string
}

func (w *world) problem(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

func (w *world) chance(p float64) bool { return w.random.Float64() < p }

func (w *world) between(from, to time.Duration) time.Duration {
	return from + time.Duration(w.random.Int64N(int64(to-from)+1))
}

// save saves a version.
func (w *world) save(name string) {
	v := version{at: time.Now(), start: w.between(30*time.Millisecond, 600*time.Millisecond), build: w.between(100*time.Millisecond, 3*time.Second)}
	switch p := w.random.Float64(); {
	case w.o.noDeaths:
	case p < 0.2:
		v.kind = dies
	case p < 0.3:
		v.kind, v.start = slow, w.between(2*time.Second, 12*time.Second)
	case p < 0.4 && w.builds:
		v.kind = noBuild
	}
	if w.chance(0.03) {
		v.build = w.between(5*time.Second, 40*time.Second)
	}
	v.isOf = name
	w.versions = append(w.versions, v)
	w.write(name, fmt.Sprint("save ", len(w.versions)))
	if w.chance(0.3) {
		w.event(name)
	}
}

// write changes the text of a file. The caller holds the lock.
func (w *world) write(name, text string) {
	w.files[modelDir+"/"+name] = text
	w.writes++
	w.wrote = time.Now()
	w.event(name)
}

func (w *world) event(name string) {
	w.queue <- fsnotify.Event{Name: modelDir + "/" + name, Op: fsnotify.Write}
}

// note takes what the user is told. A user who reads that a file is taken for data does not save it again.
func (w *world) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const name = "config.json"
	if !strings.Contains(text, name) || !strings.Contains(text, "taken for") {
		return
	}
	w.told = append(w.told, name)
	for n := range w.versions {
		w.versions[n].isLost = w.versions[n].isLost || w.versions[n].isOf == name
	}
}

// needed is the version that a call needs, without those of files that are taken for data. The caller holds the lock.
func (w *world) needed(c *modelCall) int {
	needs := c.needs
	for needs > 0 && w.versions[needs].isLost {
		needs--
	}
	return needs
}

// content returns the text of a file.
func (w *world) content(path string) (text string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok = w.files[path]
	return text, ok
}

// build is the build command: it reads the sources at its start, and writes its outputs at its end.
func (w *world) build(ctx context.Context) (stderr string, err error) {
	w.mu.Lock()
	w.buildCount++
	n, writes := len(w.versions)-1, w.writes
	isSettled := time.Since(w.wrote) > 20*time.Millisecond // nothing changed after the loop looked, and before the build reads
	v := w.versions[n]
	if w.insists > 0 && !w.isOver && w.chance(0.8) {
		w.insists--
		time.AfterFunc(w.between(0, v.build), func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.save("server.js")
		})
	}
	w.mu.Unlock()
	select {
	case <-time.After(v.build):
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		if w.writes == writes && isSettled && !w.isOver {
			w.problem("(h) a build of save %d was ended, and no file has changed since it began", n)
		}
		return "", ctx.Err()
	}
	w.writeOutputs(n)
	if v.kind == noBuild {
		return fmt.Sprintf("fails v%d.", n), errors.New("exit status 1")
	}
	w.built = n
	return "", nil
}

// outputKinds are the ways in which a build writes files that are watched.
type outputKinds struct{ always, ifChanged, program, stamped, generated bool }

// writeOutputs writes the outputs of a version. The caller holds the lock.
func (w *world) writeOutputs(n int) {
	if w.outputs.always {
		w.write("out.html", fmt.Sprint("of ", n))
	}
	if text := fmt.Sprint("of ", n); w.outputs.ifChanged && w.files[modelDir+"/part.html"] != text {
		w.write("part.html", text)
	}
	if w.outputs.program {
		w.write("server", fmt.Sprint("\x00", n))
	}
	if w.outputs.stamped {
		w.write("info.json", time.Now().String())
	}
	if w.outputs.generated {
		w.write("generated.js", fmt.Sprint("of ", n))
	}
}

// process is a server.
type process struct {
	w        *world
	number   int
	version  int
	receiver transport.Receiver
	done     chan struct{}
	once     sync.Once
	err      error
	newest   int            // id
	waits    map[string]int // for responses of the host
	out      sync.Mutex
}

func (s *process) Open(_ context.Context, r transport.Receiver) error {
	s.receiver = r
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.servers++
	s.number, s.version = s.w.servers, len(s.w.versions)-1
	if number := s.number; s.w.editsItself {
		time.AfterFunc(s.w.between(0, 2*time.Second), func() {
			s.w.mu.Lock()
			defer s.w.mu.Unlock()
			s.w.write("state.js", fmt.Sprint("of server ", number))
		})
	}
	if s.w.builds {
		s.version = s.w.built
	}
	if v := s.w.versions[s.version]; v.kind == dies {
		time.AfterFunc(v.start, s.die)
	}
	return nil
}

func (s *process) die() {
	s.once.Do(func() {
		s.w.mu.Lock()
		s.err = fmt.Errorf("boom v%d. exited", s.version)
		s.w.mu.Unlock()
		close(s.done)
	})
}
func (s *process) Negotiated(string)           {}
func (s *process) Listen() <-chan struct{}     { return nil }
func (s *process) Done() <-chan struct{}       { return s.done }
func (s *process) Close(context.Context) error { s.once.Do(func() { close(s.done) }); return nil }
func (s *process) Err() error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.err
}

func (s *process) says(format string, args ...any) {
	select {
	case <-s.done:
		return
	default:
	}
	s.out.Lock()
	defer s.out.Unlock()
	s.receiver.(transport.LineReceiver).Lines(time.Now(), []byte(fmt.Sprintf(format, args...)+"\n"))
}

func (s *process) Send(_ context.Context, o transport.Outgoing) error {
	select {
	case <-s.done:
		return errors.New("gone")
	default:
	}
	b := slices.Clone(o.Bytes)
	e := jsonrpc.Scan(b)
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	v := s.w.versions[s.version]
	id := e.ID.Of(b).String()
	switch {
	case e.Kind.IsResponse():
		if call, ok := s.waits[id]; ok {
			delete(s.waits, id)
			go s.result(call)
		} else {
			s.w.problem("server %d got the response %s, which it has not asked for", s.number, id)
		}
	case e.HasMethod(b, "initialize"):
		if v.kind != dies {
			time.AfterFunc(v.start, func() {
				s.says(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`, id)
			})
		}
	case e.HasMethod(b, "tools/call"):
		n, _ := strconv.Atoi(id)
		s.call(n)
	case e.Kind == jsonrpc.Request:
		go s.says(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
	return nil
}

// call is a call; the lock is held.
func (s *process) call(n int) {
	c := s.w.calls[n]
	if c.server != 0 {
		s.w.problem("(c) call %d is at server %d, and was at %d", n, s.number, c.server)
	}
	if n < s.newest {
		s.w.problem("(b) server %d got call %d after %d", s.number, n, s.newest)
	}
	if s.version < s.w.needed(c) {
		s.w.problem("(a) call %d came after save %d and went to a server of %d", n, c.needs, s.version)
	}
	s.newest, c.server, c.version, c.delivered = n, s.number, s.version, time.Now()
	if c.dies {
		time.AfterFunc(c.duration, s.die)
		return
	}
	if c.writes {
		time.AfterFunc(c.duration/2, func() {
			s.w.mu.Lock()
			defer s.w.mu.Unlock()
			s.w.write("data.json", fmt.Sprint("of call ", n))
		})
	}
	if c.generates {
		time.AfterFunc(c.duration/2, func() { s.w.mu.Lock(); defer s.w.mu.Unlock(); s.w.write("made.js", fmt.Sprint("of call ", n)) })
	}
	time.AfterFunc(c.duration, func() {
		if !c.asks {
			s.result(n)
			return
		}
		s.w.mu.Lock()
		id := fmt.Sprintf(`"q%d-%d"`, s.number, n)
		s.waits[id], s.w.asked[id] = n, s
		s.w.mu.Unlock()
		s.says(`{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{}}`, id)
	})
}

// hasResponse checks that a server that still runs has got the response of the host.
func (s *process) hasResponse(id string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	_, waits := s.waits[id]
	select {
	case <-s.done:
	default:
		if waits {
			s.w.problem("(e) server %d runs, and has not got the response to %s", s.number, id)
		}
	}
}

func (s *process) result(n int) {
	s.says(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"of %d v%d."}]}}`, n, n, s.version)
}
