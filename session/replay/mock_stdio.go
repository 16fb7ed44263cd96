package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"mcptea/session/record"
)

// closeGrace is how long what is being played may take after the end of stdin.
const closeGrace = 200 * time.Millisecond

// ServeStdio serves one client, with a frame per line. It returns nil soon after the
// end of in, and the cause when ctx ends or out cannot be written.
func (s *Mock) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w := &lineWriter{out: out, failed: stop}
	c := s.newConversation(ctx, w.Send)
	lines := record.NewLines(ctx, in)
	defer lines.Close()
	for {
		line, err := lines.Next()
		if frame := bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(frame)) > 0 {
			c.running.Go(c.handle(c.ctx, bytes.Clone(frame), w))
		}
		if err == nil {
			continue
		}
		c.windDown()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return nil
		}
		return err
	}
}

// windDown lets finish what is played, and stops the rest.
func (c *conversation) windDown() {
	done := make(chan struct{})
	go func() {
		c.running.Wait()
		close(done)
	}()
	for range 2 {
		timer := time.NewTimer(closeGrace)
		select {
		case <-done:
		case <-timer.C:
		}
		timer.Stop()
		c.stop()
	}
}

// lineWriter writes a frame per line. It is the reply of all requests.
type lineWriter struct {
	out    io.Writer
	failed context.CancelCauseFunc

	mu sync.Mutex
}

func (w *lineWriter) Send(frame []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(oneLine(frame), '\n')); err != nil {
		w.failed(err)
	}
}

func (w *lineWriter) Answer(frame []byte, _ int) {
	if frame != nil {
		w.Send(frame)
	}
}

// oneLine returns a frame without line breaks, which HTTP allows between its tokens.
func oneLine(frame []byte) []byte {
	if bytes.IndexByte(frame, '\n') < 0 && bytes.IndexByte(frame, '\r') < 0 {
		return bytes.Clone(frame)
	}
	var b bytes.Buffer
	if json.Compact(&b, frame) != nil {
		return bytes.Clone(frame)
	}
	return b.Bytes()
}
