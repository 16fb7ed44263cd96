// Package sessiontest provides the servers that tests of sessions connect to in memory, and measurements of
// such tests. It does not import package session, so that the tests of that package can use it.
package sessiontest

import (
	"bufio"
	"context"
	"io"
	"runtime"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
)

// Serve plays a server on a pair of streams until the context or the input ends.
type Serve = func(ctx context.Context, in io.Reader, out io.Writer) error

// Dial returns a session.Config.Dial that connects to a server in memory.
func Dial(serve Serve) func(client.Tap, client.Config) *client.Client {
	return func(tap client.Tap, cfg client.Config) *client.Client {
		return client.NewOver(inmemory.New(serve), tap, cfg)
	}
}

// Demo returns the demo server. Its faults do not end the test.
func Demo(o demo.Options) Serve {
	o.Exit = func(int) {}
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		return demo.New(o).ServeStdio(ctx, in, out, io.Discard)
	}
}

// Scripted returns a server that writes what respond returns for a frame with a method and a
// raw id, and nothing for the empty text.
func Scripted(respond func(method, id string) string) Serve {
	return func(_ context.Context, in io.Reader, out io.Writer) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			frame := lines.Bytes()
			e := jsonrpc.Scan(frame)
			if text := respond(e.MethodName(frame), e.ID.Of(frame).ID().String()); text != "" {
				if _, err := io.WriteString(out, text+"\n"); err != nil {
					return err
				}
			}
		}
		return lines.Err()
	}
}

// HeldHeap returns how much more memory is in use after do than before, in bytes.
func HeldHeap(do func()) int64 {
	before := heapInUse()
	do()
	return heapInUse() - before
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
