// Package pins stores calls with their expected responses, and repeats them after each restart of the server.
//
// The file of the pins is a script for mcptea run: a pin is a section with one request and expectations of
// its result, see [mcptea/session/runs/script.Exchange]. Other sections, comments and files of the script are
// kept byte for byte.
package pins

import (
	"context"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/offer/diff"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/runs/script"
	"mcptea/session/session"
)

// DefaultFile is the file of the pins in the working directory.
const DefaultFile = "mcptea.txtar"

// State is the state of a pin.
type State uint8

// The values of [State].
const (
	NotRun State = iota
	Running
	Passed
	Failed
	Rejected // failed, and the user has rejected this response
)

// Pin is a call and how it ended last. It is a copy; the slices must not be changed.
type Pin struct {
	Name    string
	Method  string
	Subject string // the tool, prompt or URI
	Line    string // line of the file with the request
	// Arguments holds the arguments of the tool or prompt as JSON, or "".
	Arguments string
	// ReadOnly reports that the call is repeated without asking: the request reads, or
	// the tool is annotated as read-only.
	ReadOnly bool
	// Repeated reports that the file names the tool as one whose calls run after each restart, too.
	Repeated bool
	State    State
	Took     time.Duration
	// Reason is the reason why the pin failed or was not sent. It may quote the server.
	Reason string
	// Outside holds the values that the request takes from outside the file. If there are any, it is sent only
	// after the user has agreed to them.
	Outside script.Outside
	// Missing reports that the server has no such tool or prompt.
	Missing bool
	// Server is the server that the file names, if the session has another server: the pin runs only if
	// the user chooses it.
	Server string
	// Warning is the warning that the arguments do not fit the input schema, or "".
	Warning string
	// Rows compare the expected with the received response, or nil if there is no difference.
	Rows []diff.Row
	// Expects describes the expectation in the file: "exactly this result", "at least this error" and the like.
	Expects string
	// Ignored are the paths that the expectation ignores.
	Ignored []string
	// Response is the result, or the error object, or nil.
	Response []byte
	// Refused reports that it is an error, or a tool error.
	Refused bool
	// RequestRow and ResponseRow are rows of the record, or store.None.
	RequestRow, ResponseRow int32
}

// What pinning a call does.
const (
	When = "it runs again after restarts if it only reads or you allow it"
	Help = "Pin this call: " + When
)

// Waits returns why the call of a pin does not run automatically after a restart: it does not only read, and
// the user has not allowed it ([Pins.Repeat]). It returns "" if the call runs automatically.
func (one *Pin) Waits() string {
	switch {
	case one.ReadOnly || one.Repeated:
		return ""
	case one.Method == "tools/call":
		return "not declared read-only"
	}
	return "does not only read"
}

// Unfit reports that the response is as expected, but that to a request that does not fit the server: see
// [Pin.Warning]. A pin of such a request expects an error.
func (one *Pin) Unfit() bool { return one.State == Passed && one.Warning != "" && !one.Refused }

// Repeatable reports that [Pins.Repeat] can have the call of a pin run after each restart, and
// that it needs that.
func (one *Pin) Repeatable() bool {
	return one.Method == "tools/call" && !one.ReadOnly && script.IsWord(one.Subject)
}

// pin is the internal state of a Pin.
type pin struct {
	Pin
	exchange *script.Exchange
	method   string // method as sent
	params   []byte
	response client.Response
	err      error
	done     bool   // the pin has an outcome
	rejected []byte // the response that the user has rejected
}

// Pins holds the pins of a session. Its methods may be called from any goroutine. Methods that read or write
// the file have that in their comment.
type Pins struct {
	s    *session.Session
	path string
	ctx  context.Context // ends with the session
	work sync.WaitGroup

	file sync.Mutex // held while the file is read and written; before mu

	mu      sync.Mutex
	turns   turns
	source  []byte // content of the file when it was last read or written
	read    bool
	problem error // why the file cannot be used
	pins    []*pin
	others  int      // sections that are not pins
	server  string   // server that the file names, or ""
	tools   []string // tools whose calls run after each restart; stored in the file
	name    string   // name of the server of the session, or "" if unknown
	lists   lists
	attempt int // number of the attempt to connect after which the pins last ran; 0 before

	question *Question // question that must be asked, or nil
	declined agreement // requests that the user has declined in this session
	agreed   agreement // requests that the user has agreed to in this session
	version  int       // changes with all that is shown
}

// New returns the pins of a file, which is not read yet. The context ends their requests.
func New(ctx context.Context, s *session.Session, path string) *Pins {
	return &Pins{ctx: ctx, s: s, path: path}
}

// Path returns the path of the file.
func (p *Pins) Path() string { return p.path }

// Wait waits until everything has ended that the pins have started. The context must
// have ended before.
func (p *Pins) Wait() { p.work.Wait() }

// List returns the pins in the order of the file, how many sections of the file are not pins,
// and why the file cannot be used. version changes with the result.
func (p *Pins) List() (list []Pin, others, version int, problem error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list = make([]Pin, len(p.pins))
	for i, one := range p.pins {
		list[i] = one.Pin
	}
	return list, p.others, p.version, p.problem
}

// Version changes when [Pins.List] returns something else.
func (p *Pins) Version() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// Named returns a pin, and what its response is compared with; nil without that.
func (p *Pins) Named(name string) (one Pin, expected []byte, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.named(name); found != nil {
		return found.Pin, found.exchange.Expected(found.Response), true
	}
	return one, nil, false
}

// Names returns the names of the pins.
func (p *Pins) Names() []string {
	list, _, _, _ := p.List()
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// Result returns the newest result of a pin, or else the expected one.
func (p *Pins) Result(name string) ([]byte, bool) {
	pin, expected, ok := p.Named(name)
	if !ok {
		return nil, false
	}
	result := pin.Response
	if result == nil {
		result = expected
	}
	return result, result != nil
}

// changed increments the version that List returns, and wakes the screen. The caller holds the lock.
func (p *Pins) changed() {
	p.version++
	p.s.Store().Notify()
}

// judge compares the newest response of a pin with the current expectation. The caller holds the lock.
func (p *Pins) judge(one *pin) {
	if !one.done || one.State == Running {
		return
	}
	p.verdict(one, one.exchange.Judge(p.ctx, one.response, one.err, sentence))
}

// verdict stores the outcome of a comparison; nil means that there is no difference. The caller holds the
// lock.
func (p *Pins) verdict(one *pin, f *script.Failure) {
	if one.State, one.Reason, one.Rows = Passed, "", nil; f == nil {
		return
	}
	one.State, one.Reason, one.Rows = Failed, f.Reason, f.Rows
	if one.rejected != nil && one.err == nil && jsonrpc.Equal(one.rejected, one.Response) {
		one.State = Rejected
	}
}

// named returns a pin, or nil. The caller holds the lock.
func (p *Pins) named(name string) *pin {
	for _, one := range p.pins {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// Find returns the name of the pin of a request, or empty.
func (p *Pins) Find(method string, params []byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.pins {
		if one.method == method && jsonrpc.Equal(jsonrpc.Without(one.params, "_meta"), jsonrpc.Without(params, "_meta")) {
			return one.Name
		}
	}
	return ""
}

// ended stores the outcome of a pin, whose request has a row. A large response is compared without the
// lock.
func (p *Pins) ended(one *pin, request int32, response client.Response, err error) {
	x := one.exchange
	verdict := x.Judge(p.ctx, response, err, sentence)
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.named(one.Name); now != nil {
		one = now
	}
	if one.exchange != x { // the file was read again
		verdict = one.exchange.Judge(p.ctx, response, err, sentence)
	}
	one.RequestRow, one.ResponseRow = request, store.None
	if row, ok := p.s.Store().Row(request); ok {
		one.ResponseRow = row.Pair
	}
	one.response, one.err, one.done, one.Took = response, err, true, response.Took
	one.Response, one.Refused = nil, false
	if err == nil {
		one.Response = response.Result()
		one.Refused = string(jsonrpc.Get(one.Response, "isError")) == "true"
		if response.Err() != nil {
			one.Response, one.Refused = response.Envelope.Error.Of(response.Frame), true
		}
	}
	p.verdict(one, verdict)
	p.changed()
}

// Reject marks the last response of a pin as known to be wrong. The pin stays failed
// until another response arrives or this one is accepted.
func (p *Pins) Reject(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.named(name); one != nil && one.State == Failed && one.Response != nil {
		one.rejected = one.Response
		p.judge(one)
		p.changed()
	}
}

// sentence returns an error of the connection in one sentence.
func sentence(err error) string {
	return failure.Explain(err, failure.Facts{Connected: true}).Sentence
}
