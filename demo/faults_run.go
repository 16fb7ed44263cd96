package demo

import (
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"mcptea/client/jsonrpc"
	"mcptea/demo/peer"
)

// Faults of the process: how it starts and how it ends.

func exitAtOnce(r *run) {
	fmt.Fprintln(r.errs, "demo: cannot start: the kettle is missing")
	r.exit(3)
}

func startSlowly(r *run) { r.sleep(5) }

func floodStderr(r *run) {
	for i := range 10000 {
		if r.ctx.Err() != nil {
			return
		}
		fmt.Fprintf(r.errs, "demo: warning %d: this fills the stderr pipe\n", i+1)
	}
}

func printBanner(r *run) {
	r.out.raw("Demo server listening on stdio ...\nReady: 28 tools\n")
}

func printBOM(r *run) { r.out.raw("\xef\xbb\xbf") }

// ignoreSignals makes the process one that has to be killed.
func ignoreSignals(*run) { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

func outlive(r *run) { <-r.ctx.Done() }

// onCall makes something happen when a tool is called; do reports whether that
// was the end of it.
func onCall(do func(*peer.Session, peer.Message) bool) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		return m.Method == "tools/call" && do(s, m)
	}}
}

func exitOnCall(r *run) peer.Bend {
	return onCall(func(*peer.Session, peer.Message) bool {
		fmt.Fprintln(r.errs, "panic: runtime error: invalid memory address or nil pointer dereference")
		r.exit(2)
		return true
	})
}

func cutLastLine(r *run) peer.Bend {
	return onCall(func(_ *peer.Session, m peer.Message) bool {
		if r.out == nil {
			return false // a line is not cut where there are none
		}
		frame := jsonrpc.AppendResult(nil, m.ID, []byte(`{"content":[{"type":"text","text":"this will not be seen whole"}]}`))
		r.out.raw(string(frame[:len(frame)/2]))
		r.exit(0)
		return true
	})
}

func closeStdout(r *run) peer.Bend {
	return onCall(func(*peer.Session, peer.Message) bool {
		if r.out == nil {
			return false
		}
		r.out.shutStream()
		return true
	})
}

// Faults of framing. Each makes a function that appends a frame to what goes
// out, one for each run, since some count.

func stateless(f func(dst, frame []byte) []byte) func() func(dst, frame []byte) []byte {
	return func() func(dst, frame []byte) []byte { return f }
}

var crlfLines = stateless(func(dst, frame []byte) []byte {
	return append(append(dst, frame...), "\r\n"...)
})

var blankLines = stateless(appendFault("blank-lines"))

// appendFault appends what a fault of package framefault makes of a frame, in lines.
func appendFault(name string) func(dst, frame []byte) []byte {
	change := frameFault(name)
	return func(dst, frame []byte) []byte {
		for _, line := range change(peer.Message{}, frame) {
			dst = append(append(dst, line...), '\n')
		}
		return dst
	}
}

var prettyLines = stateless(appendFault("pretty"))

var lengthHeaders = stateless(func(dst, frame []byte) []byte {
	return append(fmt.Appendf(dst, "Content-Length: %d\r\n\r\n", len(frame)), frame...)
})

// chatting prints a line of text before every other frame.
func chatting() func(dst, frame []byte) []byte {
	n := 0
	return func(dst, frame []byte) []byte {
		n++
		if n%2 == 0 {
			dst = fmt.Appendf(dst, "[debug] about to send frame %d\n", n)
		}
		return appendLine(dst, frame)
	}
}

// hugeSize is how long the line of huge-line is, in bytes.
const hugeSize = 50_000_000

func sendHugeLine(*run) peer.Bend {
	return afterHandshake(func(s *peer.Session) {
		head := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"huge","data":"`
		s.Emit([]byte(head + strings.Repeat("x", hugeSize-len(head)-3) + `"}}`))
	})
}
