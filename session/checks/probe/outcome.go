package probe

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
)

// Kind is what a frame has led to.
type Kind uint8

// The kinds.
const (
	Result  Kind = iota // a result with the id of the request
	Error               // an error response, also with id null
	Refused             // HTTP 4xx or 5xx without a JSON-RPC message
	Silent              // no response, and the server is alive
	Hang                // a well-formed request without a response within the timeout
	Mute                // no response, neither to a ping behind it; nothing has ended
	Dead                // the connection has ended, or the process has exited
	Network             // the frame could not be sent, and the server is alive
	Unsent              // the probe has ended
)

var kindNames = [...]string{"a result", "an error", "an HTTP error", "no response", "no response within the timeout", "no response, neither to a ping behind it", "the end of the connection", "a network failure", "nothing"}

// String is the kind in a sentence: the server replied with ….
func (k Kind) String() string { return kindNames[k] }

// Outcome is what a frame has led to.
type Outcome struct {
	Kind    Kind
	Sent    []byte
	Frame   []byte // the response; nil without one
	ID      jsonrpc.ID
	Code    jsonrpc.Code // of an error response
	Message string       // of an error response
	// Status is that of the HTTP response; 0 over stdio.
	Status int
	Took   time.Duration
	// Responses are all responses: those to a batch, or further ones to a request.
	Responses [][]byte
	Err       error
	// Header and Body are those of the response to a raw HTTP request; Body is its head.
	Header http.Header
	Body   []byte

	// AtOnce reports that the response to what was sent by [Run.Provoke] over stdio was there
	// when a ping behind it was answered.
	AtOnce bool

	link     *link         // that it was made on; nil for a raw HTTP request
	x        *exchange     // what it is of; nil for one that no probe has asked for
	unsent   bool          // the connection had ended before
	written  bool          // a raw HTTP request was written to a connection that was accepted
	absence  absence       // of the response
	timedOut bool          // a raw HTTP request had no response in time
	waited   time.Duration // for a response that has not come
	acts     []Act         // of mcptea, meanwhile
	evidence []Frame
	exit     *Exit
	late     *late // of a request without a response so far
	code     []byte
}

// ShownCode is the code of an error response as it was received, which need not be a
// number.
func (o Outcome) ShownCode() string {
	if len(o.code) == 0 {
		return "without a code"
	}
	return short(string(o.code))
}

// EndsEmpty reports an HTTP response to a request that the server has ended without a message: no more can
// come, however long is waited.
func (o Outcome) EndsEmpty() bool { return o.absence.by == emptyBody }

// Accepted reports that the server has taken a request: a status of success, and of a
// request with an id its result. A status alone proves nothing: an error, or a page of a
// login, may come with 200.
func (o Outcome) Accepted() bool {
	e := jsonrpc.Scan(o.Sent)
	if !o.OK() || o.Kind == Error {
		return false
	}
	return o.Kind == Result || e.Kind != jsonrpc.Request || o.Status == http.StatusAccepted
}

// OK reports an HTTP status from 200 to 299.
func (o Outcome) OK() bool { return o.Status >= 200 && o.Status < 300 }

// Refused reports an HTTP status from 400 to 499.
func (o Outcome) Refused() bool { return o.Status >= 400 && o.Status < 500 }

// IsRefusal reports an error response or an HTTP status from 400 to 499.
func (o Outcome) IsRefusal() bool {
	return o.Kind == Error || o.Kind == Refused || o.Refused()
}

// IsError reports an error response with one of the codes; any code without one.
func (o Outcome) IsError(codes ...int64) bool {
	return o.Kind == Error && (len(codes) == 0 || o.Code.Is(codes...))
}

// Result is the raw result, nil for other outcomes.
func (o Outcome) Result() []byte {
	if o.Kind != Result {
		return nil
	}
	v, _ := jsonrpc.Member(o.Frame, "result")
	return v
}

// Member is a member of the result; nil without one.
func (o Outcome) Member(name string, more ...string) []byte {
	v, _ := jsonrpc.Member(o.Result(), name, more...)
	return v
}

// ToolError reports a result with isError.
func (o Outcome) ToolError() bool { return string(o.Member("isError")) == "true" }

// Frame is a frame as evidence of a finding.
type Frame struct {
	Seq  int // of the run, from 1
	Conn int // the connection, from 1
	Dir  transport.Direction
	Time time.Time
	// Bytes are those of the wire, cut at [maxEvidence]; Size is how many there were. In a finding they
	// are redacted, and begin at its place if the frame is longer.
	Bytes []byte
	Size  int
	// Place is what a finding is about, a JSON pointer or "byte N"; empty for the frame as a whole.
	Place string
	// Before and After report that the frame has more than Bytes, which begin at the place then.
	Before, After bool
	// Row is that of the frame in [Config.Record]; [store.None] without one.
	Row int32

	at       int    // of the place in Bytes
	whole    []byte // of the wire, where more than Bytes is known
	redacted bool   // what a finding shows
}

// Excerpt is what a finding shows of the frame.
func (f *Frame) Excerpt() lint.Excerpt {
	return lint.Excerpt{Dir: f.Dir, Bytes: f.Bytes, At: f.at, Before: f.Before, After: f.After}
}

// show makes the frame that of a finding.
func (f *Frame) show(e lint.Excerpt) {
	f.Bytes, f.at, f.Before, f.After, f.whole, f.redacted = e.Bytes, e.At, e.Before, e.After, nil, true
}

// At is the outcome with a place of its response, a JSON pointer, as what the evidence shows.
func (o Outcome) At(pointer string) Outcome {
	o.evidence = slices.Clone(o.evidence)
	for i := range o.evidence {
		if f := &o.evidence[i]; f.Dir == transport.In && f.Size == len(o.Frame) {
			f.Place, f.whole = pointer, o.Frame
		}
	}
	return o
}

// maxEvidence bounds a frame in a finding. maxFrames bounds the frames of one.
const (
	maxEvidence = lint.MaxExcerpt
	maxFrames   = 6
)

// Exit is how a process has ended during a run, or a connection.
type Exit struct {
	Code   int    `json:"code"`             // -1 after a signal
	Signal string `json:"signal,omitempty"` // empty without one
	Reason string `json:"reason,omitempty"` // of a connection without process
	// Stderr are the last lines, redacted.
	Stderr []string `json:"stderr,omitempty"`
	// Crashed reports a signal, or a panic or an uncaught exception on stderr.
	Crashed bool `json:"-"`
	// HasProcess and Exited are whether there was a process, and whether it has ended;
	// Signalled is the last signal that mcptea has sent, empty without one.
	HasProcess, Exited bool   `json:"-"`
	Signalled          string `json:"-"`
	// Left are the descendants that have outlived the process. Those that are not apart were
	// ended with its process group.
	Left []transport.Descendant `json:"-"`
	// Stayed is in how many of so many Attempts a process stayed: see [Run.Shutdown]. Both are 0
	// for one that went.
	Stayed, Attempts int `json:"-"`
	// Acts are what mcptea did to the connection; Ours reports that it had closed it before.
	Acts []Act `json:"-"`
	Ours bool  `json:"-"`
}

// Finding is what a probe has found.
type Finding struct {
	Severity lint.Severity
	// Case is what was sent, in a few words; Subject the tool, resource or method.
	Case, Subject string
	// Rule is the lint rule that the evidence violates; nil without one.
	Rule    *lint.Entry
	Message string // a sentence
	Hint    string // what to do
	Frames  []Frame
	Exit    *Exit
	// Ground is the sentence of the specification that it rests on; nil for an info, and for
	// the finding of a rule.
	Ground *Ground
	// Acts are what mcptea itself did to the connection meanwhile.
	Acts []Act
	// Control is the plain form of the request, which passes; nil where the frames are the
	// proof.
	Control *Control
	// Versions are the protocol versions that it holds for, in a report over several; nil else.
	Versions []string
	// Also are the further cases of the same mistake; for a rule its further messages.
	Also []string
	// Script repeats the finding with mcptea run; empty without one.
	Script string
	// Library is what likely does it, where that is not the server's own code; nil else.
	Library *Library
	// LeadsTo are the probes with findings that likely have the same mistake behind them, Follows is the one
	// whose finding leads to this one. [LinkRoots] sets them.
	LeadsTo []string
	Follows string
	// Accepted reports that the baseline has it.
	Accepted bool

	// late is the request whose missing response the finding is about; nil for
	// others.
	late  *late
	key   findingKey
	proof proof
	root  string // see rootOf
	// generic reports one that holds for any exchange: the probe may have said more of it.
	generic bool
	apart   bool // though generic, it is about something else than what the probe says
	// confirm repeats what a finding about a missing response is about, once it is known to
	// be missing; nil for others.
	confirm func() *Because
}

// Control is the plain form of a request that a finding is about, and what it led to.
type Control struct {
	Sent    string // in a few words
	Outcome Outcome
}

// String is the control in a sentence without its end.
func (c Control) String() string {
	if c.Sent == plainEnd {
		return c.Sent + " do not end the server"
	}
	text := c.Sent + " gets " + describe(c.Outcome, "a result")
	if c.Outcome.Took > 0 {
		text += ", " + phrase.Duration(c.Outcome.Took)
	}
	return text
}

// Evidence are the frames of an exchange.
func (o Outcome) Evidence() []Frame { return slices.Clone(o.evidence) }

// Verdict is the outcome of a probe.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Warn    Verdict = "warning"
	Fail    Verdict = "fail"
	Skipped Verdict = "skipped"
	Failure Verdict = "error" // it could not be judged
)

// Report is the outcome of one probe.
type Report struct {
	Entry    *Entry
	Verdict  Verdict
	Revision string
	// Versions are those that the probe has run with, in a report over several; nil else. Revision
	// is the first one.
	Versions  []string
	Transport string
	Reason    Reason // why it was skipped
	Skip      string // why it was skipped, or could not be judged; [Report.Why] has the reason as well
	// Because is the cause, where it was not judged for what another probe reports; nil else.
	Because  *Because
	Findings []Finding
	Measure  map[string]float64
	Sent     int // frames
	Took     time.Duration
}

// Requirement is the level that the probe tests. A warning violates no MUST, so it has
// none of these words.
func (r *Report) Requirement() Level {
	if r.Verdict == Warn && (r.Entry.Level == Must || r.Entry.Level == Should) {
		return ""
	}
	return r.Entry.Level
}

// settle reads the first response.
func (o *Outcome) settle() {
	if o.Frame == nil {
		return
	}
	e := jsonrpc.Scan(o.Frame)
	o.ID = e.ID.Of(o.Frame).ID()
	o.Kind = Result
	if e.Kind == jsonrpc.ErrorResponse || e.Error.Present() {
		err := jsonrpc.ParseError(o.Frame, e)
		o.Kind, o.Code, o.Message = Error, err.Code, err.Message
		o.code, _ = jsonrpc.Member(o.Frame, "error", "code")
		if n, ok := jsonrpc.Integer(o.code); ok { // also of a damaged response
			o.Code = jsonrpc.CodeOf(n)
		}
	}
}

// fail takes an error of sending.
func (o *Outcome) fail(err error) {
	var status *transport.StatusError
	switch {
	case errors.As(err, &status):
		o.Status, o.Header = status.Status, status.Header
		if o.Frame == nil && len(bytes.TrimSpace(status.Body)) > 0 {
			if e := jsonrpc.Scan(status.Body); e.Kind.IsResponse() {
				o.Frame = status.Body
			} else {
				o.Message = string(status.Body)
			}
		}
	case o.Frame == nil:
		o.Kind, o.Err = Network, err
	}
}
