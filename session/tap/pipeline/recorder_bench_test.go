package pipeline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// BenchmarkRecorder_Lines records a stream of lines, beside a plain write of the same
// bytes. One operation is one line.
func BenchmarkRecorder_Lines(b *testing.B) {
	var text bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":{"number":%d,"text":"the quick brown fox jumps over the lazy dog, and some more of them"}}}`+"\n", i)
	}
	b.Run("write", func(b *testing.B) {
		file, err := os.Create(filepath.Join(b.TempDir(), "out"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		for i := 0; i < b.N; i += 1000 {
			if _, err := file.Write(text.Bytes()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("record", func(b *testing.B) {
		w, err := store.NewWriter(store.Options{Path: filepath.Join(b.TempDir(), "out.mcptea.jsonl")}, record.Header{})
		if err != nil {
			b.Fatal(err)
		}
		r := &Recorder{Writer: w}
		sink, _ := r.frames(transport.In)
		b.ReportAllocs()
		for i := 0; i < b.N; i += 1000 {
			sink.Write(time.Now(), text.Bytes())
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	})
}
