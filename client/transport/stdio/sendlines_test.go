//go:build unix

package stdio

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/oddframes"
)

// lineTape is a LineReceiver that keeps the lines.
type lineTape struct {
	tape
	lines bytes.Buffer // the lock is that of the tape
	torn  [][]byte
	cut   int // calls of Lines whose last byte ends no line
}

func (r *lineTape) Lines(_ time.Time, lines []byte) {
	r.mu.Lock()
	r.lines.Write(lines)
	if lines[len(lines)-1] != '\n' {
		r.cut++
	}
	r.mu.Unlock()
	r.poke()
}

func (r *lineTape) Frame(f transport.Frame) (at transport.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.Dir == transport.In {
		r.torn = append(r.torn, bytes.Clone(f.Bytes))
	} else {
		r.frames = append(r.frames, f)
	}
	return at
}

func runLines(t *testing.T, name string) (*Transport, *lineTape) {
	t.Helper()
	tr := New(Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"="+name), Grace: 200 * time.Millisecond})
	r := &lineTape{tape: tape{news: make(chan struct{}, 1)}}
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close(context.Background()) })
	return tr, r
}

// Lines go to the server and come from it as they are, in their order, beside frames that are sent.
func TestSendLines_KeepsEveryByte(t *testing.T) {
	tr, r := runLines(t, "echo")
	random := rand.New(rand.NewPCG(4, 1)) //nolint:gosec // repeatable on purpose
	lines := oddframes.Lines(5, 3000)
	lines = lines[:len(lines)-1] // the last one may have no end
	want := bytes.Join(lines, nil)
	go func() {
		for rest := lines; len(rest) > 0; {
			n := min(1+random.IntN(50), len(rest))
			if err := tr.SendLines(bytes.Join(rest[:n], nil)); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
	}()
	r.await(t, "the lines", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.lines.Len() >= len(want)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if !bytes.Equal(r.lines.Bytes(), want) || r.cut > 0 || len(r.torn) > 0 || len(r.frames) > 0 {
		t.Errorf("%d bytes of %d, %d calls have no whole lines, %d torn lines, %d frames", r.lines.Len(), len(want), r.cut, len(r.torn), len(r.frames))
	}
}

// A last line without its end is a truncated frame.
func TestLines_LastWithoutEnd(t *testing.T) {
	tr, r := runLines(t, "odd")
	<-tr.Done()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.torn) != 1 || string(r.torn[0]) != "last line" || !bytes.HasSuffix(r.lines.Bytes(), []byte("\xff\xfe\n")) {
		t.Errorf("%q, %q", r.lines.Bytes(), r.torn)
	}
}

// A write to a server that does not read ends with the transport.
func TestSendLines_ServerDoesNotRead(t *testing.T) {
	tr, _ := runLines(t, "deaf")
	var sent sync.WaitGroup
	sent.Go(func() {
		if err := tr.SendLines(append(bytes.Repeat([]byte("x"), 1<<20), '\n')); err == nil { // more than a pipe holds
			t.Error("it was written")
		}
		if err := tr.SendLines([]byte("{}\n")); err == nil {
			t.Error("it was written after the end")
		}
	})
	time.AfterFunc(50*time.Millisecond, func() { _ = tr.Close(context.Background()) })
	sent.Wait()
}
