package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

// lineServer is a server that the benchmark plays, which takes lines.
type lineServer struct {
	fakeServer
	lines chan []byte // of the host
}

func (s *lineServer) SendLines(b []byte) error {
	s.lines <- bytes.Clone(b)
	return nil
}

// benchRelay is a relay that records, between a host and a server of the benchmark.
func benchRelay(b *testing.B) (s *lineServer, host io.Writer, stdout *io.PipeReader) {
	in, host := io.Pipe()
	out, to := io.Pipe()
	s = &lineServer{fakeServer: fakeServer{done: make(chan struct{})}, lines: make(chan []byte, 1)}
	path := filepath.Join(b.TempDir(), "s.mcptea.jsonl")
	r := &Relay{
		Server: client.Target{Argv: []string{"server"}}, Stdin: in, Stdout: to, Stderr: io.Discard, Warn: func(string) {},
		Record: func() (*store.Writer, error) { return store.NewWriter(store.Options{Path: path}, record.Header{}) },
		Dial:   func(Events) transport.Transport { return s },
	}
	ready, ended := make(chan struct{}), make(chan struct{})
	r.Follow = func(ctx context.Context) {
		_ = r.Connect(ctx)
		close(ready)
	}
	go func() {
		defer close(ended)
		_ = r.Run(context.Background())
	}()
	<-ready
	b.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		<-ended
	})
	return s, host, out
}

// BenchmarkRelay_Flood passes what a server writes without being asked to the host, and records it. One
// operation is one frame.
func BenchmarkRelay_Flood(b *testing.B) {
	for _, c := range []struct {
		name   string
		format string
		size   int
	}{
		{"notifications 200 B", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"number":%d,"text":"%s"}}}`, 200},
		{"responses 200 B", `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}`, 200},
		{"responses 64 kB", `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":false}}`, 64 << 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text []byte
			frames := 0
			for ; len(text) < 256<<10; frames++ {
				text = fmt.Appendf(text, c.format+"\n", frames, strings.Repeat("the quick brown fox, ", c.size/21)[:c.size-100])
			}
			s, _, stdout := benchRelay(b)
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			to := s.receiver.(transport.LineReceiver)
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / frames))
			b.ResetTimer()
			for n := 0; n < b.N; n += frames {
				to.Lines(time.Now(), text)
			}
		})
	}
}

// BenchmarkRelay_Calls sends a request and the response to it, one after the other.
func BenchmarkRelay_Calls(b *testing.B) {
	s, host, stdout := benchRelay(b)
	got := make([]byte, 64<<10)
	to := s.receiver.(transport.LineReceiver)
	b.ReportAllocs()
	for n := range b.N {
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"how long does this take?"}}}`+"\n", n)
		_, _ = host.Write(line)
		e := jsonrpc.Scan(bytes.TrimSuffix(<-s.lines, []byte("\n")))
		to.Lines(time.Now(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", e.ID.Of(line)))
		_, _ = stdout.Read(got)
	}
}
