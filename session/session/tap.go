package session

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/record/stderr"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/requests"
)

// tap receives the events of one connection of a session. Exchanges are counted
// on from the connection before, so that a number is unique in the record.
type tap struct {
	s             *Session
	base          uint32
	transportName string
	out, in       *intercept.Lane

	ctx     context.Context    // ends with the connection
	end     context.CancelFunc // held frames can no longer be forwarded
	room    context.Context    // ends when the connection is about to be closed
	endRoom context.CancelFunc // incoming frames no longer wait for room
}

var _ client.Tap = (*tap)(nil)

// Tap returns the receiver of a connection's events. It is for tests that play the
// server; [Session.Connect] gives each client its own.
func (s *Session) Tap() client.Tap {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tap != nil {
		s.tap.end()
	}
	t := &tap{s: s, base: s.lastExchange, transportName: s.cfg.Target.TransportName(), out: s.gate.NewLane(""), in: s.gate.NewLane("")}
	t.ctx, t.end = context.WithCancel(context.Background())
	t.room, t.endRoom = context.WithCancel(t.ctx)
	s.tap = t
	return t
}

// Frame implements [client.Tap]. It is called for frames that the client sends; frames of the server are passed
// to Receive.
func (t *tap) Frame(f transport.Frame) transport.Ref {
	row := t.append(f)
	if f.Dir == transport.In && !f.NonMessageEvent() {
		t.s.handle(f.Bytes, &f.Envelope, row, f.Time)
	}
	return transport.RefTo(row, 0)
}

// append records a frame and returns its row.
func (t *tap) append(f transport.Frame) int32 {
	if f.Exchange != 0 {
		f.Exchange += t.base
	}
	f.Bytes = t.s.hidden.Mask(f.Bytes)
	row := t.s.store.Append(f)
	t.s.noteHalt()
	return row
}

// handle updates the state for a message of the server.
func (s *Session) handle(frame []byte, e *jsonrpc.Envelope, row int32, at time.Time) {
	switch e.Kind {
	case jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			if inner := jsonrpc.Scan(element); inner.Kind == jsonrpc.Notification {
				s.handleNotification(element, &inner, row, at)
			}
		}
	case jsonrpc.Notification:
		s.handleNotification(frame, e, row, at)
	}
}

func (s *Session) handleNotification(frame []byte, e *jsonrpc.Envelope, row int32, at time.Time) {
	switch method := e.MethodText(frame); string(method) { // hot path: compares bytes, allocates nothing
	case "notifications/progress":
		s.tasks.Progressed(e.Params.Of(frame))
		s.progressed(e.Params.Of(frame))
	case "notifications/tasks/status", "notifications/tasks":
		f := requests.Frame{Bytes: bytes.Clone(frame), Row: row, Time: at}
		if now, err := client.ReadTask(jsonrpc.Scan(f.Bytes).Params.Of(f.Bytes)); err == nil {
			s.tasks.Reported(now, requests.ByNotification, f)
		}
	case "notifications/elicitation/complete":
		s.inbox.Complete(e.Params.Of(frame), at)
	case "notifications/cancelled":
		id, _ := jsonrpc.Member(e.Params.Of(frame), "requestId")
		s.inbox.Withdraw(jsonrpc.IDOf(id), "server", at)
	case methodUpdated:
		s.updates.report(row)
	default:
		for _, list := range revision.Lists {
			if list.Changed != "" && string(method) == list.Changed {
				s.changed(list)
			}
		}
	}
}

// Stderr implements [client.Tap].
func (t *tap) Stderr(l transport.Line) { t.s.store.Line(l) }

// Process implements [client.Tap].
func (t *tap) Process(e transport.ProcessEvent) {
	started := t.s.process(&e)
	sentence := store.ExitSentence(e, started)
	if words := t.s.lastWords(started); e.What == transport.ProcessExited && !e.Expected && words != "" {
		sentence += "  " + words
	}
	t.s.store.Process(e, sentence)
	if e.What == transport.ProcessLeft && e.After == transport.LeftAfterKill {
		t.s.note(transport.Running(e.Left))
	}
}

// maxLastWords is the number of bytes of stderr repeated in the row of an exit.
const maxLastWords = 200

// lastWords returns the stderr line that most likely explains why a process ended, or "". started is when the
// process was started.
func (s *Session) lastWords(started time.Time) string {
	var lines []string
	total, _ := s.store.Logs()
	for n := total - 1; n >= max(0, total-200); n-- {
		l, ok := s.store.LogAt(n)
		if !ok || l.Time.Before(started) {
			break
		}
		if l.Source == store.LogStderr {
			lines = append(lines, l.Text)
		}
	}
	slices.Reverse(lines)
	words := secret.Text(stderr.Decisive(lines))
	return strings.ToValidUTF8(words[:min(len(words), maxLastWords)], "")
}

// process updates the state for a change in the life of the server's process, and
// returns when that was started.
func (s *Session) process(e *transport.ProcessEvent) (started time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.state.Process
	switch e.What {
	case transport.ProcessStarted:
		*p = Process{PID: e.PID, Path: e.Path, Dir: e.Dir, Started: e.Time, Left: p.Left}
	case transport.ProcessStdinClosed:
		p.Stopped = e.Stopped
	case transport.ProcessExited:
		p.Exited, p.ExitCode, p.Signal, p.Expected = e.Time, e.ExitCode, e.Signal, e.Expected
	case transport.ProcessLeft:
		if e.After == transport.LeftAfterKill {
			all := slices.Concat(e.Left, p.Left)
			p.Left = all[:min(len(all), maxLeft)]
		}
	}
	return p.Started
}

// Exchange implements [client.Tap].
func (t *tap) Exchange(x transport.Exchange) {
	s := t.s
	x.ID += t.base
	if x.Repeats != 0 {
		x.Repeats += t.base
	}
	s.exchanged(&x)
	s.store.Exchange(&x)
}

// exchanged updates the state for a phase of an HTTP exchange.
func (s *Session) exchanged(x *transport.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastExchange = max(s.lastExchange, x.ID)
	if id := x.ResponseHeader.Get("Mcp-Session-Id"); id != "" {
		s.state.Session = id
	}
	if x.TLS != nil && s.isOfServer(x) {
		s.state.TLS = x.TLS
	}
}

// isOfServer reports whether an exchange is with the origin of the target, and not with an
// authorization server or after a redirect.
func (s *Session) isOfServer(x *transport.Exchange) bool {
	current, err := url.Parse(s.cfg.Target.URL)
	to, err2 := url.Parse(x.URL)
	return err == nil && err2 == nil && mcphttp.SameOrigin(current, to)
}

// Lost implements [client.Tap].
func (t *tap) Lost(id jsonrpc.ID, err error) {
	s := t.s
	var cancelled *client.CancelledError
	if errors.As(err, &cancelled) || errors.Is(err, client.ErrSubscriptionEnded) {
		s.store.Cancelled(id)
	} else {
		s.store.Lost(id)
	}
	if errors.Is(err, mcphttp.ErrSessionExpired) {
		s.expired(err)
	}
	s.store.Notify()
}

// Step implements [client.Tap].
func (t *tap) Step(st client.Step) {
	s := t.s
	s.mu.Lock()
	for len(s.state.Steps) <= st.Index {
		s.state.Steps = append(s.state.Steps, client.Step{Index: len(s.state.Steps)})
	}
	s.state.Steps[st.Index] = st
	s.mu.Unlock()
	if st.State == client.StepDone || st.State == client.StepFailed {
		s.store.Step(st)
		return
	}
	s.store.Notify()
}
