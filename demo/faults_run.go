package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"mcptea/internal/server/rpcserver"
)

// Faults of the process: how it starts, and how it writes lines.

func exitAtOnce(r *run) {
	fmt.Fprintln(r.errs, "demo: cannot start: the kettle is missing")
	r.exit(3)
}

func startSlowly(r *run) {
	over, stop := context.WithTimeout(r.ctx, 5*r.options.Pace)
	defer stop()
	<-over.Done()
}

func floodStderr(r *run) {
	for i := range 10000 {
		if r.ctx.Err() != nil {
			return
		}
		fmt.Fprintf(r.errs, "demo: warning %d: this fills the stderr pipe\n", i+1)
	}
}

// printing prints a text before all frames.
func printing(text string) func(*run) {
	return func(r *run) { _, _ = io.WriteString(r.out, text) } // later writes fail too
}

// ignoreSignals makes the process ignore signals, so that only a kill ends it.
func ignoreSignals(*run) { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

// appendFrame returns a function that appends a frame to the output. Each run gets its own, since a fault may
// count.
func (f *fault) appendFrame() func(dst, frame []byte) []byte {
	switch {
	case f.line != nil:
		return f.line()
	case f.Lines != "":
		return func(dst, frame []byte) []byte {
			for _, line := range change(f.Lines, frame) {
				dst = append(append(dst, line...), '\n')
			}
			return dst
		}
	}
	return rpcserver.AppendLine
}

func crlfLines() func(dst, frame []byte) []byte {
	return func(dst, frame []byte) []byte { return append(append(dst, frame...), "\r\n"...) }
}

func lengthHeaders() func(dst, frame []byte) []byte {
	return func(dst, frame []byte) []byte {
		return append(fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", len(frame)), frame...)
	}
}

// chatting prints a line of text before every other frame.
func chatting() func(dst, frame []byte) []byte {
	n := 0
	return func(dst, frame []byte) []byte {
		n++
		if n%2 == 0 {
			dst = fmt.Appendf(dst, "[debug] about to send frame %d\n", n)
		}
		return rpcserver.AppendLine(dst, frame)
	}
}

// lastLine is in the response that cutLines cuts.
const lastLine = "this will not be seen whole"

func cutLines() func(dst, frame []byte) []byte {
	return func(dst, frame []byte) []byte {
		if bytes.Contains(frame, []byte(lastLine)) {
			return append(dst, frame[:len(frame)/2]...)
		}
		return rpcserver.AppendLine(dst, frame)
	}
}
