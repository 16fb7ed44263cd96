package tap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// An event in a compressed stream is recorded when it has come, not at the end.
func TestFeed_DecodesCompressedEventsAsTheyCome(t *testing.T) {
	type flusher interface {
		io.WriteCloser
		Flush() error
	}
	for encoding, writer := range map[string]func(io.Writer) flusher{
		"gzip": func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"br":   func(w io.Writer) flusher { return brotli.NewWriter(w) },
		"zstd": func(w io.Writer) flusher { z, _ := zstd.NewWriter(w); return z },
	} {
		t.Run(encoding, func(t *testing.T) {
			var wire bytes.Buffer
			z := writer(&wire)
			var got []string
			f := newFeed(func(r io.Reader) {
				for lines := bufio.NewScanner(decode(encoding, r)); lines.Scan(); {
					got = append(got, lines.Text())
				}
			})
			defer f.end(time.Now())
			for i, line := range []string{"one", "two", "three"} {
				_, _ = io.WriteString(z, line+"\n")
				_ = z.Flush()
				f.write(time.Now(), wire.Next(wire.Len()))
				if len(got) != i+1 || got[i] != line {
					t.Fatalf("after %q the lines are %q", line, got)
				}
			}
		})
	}
}
