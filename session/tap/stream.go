package tap

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/intercept"
)

const (
	// readSize is how much of a stream is read at a time.
	readSize = 32 << 10
	// maxAhead is how much of a stream is read ahead of the host.
	maxAhead = 256 << 10
)

// stream is the body of a response with events, as it goes to the host: bytes as they
// come while the gate is open, else event by event. One goroutine reads the response,
// and the proxy reads the stream.
type stream struct {
	flow *flow
	src  io.ReadCloser
	ctx  context.Context // of the request
	lane *intercept.Lane // nil until the gate is active

	// endpoint changes the data of an endpoint event; nil once it has passed, and for
	// other streams.
	endpoint func(data []byte) []byte
	fixed    bool // the length of the body is in the headers: nothing can be changed

	part   []byte // the beginning of an event that is not passed on yet
	blocks blocks

	mu     sync.Mutex
	ready  sync.Cond // there are bytes, room, or the end
	out    []byte
	err    error // of the end
	closed bool
}

// newStream returns a stream, whose goroutine runs until src ends or the stream is
// closed.
func newStream(f *flow, src io.ReadCloser, endpoint func([]byte) []byte, fixed bool) *stream {
	s := &stream{flow: f, src: src, ctx: f.request.Context(), endpoint: endpoint, fixed: fixed, blocks: blocks{emptyLine: true}}
	s.ready.L = &s.mu
	f.proxy.background.Go(s.run)
	return s
}

// Read reads what goes to the host.
func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.out) == 0 && s.err == nil {
		s.ready.Wait()
	}
	if len(s.out) == 0 {
		return 0, s.err
	}
	n := copy(p, s.out)
	s.out = s.out[n:]
	if len(s.out) == 0 {
		s.out = nil
	}
	s.ready.Broadcast()
	return n, nil
}

// Close ends the response.
func (s *stream) Close() error {
	s.mu.Lock()
	s.closed = true
	if s.err == nil {
		s.err = io.ErrClosedPipe
	}
	s.ready.Broadcast()
	s.mu.Unlock()
	return s.src.Close()
}

func (s *stream) run() {
	buf := make([]byte, readSize)
	for {
		n, err := s.src.Read(buf)
		if n > 0 {
			s.move(buf[:n])
		}
		if err == nil {
			continue
		}
		if len(s.part) > 0 {
			s.pass(s.part) // an incomplete event at the end
			s.part = nil
		}
		if s.lane != nil {
			s.lane.Wait()
		}
		s.flow.responseEnded(err)
		s.mu.Lock()
		if s.err == nil {
			s.err = err
		}
		s.ready.Broadcast()
		s.mu.Unlock()
		return
	}
}

// move passes on the bytes of one read.
func (s *stream) move(b []byte) {
	for len(b) > 0 {
		if s.endpoint == nil && (s.fixed || !s.flow.proxy.Gate.Active()) {
			if len(s.part) > 0 {
				s.pass(s.part) // the rest of the event need not be waited for any more
				s.part = nil
			}
			s.blocks.skip(b)
			s.pass(b)
			return
		}
		whole := s.blocks.fresh() || len(s.part) > 0 // not the rest of an event that has passed in part
		end := s.blocks.next(b)
		switch {
		case !whole && end < 0:
			s.pass(b)
			return
		case !whole:
			s.pass(b[:end])
		case end < 0 && len(s.part)+len(b) > maxFrame:
			s.pass(append(s.part, b...))
			s.part = nil
			return
		case end < 0:
			s.part = append(s.part, b...)
			return
		default:
			s.block(append(s.part, b[:end]...))
			s.part = nil
		}
		b = b[end:]
	}
}

// pass records bytes and passes them on.
func (s *stream) pass(b []byte) {
	s.flow.received(b)
	s.write(b)
}

// write gives bytes to the host. It waits while the host is far behind.
func (s *stream) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.out) > maxAhead && !s.closed {
		s.ready.Wait()
	}
	if !s.closed {
		s.out = append(s.out, b...)
	}
	s.ready.Broadcast()
}

// block passes on one event with its blank line, once the gate lets it.
func (s *stream) block(raw []byte) {
	s.flow.received(raw)
	e, err := mcphttp.NewEventReader(bytes.NewReader(raw)).Next()
	if err != nil || e.Data == nil {
		s.write(raw)
		return
	}
	if change := s.endpoint; change != nil {
		s.endpoint = nil
		if e.Name == endpointEvent {
			s.write(withData(raw, change(e.Data)))
			return
		}
	}
	if !s.flow.proxy.Gate.Active() {
		s.write(raw)
		return
	}
	row, label := s.flow.recorded()
	if s.lane == nil {
		s.lane = s.flow.proxy.Gate.NewLane(label)
	}
	data := bytes.Clone(e.Data)
	ticket := s.lane.Take(s.ctx, transport.Frame{
		Bytes: data, Envelope: jsonrpc.Scan(data), Time: time.Now(), Dir: transport.In, EventID: e.ID, EventName: e.Name,
	}, row)
	if ticket == nil {
		s.write(raw)
		return
	}
	raw = bytes.Clone(raw)
	ticket.Move(s.ctx, func(o intercept.Outcome) {
		for _, frame := range o.Frames {
			if bytes.Equal(frame, data) {
				s.write(raw)
				continue
			}
			s.write(withData(raw, frame))
		}
		for _, frame := range o.Replies {
			s.flow.inject(frame)
		}
	})
}

// withData returns an event with other data. Line breaks in the data begin further
// data lines.
func withData(raw, data []byte) []byte {
	ending := "\n"
	if i := bytes.IndexAny(raw, "\r\n"); i >= 0 && raw[i] == '\r' {
		if ending = "\r"; i+1 < len(raw) && raw[i+1] == '\n' {
			ending = "\r\n"
		}
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimRight(string(raw), "\r\n"), "\r\n", "\n"), "\n") {
		for line := range strings.SplitSeq(line, "\r") {
			if name, _, _ := strings.Cut(line, ":"); name != "data" && line != "" {
				b.WriteString(line + ending)
			}
		}
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		b.WriteString("data: " + strings.TrimSuffix(strings.ReplaceAll(line, "\r", " "), " ") + ending)
	}
	b.WriteString(ending)
	return []byte(b.String())
}

// blocks finds the ends of events: a blank line ends one. Lines end with \n, \r\n or \r.
type blocks struct {
	emptyLine bool // nothing of the current line was read
	cr        bool // the last byte was \r, and a \n after it belongs to it
	inside    bool // something of the current event was read
}

// fresh reports that no event has begun.
func (l *blocks) fresh() bool { return !l.inside }

// next returns the position after the first event of b that ends there, or -1. The
// bytes up to there are taken.
func (l *blocks) next(b []byte) int {
	for i, c := range b {
		if c == '\n' && l.cr {
			l.cr = false
			continue
		}
		l.inside = true
		if c != '\n' && c != '\r' {
			l.emptyLine, l.cr = false, false
			continue
		}
		l.cr = c == '\r'
		if !l.emptyLine {
			l.emptyLine = true
			continue
		}
		end := i + 1
		if l.cr && end < len(b) && b[end] == '\n' {
			end, l.cr = end+1, false
		}
		l.inside = false
		return end
	}
	return -1
}

// skip takes bytes without looking for the positions of the ends.
func (l *blocks) skip(b []byte) {
	for end := 0; end >= 0 && len(b) > 0; {
		if end = l.next(b); end > 0 {
			b = b[end:]
		}
	}
}
