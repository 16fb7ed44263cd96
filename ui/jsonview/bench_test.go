package jsonview

import (
	"bytes"
	"fmt"
	"testing"
)

// big is n bytes of JSON of the kind that tools return.
func big(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":1,"result":{"content":[`)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"text","index":%d,"text":"The quick brown fox number %d jumps over the lazy dog.","meta":{"ok":true,"score":%d.5,"tags":["a","b"]}}`, i, i, i)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

func BenchmarkParse50MB(b *testing.B) {
	raw := big(50 << 20)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSmall(b *testing.B) {
	raw := []byte(answer)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRows50MB(b *testing.B) {
	d, err := Parse(big(50 << 20))
	if err != nil {
		b.Fatal(err)
	}
	v := NewView(d)
	v.End()
	b.ReportAllocs()
	for b.Loop() {
		v.Move(-1)
		v.Rows(palette, colours, 120, 50, true)
	}
}

func BenchmarkFold50MB(b *testing.B) {
	d, err := Parse(big(50 << 20))
	if err != nil {
		b.Fatal(err)
	}
	v := NewView(d)
	v.Move(3)
	b.ReportAllocs()
	for b.Loop() {
		v.Toggle()
		v.Rows(palette, colours, 120, 50, true)
	}
}

func BenchmarkSearch50MB(b *testing.B) {
	raw := big(50 << 20)
	d, err := Parse(raw)
	if err != nil {
		b.Fatal(err)
	}
	v := NewView(d)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		v.Home()
		v.Go(v.Search("needle that is nowhere")())
	}
}
