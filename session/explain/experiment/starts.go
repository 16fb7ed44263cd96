package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// maxStarts bounds the starts of a command for one failure, including the control.
const maxStarts = 4

// A start describes one more start of a command, with one thing changed.
type start struct {
	id, label string
	method    string // method of the only message, or "" to send nothing
	end       string // bytes at the end of the message, before its line feed
	env       string // NAME=VALUE
}

// The starts. plain sends the same first message as the failed attempt, in the same form.
var (
	plain      = start{id: "control", label: "the first message again", method: "server/discover"}
	nothing    = start{id: "nothing", label: "nothing sent"}
	initFirst  = start{id: "initialize", label: "initialize as the first message", method: "initialize"}
	carriage   = start{id: "crlf", label: "initialize as the first message, with CR LF at its end", method: "initialize", end: "\r"}
	unbuffered = start{id: "unbuffered", label: "initialize as the first message, with PYTHONUNBUFFERED=1", method: "initialize", env: "PYTHONUNBUFFERED=1"}
)

// whyNoStart returns the reason why a command is not started again to explain its failure, or "".
func whyNoStart(s *session.Session, err error, e failure.Explanation) string {
	_, recorded := s.Recording()
	_, timedOut := errors.AsType[*client.TimeoutError](err)
	_, exited := errors.AsType[*stdio.ExitError](err)
	switch {
	case recorded || s.Config().Dial != nil:
		return "the command is not started from here"
	case !errors.As(err, new(*client.ConnectError)):
		return "the server had connected"
	case !timedOut && !exited:
		return "no other start would differ"
	case errors.As(err, new(*client.NoResponseError)):
		return "the server sent something other than a response"
	case !e.IsOpen():
		return "the cause is known"
	}
	return ""
}

// A started is the outcome of a start. It is determined before the process is ended, since a server may respond
// to the end of its stdin.
type started struct {
	responded bool
	exit      *stdio.ExitError // exit of the process, or nil if it was running
	took      time.Duration
}

// String returns the outcome in words.
func (o started) String() string {
	switch {
	case o.responded:
		return "a response"
	case o.exit == nil:
		return "no response"
	case o.exit.Signal != "":
		return "ended by " + o.exit.Signal
	}
	return fmt.Sprintf("exit code %d", o.exit.Code)
}

// same reports whether two starts had the same outcome.
func (o started) same(other started) bool {
	if o.exit == nil || other.exit == nil {
		return o.exit == other.exit && o.responded == other.responded
	}
	return o.exit.Code == other.exit.Code && o.exit.Signal == other.exit.Signal
}

// responses receives a value for each message of a start.
type responses chan struct{}

func (r responses) Frame(f transport.Frame) transport.Ref {
	if f.Dir == transport.In && jsonrpc.Scan(f.Bytes).Kind.IsResponse() {
		select {
		case r <- struct{}{}:
		default:
		}
	}
	return transport.Ref{}
}

func (responses) Stderr(transport.Line)          {}
func (responses) Process(transport.ProcessEvent) {}
func (responses) Exchange(transport.Exchange)    {}

// A starter starts the command for one failure.
type starter struct {
	s      *session.Session
	was    started // outcome of the failed attempt
	starts int
	report Report
}

// tryStarts starts the command again, with one thing changed at a time. Each start takes at most the given
// time.
func tryStarts(ctx context.Context, s *session.Session, err error, each time.Duration) Report {
	ctx, stop := context.WithTimeout(ctx, maxStarts*each)
	defer stop()
	r := &starter{s: s}
	exit, exited := errors.AsType[*stdio.ExitError](err)
	if r.was.exit = exit; exited {
		if o := r.try(ctx, nothing, each); o.exit != nil {
			if o.same(r.was) {
				r.shows("start-nothing", o)
			}
			return r.report // the server may wait for something that mcptea does not send
		}
	}
	for _, st := range []start{initFirst, carriage, unbuffered} {
		if st.env != "" && !r.isPython() || exited && st.id != initFirst.id || ctx.Err() != nil {
			continue
		}
		o := r.try(ctx, st, each)
		if !o.responded {
			continue
		}
		// Without the change it must fail again, within twice the time.
		if again := r.try(ctx, r.control(st), min(each, 2*o.took+time.Second/2)); again.responded {
			r.shows("start-flaky", again)
		} else if ctx.Err() == nil {
			r.shows("start-"+st.id, again)
		}
		break
	}
	return r.report
}

// control returns a start that differs from a given start only in its change.
func (r *starter) control(of start) start {
	if of.id == initFirst.id {
		return plain
	}
	c := initFirst
	c.id, c.label = "control", "initialize as the first message again"
	return c
}

// isPython reports whether the command is a Python program that buffers its output.
func (r *starter) isPython() bool {
	t := r.s.Target()
	set := slices.ContainsFunc(t.Env, func(kv string) bool {
		return strings.HasPrefix(kv, "PYTHONUNBUFFERED=") && kv != "PYTHONUNBUFFERED="
	})
	return !set && slices.ContainsFunc(t.Argv, func(word string) bool {
		name := filepath.Base(word)
		return strings.HasPrefix(name, "python") || strings.HasSuffix(name, ".py") || name == "uv" || name == "uvx"
	})
}

// shows sets the conclusion by the name of its row.
func (r *starter) shows(row string, o started) {
	r.report.Conclusion, r.report.Decides = failure.Shown(row, map[string]string{"was": o.String(), "version": string(revision.NewestHandshake)}), row != "start-nothing"
}

// try starts the command, sends the message of st, and waits for a response, the end of the process, or the
// limit.
func (r *starter) try(ctx context.Context, st start, limit time.Duration) (o started) {
	if r.starts++; r.starts > maxStarts {
		return o
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	t, begin := r.s.Target(), time.Now()
	env := slices.Clip(t.Env)
	if st.env != "" {
		env = append(env, st.env)
	}
	p := stdio.New(stdio.Config{Argv: t.Argv, Env: env, Dir: t.Dir, Grace: t.Grace, Idle: t.Idle, KillLeft: t.KillLeft, Mark: t.Mark})
	came := make(responses, 1)
	if p.Open(ctx, came) != nil {
		return o
	}
	defer func() { _ = p.Close(context.WithoutCancel(ctx)) }()
	if st.method != "" {
		frame := append(firstMessage(st.method), st.end...)
		_ = p.Send(ctx, transport.Outgoing{Bytes: frame, Note: transport.Note{Breaks: transport.Probed}}) // the code below notices a server that has ended
	}
	select {
	case <-came:
		o.responded = true
	case <-p.Done():
		o.exit, _ = errors.AsType[*stdio.ExitError](p.Err())
	case <-ctx.Done():
	}
	o.took = time.Since(begin)
	r.s.Store().Note(fmt.Sprintf("experiment: the command was started again, %s: %s", st.label, o))
	r.report.Tried = append(r.report.Tried, Tried{ID: st.id, Changed: "started again, " + st.label, Outcome: o.String(), Same: o.same(r.was), Works: o.responded && st.id != plain.id, Took: o.took})
	return o
}

// firstMessage returns the first message of a client.
func firstMessage(method string) []byte {
	if method == "initialize" {
		return initialize(revision.NewestHandshake)
	}
	return jsonrpc.EncodeRequest(jsonrpc.IntID(1), method, client.Params(map[string]any{
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": revision.NewestStateless},
	}))
}
