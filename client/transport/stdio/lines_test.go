//go:build unix

package stdio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// The text of a long line stays unchanged while the next lines are read.
func TestLines_LongTextIsLeft(t *testing.T) {
	long := strings.Repeat("long", keepSize/2)
	in := newLines(strings.NewReader(long+"\nshort\n"+long+"\n"), maxLine)
	var kept [][]byte
	for {
		l, err := in.next()
		if err != nil {
			break
		}
		if l.owned != (len(l.text) > keepSize) {
			t.Errorf("%d bytes: own is %v", len(l.text), l.owned)
		}
		if l.owned {
			kept = append(kept, l.text)
		}
	}
	if len(kept) != 2 || string(kept[0]) != long || string(kept[1]) != long {
		t.Errorf("%d long lines, or they were changed", len(kept))
	}
}

// A line of the maximum size is whole; one byte more is the next piece.
func TestLines_MaxLine(t *testing.T) {
	if maxLine != 64<<20 {
		t.Errorf("a line may have %d bytes", maxLine)
	}
	const limit = 100
	for size, want := range map[int]string{
		limit - 1: "99 whole",
		limit:     "100 truncated, 0 whole", // its newline is not in the buffer any more
		limit + 1: "100 truncated, 1 whole",
	} {
		in := newLines(&dribble{append(bytes.Repeat([]byte("x"), size), '\n'), 7}, limit)
		var got []string
		for {
			l, err := in.next()
			if err != nil {
				break
			}
			got = append(got, fmt.Sprintf("%d %s", len(l.text), map[bool]string{true: "truncated", false: "whole"}[l.truncated]))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("a line of %d bytes, limit %d: %s, want %s", size, limit, text, want)
		}
	}
}

// reading calls a function before each read.
type reading struct {
	r      io.Reader
	before func()
}

func (r reading) Read(p []byte) (int, error) { r.before(); return r.r.Read(p) }

// What has come of a line without its end is known while more is waited for, also where its
// beginning was returned already.
func TestLines_Open(t *testing.T) {
	var in *lines
	var open []int64
	in = newLines(reading{&dribble{[]byte("aaa\nbbbbbbbbb\nc"), 4}, func() { open = append(open, in.open.Load()) }}, 6)
	for {
		if _, err := in.next(); err != nil {
			break
		}
	}
	if want := []int64{0, 0, 4, 6, 0, 1}; !slices.Equal(open, want) {
		t.Errorf("before each read there were %d bytes of an open line, want %d", open, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 3)
	f.Add(bytes.Repeat([]byte("long "), 100), 7)
	f.Fuzz(func(t *testing.T, b []byte, chunk int) {
		if chunk < 1 || chunk > 1000 {
			return
		}
		in := newLines(&dribble{b, chunk}, 128)
		var back []byte
		for {
			l, err := in.next()
			if err != nil {
				break
			}
			if bytes.IndexByte(l.text, '\n') >= 0 || len(l.text) > 128 {
				t.Fatalf("line %q", l.text)
			}
			if !l.truncated && l.ending == "" {
				t.Fatal("a whole line without ending")
			}
			back = append(append(back, l.text...), l.ending...)
		}
		if !bytes.Equal(back, b) {
			t.Fatalf("the lines join to %q, not %q", back, b)
		}
	})
}

// dribble hands out a few bytes at a time.
type dribble struct {
	b []byte
	n int
}

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(d.n, len(p))], d.b)
	d.b = d.b[n:]
	return n, nil
}

func BenchmarkLines(b *testing.B) {
	text := bytes.Repeat([]byte(strings.Repeat("x", 190)+"\n"), 10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in := newLines(bytes.NewReader(text), maxLine)
		for {
			if _, err := in.next(); err != nil {
				break
			}
		}
	}
}

// BenchmarkLinesBaseline is bufio.Reader.ReadBytes, which has no limit either.
func BenchmarkLinesBaseline(b *testing.B) {
	text := bytes.Repeat([]byte(strings.Repeat("x", 190)+"\n"), 10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in := bufio.NewReaderSize(bytes.NewReader(text), readSize)
		for {
			if _, err := in.ReadBytes('\n'); err != nil {
				break
			}
		}
	}
}
