package relay

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A host that does not read has the writer wait; at the end it is given up, and the writer goes on.
func TestOutlet_GivesUpHostThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := newOutlet(w)
		failed := make(chan error, 1)
		go func() {
			for {
				if _, err := o.Write(make([]byte, 100_000)); err != nil {
					failed <- err
					return
				}
			}
		}()
		time.Sleep(time.Hour)
		o.mu.Lock()
		waits := len(o.bytes)
		o.mu.Unlock()
		if len(failed) > 0 || waits > maxOutlet+100_000 {
			t.Fatalf("%d bytes wait, %d writes have failed", waits, len(failed))
		}
		begin := time.Now()
		o.limit(lastWait)
		if err := <-failed; !errors.Is(err, errNotRead) || time.Since(begin) != lastWait {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		if o.close() {
			t.Error("it says that all was written")
		}
		_ = r.Close()
	})
}

// A host that reads slowly gets everything, however long that takes.
func TestOutlet_WaitsForSlowHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := newOutlet(w)
		text := bytes.Repeat([]byte("0123456789"), 200_000)
		go func() {
			for rest := text; len(rest) > 0; rest = rest[100_000:] {
				_, _ = o.Write(rest[:100_000])
			}
			o.limit(lastWait)
			if !o.close() {
				t.Error("the host was given up")
			}
			_ = w.Close()
		}()
		var got bytes.Buffer
		buf := make([]byte, 32<<10)
		for {
			time.Sleep(lastWait / 3)
			n, err := r.Read(buf)
			got.Write(buf[:n])
			if err != nil {
				break
			}
		}
		if !bytes.Equal(got.Bytes(), text) {
			t.Errorf("%d other bytes than the %d that were written", got.Len(), len(text))
		}
	})
}

// What a pipe takes at once and what waits for its reader come out in their order.
func TestOutlet_OrderOfPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := newOutlet(w)
	var want bytes.Buffer
	written := make(chan struct{})
	go func() {
		defer close(written)
		for n := range 3000 {
			b := bytes.Repeat([]byte{byte(n)}, 1+n*37%9000)
			want.Write(b)
			_, _ = o.Write(b)
		}
		o.close()
		_ = w.Close()
	}()
	got, err := io.ReadAll(r)
	<-written
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d other bytes than the %d that were written, %v", len(got), want.Len(), err)
	}
}
