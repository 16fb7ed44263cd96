package client

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// childEnv makes this binary a server on stdio: it names the actor.
const childEnv = "MCPTEA_TEST_ACTOR"

// actor is what a server does about each method. What is not in it gets no
// answer; "" is what it does before it reads anything, and "*" what it does
// about every other request.
type actor map[string]move

// move is one thing that a server does, about a request with an id.
type move func(id string)

// actors are found by their name in the other process.
var actors = map[string]actor{}

func (a actor) play() {
	if a[""] != nil {
		a[""]("")
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		frame := in.Bytes()
		e := jsonrpc.Scan(frame)
		method := e.MethodName(frame)
		do, ok := a[method]
		if !ok && e.Kind == jsonrpc.Request {
			do = a["*"]
		}
		if do != nil {
			do(e.ID.Of(frame).String())
		}
	}
}

// prints writes lines to stdout; $id is the id of the request.
func prints(lines ...string) move {
	return func(id string) {
		for _, l := range lines {
			fmt.Println(strings.ReplaceAll(l, "$id", id))
		}
	}
}

func says(result string) move { return prints(`{"jsonrpc":"2.0","id":$id,"result":` + result + `}`) }

func fails(code int, message, data string) move {
	if data != "" {
		data = `,"data":` + data
	}
	return prints(fmt.Sprintf(`{"jsonrpc":"2.0","id":$id,"error":{"code":%d,"message":%q%s}}`, code, message, data))
}

func grumbles(text string) move { return func(string) { fmt.Fprintln(os.Stderr, text) } }

func quits(code int) move { return func(string) { os.Exit(code) } }

// turns takes one move after the other, and the last one again and again.
func turns(moves ...move) move {
	n := 0
	return func(id string) {
		moves[min(n, len(moves)-1)](id)
		n++
	}
}

func both(moves ...move) move {
	return func(id string) {
		for _, m := range moves {
			m(id)
		}
	}
}

// welcomes is the result of initialize in a revision.
func welcomes(version string) move {
	return says(`{"protocolVersion":"` + version + `","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`)
}

const someTools = `{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`

// old is a server with a handshake that knows no discovery; more changes it.
func old(more actor) actor {
	a := actor{
		"server/discover": fails(-32601, "Method not found", ""),
		"initialize":      welcomes("2025-11-25"), "tools/list": says(someTools),
	}
	for method, m := range more {
		a[method] = m
	}
	return a
}

// stateless is a server without handshake; more changes it.
func stateless(more actor) actor {
	a := actor{
		"server/discover": says(discovery), "tools/list": says(someTools),
		"initialize": fails(-32022, "Unsupported protocol version", `{"supported":["2026-07-28"],"requested":"2025-11-25"}`),
	}
	for method, m := range more {
		a[method] = m
	}
	return a
}

// with is the same server with one thing changed.
func (a actor) with(method string, m move) actor {
	a[method] = m
	return a
}

// witness is a tap that writes down what happens, in its order.
type witness struct {
	mu     sync.Mutex
	events []string // "> method", "< result", "< error", "< text", "started"
	sent   []string
	steps  []Step
	stderr []string

	listErr error // of the first list; the test's alone
}

func (w *witness) note(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event)
}

func (w *witness) Frame(f transport.Frame) (at transport.Ref) {
	method := f.Envelope.MethodName(f.Bytes)
	if f.Dir == transport.Out {
		w.mu.Lock()
		w.sent = append(w.sent, string(f.Bytes))
		w.mu.Unlock()
		if method == "" {
			method = "answer"
		}
		w.note("> " + method)
		return at
	}
	switch f.Envelope.Kind {
	case jsonrpc.Response:
		method = "result"
	case jsonrpc.ErrorResponse:
		method = "error"
	case jsonrpc.Invalid:
		method = "text"
	}
	w.note("< " + method)
	return at
}

func (w *witness) Process(e transport.ProcessEvent) {
	if e.What == transport.ProcessStarted {
		w.note("started")
	}
}

func (w *witness) Exchange(x transport.Exchange) {
	if x.Phase == transport.ExchangeSent && x.Purpose == "stream" {
		w.note("GET stream")
	}
}

func (w *witness) Stderr(l transport.Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stderr = append(w.stderr, l.Text)
}

func (w *witness) Lost(jsonrpc.ID, error) {}

func (w *witness) Step(s Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.steps) <= s.Index {
		w.steps = append(w.steps, Step{})
	}
	w.steps[s.Index] = s
}

// story is everything in its order, of the kinds that begin like this; all of
// them without arguments.
func (w *witness) story(kinds ...string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var selected []string
	for _, e := range w.events {
		wanted := len(kinds) == 0
		for _, k := range kinds {
			wanted = wanted || strings.HasPrefix(e, k)
		}
		if wanted {
			selected = append(selected, e)
		}
	}
	return strings.Join(selected, " ")
}

// frame is the newest message of a method that went out.
func (w *witness) frame(method string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := ""
	for _, f := range w.sent {
		if strings.Contains(f, `"method":"`+method+`"`) {
			found = f
		}
	}
	return found
}

// detail is what stands on the newest step of a name.
func (w *witness) detail(step string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := ""
	for _, s := range w.steps {
		if s.Name == step {
			found = s.State.String() + ": " + s.Detail
		}
	}
	return found
}

// row is one line of a table of the protocol: a server, and what is to come of
// meeting it.
type row struct {
	name   string
	key    string // of the actor
	server actor
	cfg    Config        // Name, Version and the timeouts are filled in
	within time.Duration // for the question

	revision revision.Revision // version of the current connection, or "" without one
	offered  revision.Revision // in the handshake; not compared when empty
	era      revision.Era
	how      string
	story    string   // of what was sent and which processes were started
	evidence []string // words of the verdict's sentences, one each, in their order
	err      []string // words of the error
	listErr  string   // words of the error of the first list
	detail   string   // words on the step "answer"
}

// register makes the rows of a table known to the other process.
func register(table string, rows ...row) []row {
	for i := range rows {
		rows[i].key = table + "/" + rows[i].name
		if actors[rows[i].key] != nil {
			panic("two actors of the name " + rows[i].key)
		}
		actors[rows[i].key] = rows[i].server
	}
	return rows
}

// meets connects to a child process and checks the result.
func (r row) meets(t *testing.T) (*Client, *witness) {
	t.Helper()
	return r.reaches(t, r.child(t))
}

// child is the server as a command.
func (r row) child(t *testing.T) Target {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector would have each child wait a second before it ends.
	return Target{Argv: []string{self}, Env: append(os.Environ(), childEnv+"="+r.key, "GORACE=atexit_sleep_ms=0")}
}

func (r row) reaches(t *testing.T, target Target) (*Client, *witness) {
	t.Helper()
	c, w, err := r.tries(t, target)
	r.judge(t, c, w, err)
	return c, w
}

// tries connects, and lists the tools when that has worked.
func (r row) tries(t *testing.T, target Target) (*Client, *witness, error) {
	t.Helper()
	r.cfg.Name, r.cfg.Version = "test", "0"
	if r.cfg.ConnectTimeout == 0 {
		r.cfg.ConnectTimeout = 20 * time.Second
	}
	r.cfg.Timeout = 20 * time.Second
	w := &witness{}
	c := New(target, w, r.cfg)
	c.backoff = time.Millisecond
	if c.probeWithin = r.within; r.within == 0 && target.URL == "" {
		c.probeWithin = r.cfg.ConnectTimeout
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	err := c.Connect(t.Context())
	if err == nil {
		_, w.listErr = c.List(t.Context(), Tools)
	}
	return c, w, err
}

func (r row) judge(t *testing.T, c *Client, w *witness, err error) {
	t.Helper()
	if (err == nil) != (len(r.err) == 0) {
		t.Errorf("error %v", err)
	}
	for _, words := range r.err {
		if err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("the error %q does not say %q", err, words)
		}
	}
	if (w.listErr == nil) != (r.listErr == "") || r.listErr != "" && !strings.Contains(w.listErr.Error(), r.listErr) {
		t.Errorf("the list: %v, want %q", w.listErr, r.listErr)
	}
	h, v := c.Handshake(), c.EraDetection()
	if err == nil && h.Revision != r.revision {
		t.Errorf("revision %s, want %s", h.Revision, r.revision)
	}
	if r.offered != "" && h.Offered != r.offered {
		t.Errorf("offered %s, want %s", h.Offered, r.offered)
	}
	if v.Era != r.era || v.DetectedBy != r.how {
		t.Errorf("the verdict is %s (%s), want %s (%s)", v.Era, v.DetectedBy, r.era, r.how)
	}
	if got := w.story(">", "started", "GET"); got != r.story {
		t.Errorf("what happened:\n%s, want\n%s", got, r.story)
	}
	if len(v.Evidence) != len(r.evidence) {
		t.Errorf("evidence %q, want %q", v.Evidence, r.evidence)
		return
	}
	for i, words := range r.evidence {
		if !strings.Contains(v.Evidence[i], words) {
			t.Errorf("the evidence %q does not say %q", v.Evidence[i], words)
		}
	}
	if got := w.detail(StepResponse); !strings.Contains(got, r.detail) {
		t.Errorf("the answer is reported as %q, which does not say %q", got, r.detail)
	}
}
