package http

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	gosse "github.com/tmaxmax/go-sse"
)

// message is what both readers know of an event.
type plainEvent struct{ Name, ID, Data string }

// ours keeps the last id over events, as a browser does.
func ours(t testing.TB, src io.Reader) []plainEvent {
	var all []plainEvent
	lastID := ""
	r := NewEventReader(src)
	for {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if e.HasID {
			lastID = e.ID
		}
		if e.Data != nil {
			all = append(all, plainEvent{e.Name, lastID, string(e.Data)})
		}
	}
}

// theirs leaves out the events without data, which go-sse delivers.
func theirs(t testing.TB, src io.Reader) []plainEvent {
	var all []plainEvent
	for e, err := range gosse.Read(src, &gosse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Data != "" {
			all = append(all, plainEvent{e.Type, e.LastEventID, e.Data})
		}
	}
	return all
}

// stream writes a random stream of whole events.
func randomStream(rnd *rand.Rand, events int) []byte {
	var b bytes.Buffer
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	end := func() { b.WriteString(pick("\n", "\r\n", "\r\n", "\n", "\r")) }
	if rnd.IntN(4) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range events {
		for range rnd.IntN(6) {
			b.WriteString(pick("data", "data", "data", "id", "event", "retry", "", "date", "ID"))
			b.WriteString(pick(":", ": ", ":  ", ""))
			b.WriteString(pick("", "x", "{\"a\":1}", "12", "é: ü", "a\x00b", strings.Repeat("long ", rnd.IntN(40))))
			end()
		}
		b.WriteString("\n\n") // twice: one may belong to a \r
	}
	return b.Bytes()
}

func TestReader_SameAsGoSSE(t *testing.T) {
	for seed := range uint64(2000) {
		text := randomStream(rand.New(rand.NewPCG(seed, 1)), 12)
		want := theirs(t, bytes.NewReader(text))
		if diff := cmp.Diff(want, ours(t, bytes.NewReader(text))); diff != "" {
			t.Fatalf("seed %d, %q (-go-sse +ours):\n%s", seed, text, diff)
		}
		if diff := cmp.Diff(want, ours(t, iotest.HalfReader(bytes.NewReader(text)))); diff != "" {
			t.Fatalf("seed %d in pieces (-go-sse +ours):\n%s", seed, diff)
		}
	}
}

// FuzzNext checks what holds for any bytes: how they are cut into reads makes
// no difference, nothing is invented, and the reader comes to an end.
func FuzzNext(f *testing.F) {
	f.Add([]byte("event: message\r\nid: 1\r\ndata: {}\r\n\r\n"))
	f.Add([]byte("\xef\xbb\xbf: c\rdata:a\rdata:b\r\rdata: torn"))
	f.Add([]byte("retry: 10\nid\n\n\n\ndata\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := readAll(bytes.NewReader(text))
		if diff := cmp.Diff(whole, readAll(iotest.OneByteReader(bytes.NewReader(text)))); diff != "" {
			t.Fatalf("in one piece and by bytes differ:\n%s", diff)
		}
		rest := text
		for _, e := range whole {
			at := bytes.Index(rest, []byte(e.Raw))
			if at < 0 || e.Raw == "" {
				t.Fatalf("%q is not in %q", e.Raw, rest)
			}
			if strings.Trim(string(rest[:at]), "\r\n\xef\xbb\xbf") != "" {
				t.Fatalf("%q was left out before %q", rest[:at], e.Raw)
			}
			rest = rest[at+len(e.Raw):]
			if len(e.Data) > len(e.Raw) {
				t.Fatalf("data %q is longer than its lines %q", e.Data, e.Raw)
			}
		}
	})
}

func benchmarkStream(size, count int) []byte {
	var b bytes.Buffer
	for i := range count {
		fmt.Fprintf(&b, "event: message\nid: %d\ndata: {\"jsonrpc\":\"2.0\",\"result\":\"%s\"}\n\n", i, strings.Repeat("x", size))
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name        string
		size, count int
	}{{"200B", 150, 1000}, {"5KB", 5000, 200}, {"50MB", 50 << 20, 1}} {
		text := benchmarkStream(c.size, c.count)
		b.Run("ours/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				n := 0
				for r := NewEventReader(bytes.NewReader(text)); ; n++ {
					if _, err := r.Next(); err != nil {
						break
					}
				}
				if n != c.count {
					b.Fatal(n)
				}
			}
		})
		b.Run("go-sse/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				n := 0
				for _, err := range gosse.Read(bytes.NewReader(text), &gosse.ReadConfig{MaxEventSize: maxEvent}) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != c.count {
					b.Fatal(n)
				}
			}
		})
	}
}
