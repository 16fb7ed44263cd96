package tap

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/intercept"
	"mcptea/session/tap/pipeline"
)

// readSize is the number of bytes that are read from a stream at a time.
const readSize = 32 << 10

// stream is the body of a response with events, on its way to the host. At the first event that may
// be changed or held, a [pipeline.Pump] takes over and writes to a pipe.
type stream struct {
	*io.PipeReader
	pipeline.Pump
	flow *flow
	src  io.ReadCloser
	ctx  context.Context // context of the request
	out  *io.PipeWriter
	// piped is set while the pump runs. It belongs to the goroutine that reads.
	piped bool

	// endpoint changes the data of an endpoint event. It is nil after that event, and for other
	// streams.
	endpoint func(data []byte) []byte
}

// newStream returns a stream. fixed means that the headers contain the length, so nothing in the
// body can be changed.
func newStream(f *flow, src io.ReadCloser, endpoint func([]byte) []byte, fixed bool) *stream {
	s := &stream{flow: f, src: src, ctx: f.request.Context(), endpoint: endpoint}
	s.PipeReader, s.out = io.Pipe()
	s.Pump = pipeline.Pump{
		Src: src, Size: readSize, Ends: &blocks{emptyLine: true}, Pass: s.pass, Unit: s.block,
		Open: func() bool { return s.endpoint == nil && (fixed || !f.proxy.Gate.Active()) },
	}
	return s
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	if !s.piped && s.Open() {
		n, err := s.src.Read(p)
		if s.Open() {
			if n > 0 {
				s.Ends.Skip(p[:n])
				s.flow.received(p[:n])
			}
			if err != nil {
				s.flow.responseEnded(err)
			}
			return n, err
		}
		s.Pump.Src = io.MultiReader(bytes.NewReader(bytes.Clone(p[:n])), s.src)
	}
	if !s.piped {
		s.piped = true
		s.flow.proxy.background.Go(s.pipe)
	}
	return s.PipeReader.Read(p)
}

// pipe forwards the stream until the stream ends or is closed.
func (s *stream) pipe() {
	err := s.Run(func() bool { return false })
	s.flow.responseEnded(err)
	_ = s.out.CloseWithError(err)
}

// Close ends the response.
func (s *stream) Close() error {
	_ = s.PipeReader.Close()
	return s.src.Close()
}

// pass records bytes and forwards them.
func (s *stream) pass(b []byte) {
	s.flow.received(b)
	s.write(b)
}

// write writes bytes to the host. An error is ignored: the host has closed the connection.
func (s *stream) write(b []byte) { _, _ = s.out.Write(b) }

// block forwards one event with its blank line when the gate allows it.
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
	if s.Lane == nil {
		s.Lane = s.flow.proxy.Gate.NewLane(label)
	}
	data := bytes.Clone(e.Data)
	ticket := s.Lane.Take(s.ctx, transport.Frame{
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

// withData returns an event with other data. Each line break in the data starts a new data line.
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
			if name, _, _ := strings.Cut(strings.TrimPrefix(line, "\ufeff"), ":"); name != "data" && line != "" { // a mark may begin a stream
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

// blocks finds the ends of events. A blank line ends an event. Lines end with \n, \r\n or \r.
type blocks struct {
	emptyLine bool // no byte of the current line was read
	cr        bool // the last byte was \r; a following \n belongs to it
	inside    bool // a byte of the current event was read
}

// Fresh reports whether no byte of an event was read.
func (l *blocks) Fresh() bool { return !l.inside }

// Next returns the position after the first event that ends in b, or -1. It consumes the bytes
// before that position.
func (l *blocks) Next(b []byte) int {
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

// Skip consumes bytes without returning the ends of events.
func (l *blocks) Skip(b []byte) {
	for end := 0; end >= 0 && len(b) > 0; {
		if end = l.Next(b); end > 0 {
			b = b[end:]
		}
	}
}
