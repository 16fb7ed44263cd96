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
	"mcptea/lint"
)

// A Kind classifies the outcome of a frame.
type Kind uint8

// The kinds.
const (
	Result  Kind = iota // result with the id of the request
	Error               // error response, possibly with id null
	Refused             // HTTP 4xx or 5xx without a JSON-RPC message
	Silent              // no response; the server is alive
	Hang                // well-formed request without a response within the timeout
	Mute                // no response, not even to a ping sent afterwards; nothing has ended
	Dead                // the connection ended or the process exited
	Network             // the frame could not be sent; the server is alive
	Unsent              // the probe had ended
)

var kindNames = [...]string{"a result", "an error", "an HTTP error", "no response", "no response within the timeout", "no response, neither to a ping after it", "the end of the connection", "a network failure", "nothing"}

// String describes the kind, to follow "the server replied with".
func (k Kind) String() string { return kindNames[k] }

// An Outcome is the result of sending a frame.
type Outcome struct {
	Kind    Kind
	Sent    []byte
	Frame   []byte // response, or nil
	ID      jsonrpc.ID
	Code    jsonrpc.Code // code of the error response
	Message string       // message of the error response
	// Status is the HTTP status, or 0 over stdio.
	Status int
	Took   time.Duration
	// Responses holds all responses: to a batch, or duplicates.
	Responses [][]byte
	Err       error
	// Header and the start of Body are from a raw HTTP response.
	Header http.Header
	Body   []byte

	// AtOnce reports whether the response was there before the answer to a ping sent after the frame. It is set
	// by [Run.Provoke] over stdio.
	AtOnce bool

	link     *link         // link, or nil for a raw HTTP request
	x        *exchange     // exchange of a probe, or nil
	unsent   bool          // the connection had already ended
	written  bool          // a raw HTTP request was written to a connection that was accepted
	absence  absence       // what is known about a missing response
	timedOut bool          // a raw HTTP request had no response in time
	waited   time.Duration // duration of the wait for a response that did not arrive
	acts     []Act         // acts of mcptea during the exchange
	evidence []Frame
	exit     *Exit
	late     *late // request whose response may still arrive
	code     []byte
}

// ShownCode returns the code of an error response as received. It need not be a number.
func (o Outcome) ShownCode() string {
	if len(o.code) == 0 {
		return "without a code"
	}
	return short(string(o.code))
}

// EndsEmpty reports whether the server has ended the HTTP response to a request without a message.
// Then there is no reason to wait longer.
func (o Outcome) EndsEmpty() bool { return o.absence.by == emptyBody }

// Accepted reports whether the server accepted the request: a success status and, for a request with an id, a
// result. A status of 200 alone proves nothing, because an error or a login page may have it.
func (o Outcome) Accepted() bool {
	e := jsonrpc.Scan(o.Sent)
	if !o.OK() || o.Kind == Error {
		return false
	}
	return o.Kind == Result || e.Kind != jsonrpc.Request || o.Status == http.StatusAccepted
}

// OK reports whether the HTTP status is 2xx.
func (o Outcome) OK() bool { return o.Status >= 200 && o.Status < 300 }

// Refused reports whether the HTTP status is 4xx.
func (o Outcome) Refused() bool { return o.Status >= 400 && o.Status < 500 }

// IsRefusal reports whether the outcome is an error response or a 4xx status.
func (o Outcome) IsRefusal() bool {
	return o.Kind == Error || o.Kind == Refused || o.Refused()
}

// IsError reports whether the outcome is an error response with one of the codes, or with any code if none are
// given.
func (o Outcome) IsError(codes ...int64) bool {
	return o.Kind == Error && (len(codes) == 0 || o.Code.Is(codes...))
}

// Result returns the raw result, or nil.
func (o Outcome) Result() []byte {
	if o.Kind != Result {
		return nil
	}
	v, _ := jsonrpc.Member(o.Frame, "result")
	return v
}

// Member returns a member of the result, or nil.
func (o Outcome) Member(name string, more ...string) []byte {
	v, _ := jsonrpc.Member(o.Result(), name, more...)
	return v
}

// ToolError reports whether the result has isError.
func (o Outcome) ToolError() bool { return string(o.Member("isError")) == "true" }

// A Frame is a frame that serves as evidence.
type Frame struct {
	Seq  int // number in the run, from 1
	Conn int // number of the connection, from 1
	Dir  transport.Direction
	Time time.Time
	// Bytes holds up to [maxEvidence] bytes of the frame. Size is its full length. In a finding,
	// Bytes is redacted. For a longer frame, it starts near Place.
	Bytes []byte
	Size  int
	// Place is the part that a finding is about: a JSON pointer, "byte N", or "" for the whole frame.
	Place string
	// Before and After report whether bytes are missing before and after Bytes.
	Before, After bool
	// Row is the row in [Config.Record], or [store.None].
	Row int32

	at       int    // offset of Place in Bytes
	whole    []byte // unredacted frame, if more than Bytes is known
	redacted bool   // ready to be shown in a finding
}

// Excerpt returns the part of the frame that a finding shows.
func (f *Frame) Excerpt() lint.Excerpt {
	return lint.Excerpt{Dir: f.Dir, Bytes: f.Bytes, At: f.at, Before: f.Before, After: f.After}
}

// show replaces the bytes with a redacted excerpt.
func (f *Frame) show(e lint.Excerpt) {
	f.Bytes, f.at, f.Before, f.After, f.whole, f.redacted = e.Bytes, e.At, e.Before, e.After, nil, true
}

// At returns the outcome with pointer as the place of its response frame.
func (o Outcome) At(pointer string) Outcome {
	o.evidence = slices.Clone(o.evidence)
	for i := range o.evidence {
		if f := &o.evidence[i]; f.Dir == transport.In && f.Size == len(o.Frame) {
			f.Place, f.whole = pointer, o.Frame
		}
	}
	return o
}

// maxEvidence bounds a frame in a finding, in bytes. maxFrames bounds the frames of a finding.
const (
	maxEvidence = lint.MaxExcerpt
	maxFrames   = 6
)

// An Exit describes how a process or connection ended during a run.
type Exit struct {
	Code   int      `json:"code"`             // -1 after a signal
	Signal string   `json:"signal,omitempty"` // "" if there was none
	Reason string   `json:"reason,omitempty"` // why a connection without a process ended
	Stderr []string `json:"stderr,omitempty"` // last lines of stderr, redacted
	// Crashed reports a signal, or a panic or uncaught exception on stderr.
	Crashed bool `json:"-"`
	// HasProcess and Exited report whether there was a process and whether it exited. Signalled is the last
	// signal that mcptea sent, or "".
	HasProcess, Exited bool   `json:"-"`
	Signalled          string `json:"-"`
	// Left lists the descendants that outlived the process. Those in its process group were terminated.
	Left []transport.Descendant `json:"-"`
	// Stayed is the number of failed shutdowns out of Attempts; see [Run.Shutdown]. Both are 0 if the first one
	// succeeded.
	Stayed, Attempts int `json:"-"`
	// Acts lists the acts of mcptea on the connection. Ours reports that mcptea closed it first.
	Acts []Act `json:"-"`
	Ours bool  `json:"-"`
}

// A Finding is a mistake or fact that a probe reports.
type Finding struct {
	Severity lint.Severity
	// Case describes what was sent. Subject is the tool, resource or method.
	Case, Subject string
	// Rule is the violated lint rule, or nil.
	Rule    *lint.Entry
	Message string // a sentence
	Hint    string // advice
	Frames  []Frame
	Exit    *Exit
	// Ground is the sentence of the specification that the finding is based on. It is nil for an info and for a
	// lint rule.
	Ground *Ground
	// Acts lists the acts of mcptea during the exchange.
	Acts []Act
	// Control is the plain form of the request, which passes. It is nil if the frames are the proof.
	Control *Control
	// Versions lists the protocol versions that have the finding, in a report over several versions.
	Versions []string
	// Also lists the other cases of the same mistake or, for a rule, the other messages.
	Also []string
	// Script is an mcptea run script that reproduces the finding, or "".
	Script string
	// Library is the library that probably causes the finding, or nil.
	Library *Library
	// LeadsTo lists probes whose findings probably have the same cause. Follows is the probe whose finding
	// leads to this one. [LinkRoots] sets both.
	LeadsTo []string
	Follows string
	// Accepted reports whether the baseline contains the finding.
	Accepted bool

	// late is the request whose response is missing, or nil.
	late  *late
	key   findingKey
	proof proof
	root  string // see rootOf
	// generic reports whether the finding can apply to any exchange. A specific finding about the
	// same exchange replaces a generic one.
	generic bool
	apart   bool // generic, but not replaced by specific findings
	// confirm repeats the request when its response is known to be missing. It may be nil.
	confirm func() *Because
}

// A Control is the plain form of a request, with its outcome.
type Control struct {
	Sent    string // description
	Outcome Outcome
}

// String describes the control, as a sentence without a period.
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

// Evidence returns the frames of the exchange.
func (o Outcome) Evidence() []Frame { return slices.Clone(o.evidence) }

// A Verdict is the result of a probe.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"
	Warn    Verdict = "warning"
	Fail    Verdict = "fail"
	Skipped Verdict = "skipped"
	Failure Verdict = "error" // not judged
)

// A Report is the result of one probe.
type Report struct {
	Entry    *Entry
	Verdict  Verdict
	Revision string
	// Versions lists the versions that the probe ran with, in a report over several versions. Revision is the
	// first one.
	Versions  []string
	Transport string
	Reason    Reason // why the probe was skipped
	Skip      string // details of Reason, or why the probe was not judged; see [Report.Why]
	// Because is the cause that another probe reports, if this probe was not judged because of it.
	Because  *Because
	Findings []Finding
	Measure  map[string]float64
	Sent     int // number of frames
	Took     time.Duration
}

// Requirement returns the level that the probe tests. It is "" for a warning of a MUST or SHOULD probe, because
// a warning does not violate a MUST.
func (r *Report) Requirement() Level {
	if r.Verdict == Warn && (r.Entry.Level == Must || r.Entry.Level == Should) {
		return ""
	}
	return r.Entry.Level
}

// settle classifies the first response.
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
		if n, ok := jsonrpc.Integer(o.code); ok { // even in a damaged response
			o.Code = jsonrpc.CodeOf(n)
		}
	}
}

// fail records a send error.
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
