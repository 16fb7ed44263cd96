package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// compareIDs compares ids by their bytes, which a recording keeps.
var compareIDs = cmp.Options{
	cmp.Comparer(func(a, b jsonrpc.ID) bool { return a.String() == b.String() }),
	cmp.AllowUnexported(jsonrpc.IDSpan{}, jsonrpc.MethodSpan{}),
}

var compareLines = cmp.Options{compareIDs, cmp.AllowUnexported(Payload{}, transport.Ref{}, jsonrpc.Envelope{}), cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })}

// withoutWrong is the line without an event that means nothing.
func (l Line) withoutWrong() Line {
	if l.Err != nil {
		l.Event = Event{}
	}
	return l
}

// oneByOne decodes lines as they come.
func oneByOne(t *testing.T, l *Lines) (all []Line) {
	t.Helper()
	var d Decoder
	for {
		text, err := l.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if len(text) == 0 {
			return all
		}
		line := Line{Err: ErrTooLong, Text: bytes.Clone(text), Size: l.Size()}
		if !l.IsCut() {
			if line.Event, line.Err = d.Decode(line.Text); line.Err == nil && line.Event.Kind == KindFrame {
				line.Event.Frame.Envelope = jsonrpc.Scan(line.Event.Frame.Bytes)
			}
		}
		all = append(all, line.withoutWrong())
	}
}

// eachOf returns the lines of the blocks.
func eachOf(l *Lines) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		for lines, err := range l.Blocks() {
			for i := range lines {
				if !yield(&lines[i], nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// inBlocks decodes lines in blocks, and copies them.
func inBlocks(t *testing.T, l *Lines) (all []Line) {
	t.Helper()
	var d Decoder
	for line, err := range eachOf(l) {
		if err != nil {
			t.Fatal(err)
		}
		d.Complete(line)
		own := *line
		own.Text, own.Event.Frame.Bytes = bytes.Clone(own.Text), bytes.Clone(own.Event.Frame.Bytes)
		all = append(all, own.withoutWrong())
	}
	return all
}

// Lines that are decoded beside each other are those that are decoded one by one, wherever
// the file is cut off and wherever a block ends.
func TestLinesBlocks_EqualToDecode(t *testing.T) {
	garbage := "not JSON\n\n{\"s\":1}\n\xff\n{\"s\":7,\"t\":1,\"k\":\"later\"}\n"
	text := string(everyKind()) + garbage
	long := strings.Repeat("long", longHead) + "\n"
	check := func(t *testing.T, text string, piece int) {
		t.Helper()
		lines := func() *Lines {
			source := iotest.DataErrReader(strings.NewReader(text)) // io.EOF comes with the last bytes
			l := NewLines(t.Context(), strings.NewReader(text))
			l.limit = longHead
			if piece < readSize {
				l.piece, l.read = piece, func(p []byte) (int, error) { return source.Read(p[:min(len(p), piece)]) }
			}
			return l
		}
		if want, got := oneByOne(t, lines()), inBlocks(t, lines()); !reflect.DeepEqual(want, got) {
			t.Fatalf("%d bytes in pieces of %d: %s", len(text), piece, cmp.Diff(want, got, compareLines))
		}
	}
	for cut := range text {
		check(t, text[:cut], readSize)
	}
	for piece := 1; piece < 1000; piece += 21 {
		check(t, long+text+long+long+text+long[:len(long)-1], piece)
	}
	check(t, strings.Repeat(text, 500), readSize)
	check(t, strings.Repeat("\n", 3*maxDecoded), readSize)
}

// What follows the first line, which was read by itself, is decoded from there.
func TestLinesBlocks_AfterNext(t *testing.T) {
	text := everyKind()
	lines := NewLines(t.Context(), bytes.NewReader(text))
	first, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	n := len(first)
	for _, line := range inBlocks(t, lines) {
		n += int(line.Size)
	}
	if n != len(text) {
		t.Errorf("%d of %d bytes were read", n, len(text))
	}
}

// All goroutines end when a loop does, and with the context, also while a read waits.
func TestLinesBlocks_End(t *testing.T) {
	text := bytes.Repeat(everyKind(), 5000)
	synctest.Test(t, func(t *testing.T) {
		for _, err := range NewLines(t.Context(), bytes.NewReader(text)).Blocks() {
			if err != nil {
				t.Error(err)
			}
			break
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		read, write := io.Pipe()
		lines := &Lines{limit: maxLine, piece: readSize}
		lines.read, lines.stop = readBeside(ctx, read)
		go func() { _, _ = write.Write(text[:1000]) }()
		var last error
		for line, err := range eachOf(lines) {
			if last = err; line != nil && line.Event.Kind == KindFrame {
				cancel()
			}
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("the reading ended with %v", last)
		}
		_ = write.Close()
	})
}

// A frame whose head is read by position is the one that is read by the grammar.
func FuzzHead(f *testing.F) {
	for line := range bytes.Lines(everyKind()) {
		f.Add(trimEnding(line))
	}
	for _, head := range []string{
		`{"s":1,"t":5,"k":"in","c":2,"x":3,"ev":"e","en":"","id":-1,"m":"a","e":-32000,"nl":""`, `{"s":01,"t":5,"k":"in"`, `{"s":9223372036854775808,"t":1,"k":"out"`,
		`{"s":1,"t":9223372036854775807,"k":"out","c":99999,"x":4294967296`, `{"s":1,"t":5,"k":"in","id":"\""`, `{"s":1,"t":5,"k":"in","m":"é","m":"b"`, `{"s":1,"t":5,"k":"in","s":2`,
		`{"s":1,"t":5,"k":"in","ev":"a\\b"`, `{"s":1,"t":5,"k":"in","ev":"é"`, `{"s":1,"t":5,"k":"in","en":"\u0061"`, `{"s":1,"t":5,"k":"in","nl":"\r\n"`, "{\"s\":1,\"t\":5,\"k\":\"in\",\"ev\":\"~\x7f\"",
		`{"s":1,"t":5,"k":"in","id":1.5`, `{"s":1,"t":5,"k":"in","id":,"m":""`, `{"s":1,"t":5,"k":"in","x":1,"x":2,"side":"received","part":true`,
	} {
		f.Add([]byte(head + `,"n":2,"msg":{}}`))
		f.Add([]byte(head + `,"n":3,"msg":{}}`))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var byPosition, want Event
		if !byPosition.head(line) {
			return
		}
		if _, err := want.byGrammar(line, false); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, byPosition, compareLines); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	})
}

// BenchmarkDecoder decodes and scans the frames of 100,000 notifications, one by one and in
// blocks.
func BenchmarkDecoder(b *testing.B) {
	const frames = 100_000
	text := AppendHeader(nil, Header{Tool: "test"})
	for i := range frames {
		message := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///data/resource-%d"}}`, i)
		text, _ = AppendFrame(text, int64(i), 0, frame(message))
	}
	read := map[string]func(l *Lines) int{
		"one by one": func(l *Lines) (n int) {
			var d Decoder
			for {
				line, err := l.Next()
				if err != nil {
					return n
				}
				if e, err := d.Decode(line); err == nil {
					e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
					n++
				}
			}
		},
		"in blocks": func(l *Lines) (n int) {
			var d Decoder
			for line, err := range eachOf(l) {
				if err != nil {
					b.Fatal(err)
				}
				if d.Complete(line); line.Err == nil {
					n++
				}
			}
			return n
		},
	}
	for name, read := range read {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				l := NewLines(b.Context(), bytes.NewReader(text))
				if n := read(l); n != frames {
					b.Fatalf("%d frames", n)
				}
			}
		})
	}
}
