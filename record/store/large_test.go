package store

import (
	"bytes"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/record"
)

// A large frame that belongs to who holds it is in memory once; later it is read like others.
func TestBody_LargeFrame(t *testing.T) {
	s := create(t)
	text := func() []byte {
		return []byte(`{"jsonrpc":"2.0","method":"m","params":{"text":"` + strings.Repeat("long ", 1<<20) + `"}}`)
	}
	held := text()
	row := s.Append(transport.Frame{Bytes: held, Own: true, Envelope: jsonrpc.Scan(held), Dir: transport.In, Time: time.Unix(1, 0), Ending: "\n"})
	body, err := s.Body(row)
	if err != nil || len(body) != len(held) || &body[0] != &held[0] {
		t.Fatalf("the frame is in memory twice: %d bytes, %v", len(body), err)
	}
	if head, err := s.Head(row, 10); err != nil || string(head) != string(held[:10]) {
		t.Errorf("the first bytes are %q, %v", head, err)
	}
	runtime.KeepAlive(held)
	held, body = nil, nil
	runtime.GC()
	runtime.GC()
	if body, err = s.Body(row); err != nil || !bytes.Equal(body, text()) {
		t.Errorf("%d bytes are read, %v", len(body), err)
	}
}

// largeFrames records small and large frames of all forms: verbatim, in Base64, without an
// ending, and with a long head.
func largeFrames(s *Store) (frames [][]byte) {
	long := strings.Repeat("long ", 1<<19)
	for i, text := range []string{
		`{"jsonrpc":"2.0","method":"small"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"text":"` + long + `"}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"text":"` + long + long + `"}}`,
		`{"jsonrpc":"2.0","method":"small"}`,
		`{"jsonrpc":"2.0","id":3,"result":{"text":"` + long + "\xff" + `"}}`,
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("i", maxLineHead) + `","result":{"text":"` + long + `"}}`,
		`{"jsonrpc":"2.0","id":4,"result":{"text":"` + long,
		`{"jsonrpc":"2.0","id":5,"result":{"text":"` + long + `"}}`,
	} {
		frame := []byte(text)
		frames = append(frames, frame)
		if i%2 == 1 {
			s.Line(transport.Line{Time: time.Unix(1, 0), Text: "between"})
		}
		s.Append(transport.Frame{Bytes: frame, Own: true, Envelope: jsonrpc.Scan(frame), Dir: transport.In, Time: time.Unix(1, 0), Ending: "\n"})
	}
	return frames
}

// framesOf are the frames of the file, each decoded from its whole line.
func framesOf(t *testing.T, s *Store) (frames []record.Event) {
	t.Helper()
	s.journal.flushNow()
	text, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	var d record.Decoder
	for line := range bytes.Lines(text) {
		if e, err := d.Decode(line); err == nil && e.Kind == record.KindFrame {
			frames = append(frames, e)
		}
	}
	return frames
}

// A reader of the record gets each large frame, in its place among the other events, whether
// it is in use elsewhere or not.
func TestTail_LargeFrames(t *testing.T) {
	raced.Never(t, "hundreds of megabytes through what other tests race too")
	s := create(t)
	frames := largeFrames(s)
	inFile := framesOf(t, s)
	for _, held := range []bool{true, false} {
		want := frames
		if !held {
			want = nil
			for _, frame := range frames {
				want = append(want, bytes.Clone(frame))
			}
			frames = nil
			runtime.GC()
			runtime.GC()
		}
		lines, n := 0, 0
		for tail := s.NewTail(); ; {
			e, row, ok, err := tail.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if row == None {
				lines++
				continue
			}
			if int(row) != n || !bytes.Equal(e.Frame.Bytes, want[n]) || e.Frame.Dir != transport.In || e.Frame.Ending != "\n" || e.Seq == 0 || e.Frame.Time != time.Unix(1, 0) {
				t.Errorf("held %v: row %d, which is number %d, has %d bytes, want %d", held, row, n, len(e.Frame.Bytes), len(want[n]))
			}
			if r, _ := s.Row(row); held && r.Size > largeSize && r.id.size == 1 && &e.Frame.Bytes[0] != &want[n][0] {
				t.Errorf("row %d is in memory twice", row)
			}
			if e.Frame.Bytes = inFile[n].Frame.Bytes; !reflect.DeepEqual(e, inFile[n]) {
				t.Errorf("row %d is %+v, its line %+v", row, e.Payload, inFile[n].Payload)
			}
			n++
		}
		if n != len(want) || lines != 4 {
			t.Errorf("held %v: %d frames and %d lines of stderr", held, n, lines)
		}
	}
}
