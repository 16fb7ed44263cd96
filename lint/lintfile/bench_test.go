package lintfile

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// flood is a recording of updates that no client has subscribed to: each has a finding.
func flood(n int) []byte {
	at := time.Unix(1_800_000_000, 0)
	b := record.AppendHeader(nil, record.Header{Time: at.UnixNano(), Tool: "t", Transport: "stdio", Target: "server"})
	for i, text := range []string{
		`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`,
		`> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		dir := transport.Out
		if text[0] == '<' {
			dir = transport.In
		}
		b = appendFrame(b, i, dir, at, text[2:])
	}
	for i := range n {
		b = appendFrame(b, i+3, transport.In, at.Add(time.Duration(i)*time.Microsecond),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///srv/data/%08d/%08d.json"}}`, i%1000, i))
	}
	return b
}

func appendFrame(b []byte, i int, dir transport.Direction, at time.Time, text string) []byte {
	f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: dir, Time: at, Ending: "\n"}
	b, _ = record.AppendFrame(b, int64(i+1), 0, &f)
	return b
}

// BenchmarkLint reads recordings of 10,000 to 1,000,000 frames with a finding in each, of
// which the first 100 have texts; beside it, the same recording is only read. The time of a
// frame does not grow with their number.
func BenchmarkLint(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		text := flood(n)
		perFrame := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/frame")
		}
		b.Run(fmt.Sprintf("%d/read", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := record.NewLines(b.Context(), bytes.NewReader(text))
				first, _ := in.Next()
				r, err := record.NewReader(first, in)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range r.Events() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			perFrame(b)
		})
		b.Run(fmt.Sprintf("%d/lint", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found := lintFlood(b, text); found < n {
					b.Fatalf("%d findings in %d frames", found, n)
				}
			}
			perFrame(b)
		})
	}
}

func lintFlood(tb testing.TB, text []byte) (found int) {
	_, err := Lint(tb.Context(), bytes.NewReader(text), func(lint.Finding) { found++ }, lint.Texts(func(times int) bool { return times < 100 }))
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// A frame with a finding that is not printed allocates four times at most, however many
// there are.
func TestLint_AllocationsPerFrame(t *testing.T) {
	small, large := flood(2000), flood(6000)
	of := func(text []byte) float64 { return testing.AllocsPerRun(3, func() { lintFlood(t, text) }) }
	if perFrame := (of(large) - of(small)) / 4000; perFrame > 4.5 {
		t.Errorf("%.1f allocations a frame", perFrame)
	}
}
