package http

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"mcptea/internal/test/cputime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is an event with its slices copied.
type seen struct {
	Name, ID, Data, Raw         string
	HasID, HasRetry, HasComment bool
	Retry                       time.Duration
	Err                         string
}

func keep(e Event, err error) seen {
	s := seen{e.Name, e.ID, string(e.Data), string(e.Raw), e.HasID, e.HasRetry, e.HasComment, e.Retry, ""}
	if err != nil {
		s.Err = err.Error()
	}
	return s
}

// readAll reads a stream up to its end, which is left out when it is io.EOF.
func readAll(src io.Reader) []seen {
	var all []seen
	r := NewEventReader(src)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		all = append(all, keep(e, err))
		if err != nil {
			return all
		}
	}
}

func TestReader_Next(t *testing.T) {
	torn := io.ErrUnexpectedEOF.Error()
	tests := []struct {
		name, stream string
		want         []seen
	}{
		{"plain", "data: {}\n\n", []seen{{Data: "{}", Raw: "data: {}\n"}}},
		{"crlf", "event: message\r\nid: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []seen{
			{Name: "message", ID: "1", HasID: true, Data: "a", Raw: "event: message\r\nid: 1\r\ndata: a\r\n"},
			{Data: "b", Raw: "data: b\r\n"},
		}},
		{"cr", "data: a\r\rdata: b\r\r", []seen{
			{Data: "a", Raw: "data: a\r"}, {Data: "b", Raw: "data: b\r"},
		}},
		{"several data lines", "data: a\ndata:b\ndata:  c\ndata\n\n", []seen{
			{Data: "a\nb\n c\n", Raw: "data: a\ndata:b\ndata:  c\ndata\n"},
		}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []seen{{Data: "a", Raw: "\xef\xbb\xbfdata: a\n"}}},
		{"only the first mark counts", "data: a\n\n\xef\xbb\xbfdata: b\n\n", []seen{
			{Data: "a", Raw: "data: a\n"}, {Raw: "\xef\xbb\xbfdata: b\n"},
		}},
		{"priming event", "id: 7\nretry: 500\ndata:\n\n", []seen{
			{ID: "7", HasID: true, HasRetry: true, Retry: 500 * time.Millisecond, Raw: "id: 7\nretry: 500\ndata:\n"},
		}},
		{"id without data", "id: 7\n\n", []seen{{ID: "7", HasID: true, Raw: "id: 7\n"}}},
		{"empty id", "id\ndata: a\n\n", []seen{{HasID: true, Data: "a", Raw: "id\ndata: a\n"}}},
		{"id with NUL", "id: 1\nid: a\x00b\ndata: x\n\n", []seen{
			{ID: "1", HasID: true, Data: "x", Raw: "id: 1\nid: a\x00b\ndata: x\n"},
		}},
		{"retry must be digits", "retry: 1s\nretry: -1\nretry:\nretry: +5\n\n", []seen{{Raw: "retry: 1s\nretry: -1\nretry:\nretry: +5\n"}}},
		{"retry too large", "retry: 99999999999999999999\n\n", []seen{
			{HasRetry: true, Retry: 9223372036854 * time.Millisecond, Raw: "retry: 99999999999999999999\n"},
		}},
		{"comments", ": one\n:two\n:\n\n", []seen{{HasComment: true, Raw: ": one\n:two\n:\n"}}},
		{"comment inside", "data: a\n: keep\ndata: b\n\n", []seen{
			{Data: "a\nb", HasComment: true, Raw: "data: a\n: keep\ndata: b\n"},
		}},
		{"unknown fields", "dat: a\nEvent: x\n event: y\nnonsense\n\n", []seen{{Raw: "dat: a\nEvent: x\n event: y\nnonsense\n"}}},
		{"blank lines around", "\n\r\n\rdata: a\n\n\n\n", []seen{{Data: "a", Raw: "data: a\n"}}},
		{"torn line", "data: a\n\ndata: {\"x", []seen{
			{Data: "a", Raw: "data: a\n"}, {Data: `{"x`, Raw: `data: {"x`, Err: torn},
		}},
		{"no blank line at the end", "id: 1\ndata: a\r\n", []seen{
			{ID: "1", HasID: true, Data: "a", Raw: "id: 1\ndata: a\r\n", Err: torn},
		}},
		{"comment at the end", ": bye\n", []seen{{HasComment: true, Raw: ": bye\n"}}},
		{"empty", "", nil},
		{"mark and nothing else", "\xef\xbb\xbf", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, src := range map[string]io.Reader{
				"whole":    strings.NewReader(tt.stream),
				"by bytes": iotest.OneByteReader(strings.NewReader(tt.stream)),
				"with end": iotest.DataErrReader(strings.NewReader(tt.stream)),
			} {
				got := readAll(src)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// An event must not wait for bytes after the \r that ends its blank line.
func TestReader_EventWithoutDelay(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r"} {
		pr, pw := io.Pipe()
		got := make(chan seen)
		r := NewEventReader(pr)
		go func() { got <- keep(r.Next()) }()
		if _, err := io.WriteString(pw, stream); err != nil {
			t.Fatal(err)
		}
		select {
		case e := <-got:
			if e.Data != "a" || e.Err != "" {
				t.Errorf("%q gave %+v", stream, e)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%q: the event was held back", stream)
		}
		_ = pw.Close()
	}
}

func TestReader_SourceError(t *testing.T) {
	broken := errors.New("wire cut")
	r := NewEventReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if e, err := r.Next(); err != nil || string(e.Data) != "a" {
		t.Fatalf("first event: %q, %v", e.Data, err)
	}
	e, err := r.Next()
	if !errors.Is(err, broken) || string(e.Data) != "b" {
		t.Errorf("torn event: %q, %v; want b and the cause", e.Data, err)
	}
	if e, err = r.Next(); !errors.Is(err, broken) || e.Raw != nil {
		t.Errorf("after the end: %q, %v", e.Raw, err)
	}
	if _, err := NewEventReader(iotest.ErrReader(nil)).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a source that gives nothing: %v", err)
	}
}

// endless gives the same byte for ever.
type endless byte

func (b endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

func TestReader_TooLong(t *testing.T) {
	r := NewEventReader(endless('x'))
	if r.max != 128<<20 {
		t.Errorf("an event may have %d bytes", r.max)
	}
	r.max = 1 << 20
	if e, err := r.Next(); !errors.Is(err, ErrEventTooLong) || len(e.Raw) <= 1<<20 || len(e.Raw) > 3<<20 {
		t.Errorf("got %d bytes and %v", len(e.Raw), err)
	}
	for over, want := range []error{nil, ErrEventTooLong} {
		event := "data: " + strings.Repeat("x", 93+over) // the line that ends it follows
		r := NewEventReader(iotest.OneByteReader(strings.NewReader(event + "\n\n")))
		r.max = 100
		if e, err := r.Next(); !errors.Is(err, want) || want == nil && len(e.Data) != 93 {
			t.Errorf("%d bytes beyond the bound: %d bytes, %v", over, len(e.Data), err)
		}
	}
}

// Small lines in a buffer that a giant event has made large must not be
// searched through from end to end, line by line.
func TestReader_LargeEventsLinear(t *testing.T) {
	const size = 50 << 20
	giant := bytes.Repeat([]byte("x"), size)
	for _, end := range []string{"\n", "\r", "\r\n"} {
		small := bytes.Repeat([]byte("data:1"+end), 1<<20)
		took := cputime.Of(func() {
			r := NewEventReader(io.MultiReader(strings.NewReader("data: "), bytes.NewReader(giant),
				strings.NewReader(end+end), bytes.NewReader(small), strings.NewReader(end)))
			if e, err := r.Next(); err != nil || len(e.Data) != size {
				t.Fatalf("giant: %d bytes, %v", len(e.Data), err)
			}
			if e, err := r.Next(); err != nil || len(e.Data) != 2<<20-1 {
				t.Fatalf("many lines: %d bytes, %v", len(e.Data), err)
			}
			if c := cap(r.buf); c > 32<<20 {
				t.Errorf("%d MiB are kept after the giant", c>>20)
			}
		})
		if took > 20*time.Second {
			t.Errorf("line end %q took %v", end, took)
		}
	}
}

func ExampleEventReader() {
	r := NewEventReader(strings.NewReader("id: 1\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\"}\n\n"))
	for {
		e, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %q %q\n", e.ID, e.Name, e.Data)
	}
	// Output:
	// "1" "" ""
	// "" "message" "{\"jsonrpc\":\"2.0\"}"
	// EOF
}
