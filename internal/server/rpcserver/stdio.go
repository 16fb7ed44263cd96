package rpcserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mcptea/client/jsonrpc"
)

const (
	// grace bounds the requests that still run at the end of the input, and then the writing of their
	// responses.
	grace = 200 * time.Millisecond
	// keepBuffer is the maximum size of a buffer that is reused.
	keepBuffer = 4 << 20
)

// Stdio serves one client over a pair of streams, with a frame per line. Its fields are
// set before it serves.
type Stdio struct {
	Out  io.Writer
	Open Open
	// Append appends a frame to the output; nil appends it as one line.
	Append func(dst, frame []byte) []byte
	// AtEnd is called when reading has ended; may be nil.
	AtEnd func()

	frames  *Stream // all outgoing messages
	written chan struct{}
}

// Serve serves until the end of in, and then soon returns nil. If ctx ends or Out fails, it returns
// the cause. If in is an [io.Closer], it is closed when ctx ends, so that no read remains. A write
// that the other side never reads may continue after the call.
func (s *Stdio) Serve(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c, ok := in.(io.Closer); ok {
		unused := context.AfterFunc(ctx, func() { _ = c.Close() })
		defer func() {
			if !unused() {
				_ = c.Close() // the function may not have run yet
			}
		}()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.Append == nil {
		s.Append = AppendLine
	}
	s.frames, s.written = newStream(""), make(chan struct{})
	s.frames.lasts = true
	s.frames.attach(0)
	go s.write(stop)
	defer s.Flush()
	session := s.Open(false, s.frames.Send)
	handling, end := context.WithCancel(ctx)
	defer s.windDown(ctx, session, end)
	// A frame that cannot be sent must not hide the end.
	defer context.AfterFunc(ctx, s.frames.close)()
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- readLines(ctx, in, lines) }()
	for {
		select {
		case line := <-lines:
			if line == nil {
				s.frames.Send(jsonrpc.EncodeError(jsonrpc.IDOf("null"), jsonrpc.CodeParseError, "the frame is too long", nil))
			} else if len(bytes.TrimSpace(line)) > 0 {
				session.Handle(handling, line, s.frames)
			}
		case err := <-ended:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// windDown lets running requests that finish quickly finish, and stops the rest.
func (s *Stdio) windDown(ctx context.Context, session Session, end func()) {
	if s.AtEnd != nil {
		s.AtEnd()
	}
	idle := make(chan struct{})
	go func() {
		session.Wait()
		close(idle)
	}()
	waitFor(ctx, idle)
	end()
	session.Close()
	if !waitFor(context.WithoutCancel(ctx), idle) {
		s.frames.close() // a sender may still be blocked
		<-idle
	}
}

// waitFor waits for the end of something, as long as is decent.
func waitFor(ctx context.Context, done <-chan struct{}) bool {
	ctx, stop := context.WithTimeout(ctx, grace)
	defer stop()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// Flush ends the output, and waits a limited time until it is written.
func (s *Stdio) Flush() {
	if s.frames != nil {
		s.frames.close()
		waitFor(context.Background(), s.written)
	}
}

// write writes the output, many frames at a time.
func (s *Stdio) write(failed context.CancelCauseFunc) {
	defer close(s.written)
	var buf []byte
	for {
		events := s.frames.next(context.Background())
		if len(events) == 0 {
			return
		}
		for _, e := range events {
			buf = s.Append(buf, e.frame)
		}
		if _, err := s.Out.Write(buf); err != nil {
			failed(err)
			s.frames.close()
			return
		}
		if buf = buf[:0]; cap(buf) > keepBuffer {
			buf = nil
		}
	}
}

// AppendLine appends a frame as a line, without the line breaks that HTTP allows between
// its tokens.
func AppendLine(dst, frame []byte) []byte {
	if bytes.IndexByte(frame, '\n') >= 0 || bytes.IndexByte(frame, '\r') >= 0 {
		var b bytes.Buffer
		if json.Compact(&b, frame) == nil {
			frame = b.Bytes()
		}
	}
	return append(append(dst, frame...), '\n')
}

// readLines sends lines, without their endings, until the stream or ctx ends. The receiver may keep a line. A
// line beyond [MaxBody] is sent as nil.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if err == nil || len(line) > 0 {
			select {
			case lines <- line:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to the next newline. At the end of the stream, it returns the last bytes together with the
// error.
func readLine(r *bufio.Reader) ([]byte, error) {
	line := []byte{}
	for {
		part, err := r.ReadSlice('\n')
		if line != nil {
			line = append(line, part...)
		}
		if len(line) > MaxBody {
			line = nil
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}
