package pane_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/frames"
	"mcptea/ui/pane/traffic"
)

// over is a bench over the frames of a store.
func over(b *testing.B, s *store.Store) *trafficBench {
	x := newTrafficBench(b)
	x.s = s
	x.p = traffic.New(&frames.Program{App: x.Program, Source: x, Filter: x.filter})
	x.refresh()
	return x
}

// largeRecording opens a recording of some frames and returns its path.
func largeRecording(b *testing.B, frames int) (*store.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "r.mcptea.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	text := bufio.NewWriterSize(file, 1<<20)
	_, _ = text.Write(record.AppendHeader(nil, record.Header{Time: 1, Tool: "test", Transport: "stdio", Target: "server"}))
	for i := range frames / 2 {
		for _, f := range []struct{ kind, frame string }{
			{"out", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a text of some length, so that a line has about 230 bytes %d"}}}`, i, i)},
			{"in", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a text of some length, so that a line has about 230 bytes %d"}],"isError":false}}`, i, i)},
		} {
			fmt.Fprintf(text, `{"s":%d,"t":%d,"k":"%s","n":%d,"msg":%s}`+"\n", 2*i+1, i, f.kind, len(f.frame), f.frame)
		}
	}
	if err := errors.Join(text.Flush(), file.Close()); err != nil {
		b.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err := s.Load(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s, path
}

// BenchmarkTraffic_Filter_Recording filters 1,000,000 recorded frames, beside grep -c.
func BenchmarkTraffic_Filter_Recording(b *testing.B) {
	s, path := largeRecording(b, 1_000_000)
	for _, bb := range []struct{ name, filter string }{
		{"first", "499998}"}, {"everywhere", "length"}, {"half", "isError"}, {"shown too", "error 499998}"}, {"capitals", "bytes 4999"}, {"without", "-length"}, {"or", "499998} or 499997}"}, {"metadata", "kind:error"}, {"method", "method:tools/call dir:out"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x := over(b, s)
				x.filter.Set(bb.filter)
				x.refresh()
			}
		})
	}
	b.Run("grep", func(b *testing.B) {
		for b.Loop() {
			_ = exec.CommandContext(b.Context(), "grep", "-c", "499998}", path).Run()
		}
	})
}

// BenchmarkTraffic_Filter_Series filters recordings of 10,000 to 10,000,000 frames: the time of a frame
// stays the same.
func BenchmarkTraffic_Filter_Series(b *testing.B) {
	for frames := 10_000; frames <= 10_000_000; frames *= 10 {
		b.Run(strconv.Itoa(frames), func(b *testing.B) {
			s, _ := largeRecording(b, frames)
			b.ReportAllocs()
			for b.Loop() {
				x := over(b, s)
				x.filter.Set("bytes 4999")
				x.refresh()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(frames), "ns/frame")
		})
	}
}
