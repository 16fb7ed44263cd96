package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/internal/schema/variables"
	"mcptea/offer/diff"
	"mcptea/offer/jq"
	"mcptea/record/store"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// A Connection is the server that a script names in connect.
type Connection struct {
	// Target is the server; it is empty when the script leaves it to the caller.
	Target client.Target
	// Protocol is the protocol version; empty for any.
	Protocol string
	// Env are variables for the server, NAME=VALUE.
	Env []string
}

// Options determine how scripts are run.
type Options struct {
	// Connect opens a session and connects. Its policies leave server requests to the user, and its rules are
	// on. If there is a session, it is returned with an error, too.
	Connect func(ctx context.Context, c Connection) (*session.Session, error)
	// Close closes a session.
	Close func(s *session.Session)
	// Explain returns an error of a connection in one sentence.
	Explain func(err error) string
	// Timeout is the maximum wait of a command; see the command timeout.
	Timeout time.Duration
	// Update writes actual values into the files of the script that expect --exact names; see [Script.Updated].
	Update bool
	// KeepGoing runs the sections after one that has failed, too, unless there is no
	// connection.
	KeepGoing bool
	// Step is called before each command; may be nil.
	Step func(line int, text string)
}

// Result is the outcome of a script.
type Result struct {
	Sections []SectionResult
	Took     time.Duration
}

// SectionResult is the outcome of a section.
type SectionResult struct {
	Section *Section
	Took    time.Duration
	Failure *Failure // failure, or nil if the section passed
	Skipped bool     // an earlier section has failed
}

// Failures returns the failures in the order of the sections; one at most without
// [Options.KeepGoing], and none if the script has passed.
func (r *Result) Failures() (all []*Failure) {
	for _, s := range r.Sections {
		if s.Failure != nil {
			all = append(all, s.Failure)
		}
	}
	return all
}

// Failure is a command that has failed.
type Failure struct {
	Line    int
	Command string // command as written
	Reason  string // reason in one sentence; may quote the server
	// Rows compare the expected with the found value, or nil.
	Rows []diff.Row
	// Frames are the numbers of the last request and response; 0 without.
	Request, Response int32
	// Connect is the error if no connection was made; else nil.
	Connect error
}

// run is one execution of a script.
type run struct {
	script  *Script
	options Options
	timeout time.Duration
	vars    map[string][]byte // raw JSON
	outside *outside          // collects the values from outside, or nil in a run

	s       *session.Session // session, or nil without a connection
	wanted  Connection
	last    outcome
	pending *session.Call // call in the background
	method  string        // method of the request in pending
	cursor  int32         // first row that the command receive searches
	answers map[string][]string
	filters jq.Engine
}

// outcome is the result of the newest request, or its error.
type outcome struct {
	method  string
	known   bool
	value   []byte // the result, or the error object
	isError bool
	tool    bool // the result of a tool with isError
}

// Run executes a script.
func Run(ctx context.Context, s *Script, o Options) Result {
	r := &run{script: s, options: o, timeout: o.Timeout, vars: map[string][]byte{}, answers: map[string][]string{}}
	defer r.disconnect()
	defer r.filters.Close()
	result := Result{}
	from := time.Now()
	failed := false
	for _, section := range s.Sections {
		one := SectionResult{Section: section, Skipped: failed}
		if !failed {
			began := time.Now()
			one.Failure = r.section(ctx, section)
			one.Took, failed = time.Since(began), one.Failure != nil
			if failed && o.KeepGoing && one.Failure.Connect == nil {
				failed = false
				if r.pending != nil {
					r.pending.Cancel()
					r.pending = nil
				}
			}
		}
		result.Sections = append(result.Sections, one)
	}
	result.Took = time.Since(from)
	return result
}

func (r *run) section(ctx context.Context, section *Section) *Failure {
	for _, st := range section.steps {
		if r.options.Step != nil {
			r.options.Step(st.line, st.text)
		}
		if err := r.step(ctx, st); err != nil {
			return r.failure(st, err)
		}
	}
	return nil
}

// step runs a command. One that needs a server connects to the target of the command
// line if the script has not connected.
func (r *run) step(ctx context.Context, st *step) error {
	words, err := r.expanded(st)
	if err != nil {
		return err
	}
	if r.s == nil && st.command.request {
		if err := r.connect(ctx, Connection{}); err != nil {
			return err
		}
	}
	if !st.command.connects { // connecting has its own time limit
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, r.timeout, errTimeout{r.timeout})
		defer cancel()
	}
	return st.command.run(ctx, r, st, words)
}

// expanded returns the words of a command with the values of variables.
func (r *run) expanded(st *step) ([]string, error) {
	words := make([]string, len(st.words))
	for i, w := range st.words {
		var err error
		if words[i], err = variables.ExpandWord(w, r.value); err != nil {
			return nil, err
		}
	}
	return words, nil
}

type errTimeout struct{ after time.Duration }

func (e errTimeout) Error() string { return fmt.Sprintf("nothing within %s", e.after) }

// value returns a variable, raw.
func (r *run) value(name string) (json.RawMessage, error) {
	if env, ok := strings.CutPrefix(name, "env."); ok {
		if r.outside != nil {
			return r.outside.value(env)
		}
		return variables.Sources{Env: variables.Environment}.Lookup(name)
	}
	if v, ok := r.vars[name]; ok {
		return v, nil
	}
	return nil, errUndefined(name)
}

// errConnect is the failure of a connection.
type errConnect struct{ err error }

func (e errConnect) Error() string { return e.err.Error() }

// difference is a failed comparison.
type difference struct {
	reason string
	rows   []diff.Row
}

func (d *difference) Error() string { return d.reason }

func (r *run) failure(st *step, err error) *Failure {
	f := &Failure{Line: st.line, Command: st.text, Reason: err.Error()}
	var d *difference
	if errors.As(err, &d) {
		f.Rows = d.rows
	}
	var c errConnect
	if errors.As(err, &c) {
		f.Connect, f.Reason = c.err, r.options.Explain(c.err)
	}
	if r.s != nil {
		f.Request, f.Response = r.lastRows()
	}
	return f
}

// lastRows returns the numbers of the newest request of the client and of its response.
func (r *run) lastRows() (request, response int32) {
	st := r.s.Store()
	for i := int32(st.Snapshot().Rows) - 1; i >= 0; i-- {
		if row, ok := st.Row(i); ok && isRequest(&row) {
			if row.Pair != store.None {
				response = row.Pair + 1
			}
			return i + 1, response
		}
	}
	return 0, 0
}

func (r *run) connect(ctx context.Context, c Connection) error {
	r.disconnect()
	s, err := r.options.Connect(ctx, c)
	if s != nil {
		r.s, r.wanted = s, c
	}
	if err != nil {
		return errConnect{err}
	}
	r.mark()
	return nil
}

func (r *run) disconnect() {
	if r.s == nil {
		return
	}
	r.options.Close(r.s)
	r.s, r.pending = nil, nil
}

// mark makes receive consider only later messages.
func (r *run) mark() { r.cursor = int32(r.s.Store().Snapshot().Rows) }

// until waits until a condition is true, and responds to server requests in the meantime.
func (r *run) until(ctx context.Context, holds func() bool) error {
	return r.s.Until(ctx, func() bool {
		r.respond()
		return holds()
	})
}

// respond responds to the server's requests: each with the next answer of its kind. Without an answer, it
// declines.
func (r *run) respond() {
	for _, q := range r.s.Inbox().Requests() {
		if q.State != requests.Waiting {
			continue
		}
		kind := "elicitation"
		if strings.HasPrefix(q.Method, "sampling/") {
			kind = "sampling"
		}
		how := "decline"
		if queue := r.answers[kind]; len(queue) > 0 {
			how, r.answers[kind] = queue[0], queue[1:]
		}
		// What cannot be sent shows in the response to the request that waits for it.
		switch how {
		case "decline":
			_ = r.s.Inbox().Decline(q.ID)
		case "cancel":
			_ = r.s.Inbox().Cancel(q.ID)
		case "error":
			_ = r.s.Inbox().Refuse(q.ID, -1, "refused by the script")
		default:
			_ = r.s.Inbox().Respond(q.ID, []byte(how))
		}
	}
}
