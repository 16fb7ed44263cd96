package relay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/tap/pipeline"
)

// server is one of the successive servers behind a relay. It implements [transport.LineReceiver].
type server struct {
	r          *Relay
	number     int
	generation uint64 // minimum generation of its sources
	t          transport.Transport
	late       atomic.Int64  // frames after it was replaced
	served     atomic.Bool   // a request of the host has a response
	fellBack   atomic.Bool   // the transport fell back to HTTP+SSE
	closed     sync.Once     // the end is recorded
	gone       chan struct{} // closed when the relay no longer waits for the server
	started    time.Time

	restart int       // number of its restart; 0 for the first server
	since   time.Time // time at which the server was ready; guarded by the lock of the relay
	cut     bool      // output is no longer forwarded to the host; guarded by the lock of the relay
	leaving bool      // the host has closed stdin; under the lock of the relay

	version string // version in headers; owned by the goroutine that sends
	// The fields below are owned by the goroutine that reads stdout.
	chunk pipeline.Chunk
	torn  bool // the previous line was too long, and its rest follows

	mu       sync.Mutex
	lines    []string       // newest lines of stderr; at most maxStderrLines
	statuses map[uint32]int // HTTP statuses of the exchanges that go on; one for each
}

// maxStderrLines bounds the lines of stderr that are searched for the reason why a server ended.
const maxStderrLines = 200

// Frame implements [transport.Receiver]. Frames of the host are recorded already, or with the exchange
// that carries them.
func (s *server) Frame(f transport.Frame) transport.Ref {
	if f.Dir == transport.In {
		if f.Truncated && f.Exchange == 0 {
			s.torn = true
		}
		s.r.fromServer(s, f)
	} else if f.Carried != nil {
		f.Carried(f.Exchange)
	}
	return transport.Ref{}
}

// Lines implements [transport.LineReceiver].
func (s *server) Lines(at time.Time, lines []byte) {
	if !s.torn && !mayConcern(lines) && s.passes() {
		s.r.in.Bytes(at, lines)
		return
	}
	for len(lines) > 0 {
		lines = s.chunk.Scan(transport.In, at, lines)
		s.r.linesFromServer(s, &s.chunk)
	}
}

// Stderr implements [transport.Receiver].
func (s *server) Stderr(l transport.Line) {
	s.mu.Lock()
	if s.lines = append(s.lines, l.Text); len(s.lines) > maxStderrLines {
		s.lines = s.lines[1:]
	}
	s.mu.Unlock()
	_, _ = s.r.Stderr.Write([]byte(l.Text + "\n")) // the host may not read it
	s.r.queue.Call(func() { s.r.recorder.Stderr(l) })
}

// Process implements [transport.Receiver].
func (s *server) Process(e transport.ProcessEvent) {
	switch e.What {
	case transport.ProcessStarted:
		s.started = e.Time
	case transport.ProcessExited:
		s.r.mu.Lock()
		e.Expected = e.Expected || s.cut || s.leaving
		s.r.exit = &stdio.ExitError{Code: e.ExitCode, Signal: e.Signal, After: e.Time.Sub(s.started)}
		s.r.mu.Unlock()
	}
	started := s.started
	s.r.queue.Call(func() { s.r.recorder.Process(e, started) })
}

// Exchange implements [transport.Receiver].
func (s *server) Exchange(x transport.Exchange) {
	now := time.Now()
	s.mu.Lock()
	if x.Phase == transport.ExchangeDone {
		delete(s.statuses, x.ID)
	} else {
		s.statuses[x.ID] = x.Status
	}
	s.mu.Unlock()
	s.r.queue.Call(func() { s.r.recorder.Exchange(now, x) })
}

// hasEnded reports whether the server sends nothing more.
func (s *server) hasEnded() bool {
	select {
	case <-s.t.Done():
		return true
	case <-s.gone:
		return true
	default:
		return false
	}
}

// status returns the HTTP status of an unfinished exchange, or 0.
func (s *server) status(exchange uint32) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.statuses[exchange]
}

// why returns the reason why the server has ended in a few words: how, and the most informative line of stderr.
func (s *server) why(err error) string {
	text := err.Error()
	exit, ok := errors.AsType[*stdio.ExitError](err)
	switch {
	case ok && exit.Signal != "":
		text = "it was ended by " + exit.Signal + " after " + phrase.Duration(exit.After)
	case ok:
		text = fmt.Sprintf("it exited with code %d after %s", exit.Code, phrase.Duration(exit.After))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Another program has ended the server with a signal: a line that was only the last one is unrelated.
	if line := stderr.Decisive(s.lines); line != "" && (!ok || exit.Signal == "" || stderr.IsReport(line)) {
		text += ": " + phrase.Clip(strings.TrimSpace(stderr.MessageOf(line)), maxWhy)
	}
	return s.r.redact(text)
}

// maxWhy bounds a line of stderr in a sentence.
const maxWhy = 300

// redact hides the secrets in texts for the host, stderr and the recording.
func (r *Relay) redact(text string) string {
	if r.Secrets == nil {
		return r.Server.Redact(text)
	}
	return r.Secrets.Redact(text)
}

// send sends a frame of the host.
func (s *server) send(frame []byte, e *jsonrpc.Envelope, recorded bool) {
	if s.r.Server.IsStdio() {
		_ = s.t.Send(s.r.ctx, transport.Outgoing{Bytes: frame, Scanned: e, Note: transport.Note{Breaks: transport.Relayed}}) // the end of the server settles the request
		return
	}
	s.post(frame, e, recorded)
}

// write writes whole lines of the host, which are recorded.
func (s *server) write(lines []byte) error {
	if t, ok := s.t.(transport.LineSender); ok {
		return t.SendLines(lines)
	}
	for line := range bytes.Lines(lines) {
		if err := s.t.Send(s.r.ctx, transport.Outgoing{Bytes: bytes.TrimSuffix(line, []byte("\n")), Note: transport.Note{Breaks: transport.Relayed}}); err != nil {
			return err
		}
	}
	return nil
}

// request sends a request of the relay and returns the response.
func (s *server) request(ctx context.Context, frame []byte) ([]byte, error) {
	r := s.r
	e := jsonrpc.Scan(frame)
	response := make(chan []byte, 1)
	r.mu.Lock()
	r.ownIDs++
	id := jsonrpc.StringID(fmt.Sprintf("%s%d", ownPrefix, r.ownIDs))
	r.ownRequests[id.Key()] = response
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.ownRequests, id.Key())
		r.mu.Unlock()
	}()
	if err := s.sendOwn(ctx, e.ID.Replace(frame, id)); err != nil {
		return nil, err
	}
	select {
	case response := <-response:
		if e := jsonrpc.Scan(response); e.Kind == jsonrpc.ErrorResponse {
			return response, jsonrpc.ParseError(response, e)
		}
		return response, nil
	case <-s.t.Done():
		return nil, cmp.Or(s.t.Err(), errReplaced)
	case <-s.gone:
		return nil, errReplaced
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

var errReplaced = errors.New("the server was replaced")

// sendOwn sends a frame of the relay.
func (s *server) sendOwn(ctx context.Context, frame []byte) error {
	if !s.r.Server.IsStdio() {
		return s.t.Send(ctx, s.carried(frame, transport.Own, func() {}))
	}
	return s.r.out.Own(append(frame[:len(frame):len(frame)], '\n'), func() error { return s.t.Send(ctx, transport.Outgoing{Bytes: frame}) })
}
