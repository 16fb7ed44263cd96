//go:build unix

package stdio

import (
	"bytes"
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/transport"
)

// slow is a receiver that handles the next line only when it is told to.
type slow struct {
	*tape
	next chan struct{}
}

func (s *slow) Frame(f transport.Frame) (at transport.Ref) {
	<-s.next
	s.tape.Frame(f)
	return at
}

// What a process wrote before its exit is delivered, however slow the receiver is.
func TestDrain_SlowReceiver(t *testing.T) {
	r := &slow{tape: newTape(), next: make(chan struct{})}
	tr := New(Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"=lines")})
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close(t.Context()) })
	<-tr.reaped
	tr.stdout.limit() // as after the grace period
	for range leftLines {
		select {
		case r.next <- struct{}{}:
		case <-tr.Done():
			t.Fatalf("the transport has ended after %d of %d lines", len(r.incoming()), leftLines)
		}
	}
	<-tr.Done()
	if n := len(r.incoming()); n != leftLines {
		t.Errorf("%d of %d lines were delivered", n, leftLines)
	}
}

// A descendant that keeps writing does not keep the transport open.
func TestOutput_DescendantWrites(t *testing.T) {
	read, write, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for p := bytes.Repeat([]byte("x"), 4096); err == nil; {
			_, err = write.Write(p)
		}
	}()
	o := newOutput(read)
	o.limit()
	total := 0
	for b := make([]byte, 64<<10); ; {
		n, err := o.Read(b)
		if total += n; err != nil {
			break
		}
	}
	if total != maxLeft {
		t.Errorf("%d bytes were read, want %d", total, maxLeft)
	}
	_ = read.Close()
	<-ended
	_ = write.Close()
}

// One that writes nothing does not either, whether the read blocks before or after
// the exit.
func TestOutput_DescendantIsSilent(t *testing.T) {
	read, write, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = write.Close() }()
	o := newOutput(read)
	ended := make(chan error)
	go func() {
		_, err := o.Read(make([]byte, 1))
		ended <- err
	}()
	o.limit()
	if err := <-ended; !os.IsTimeout(err) {
		t.Errorf("the read ended with %v", err)
	}
	_ = read.Close()
}

// Waiting for the receiver ends without progress, and not while there is some.
func TestOutput_AwaitProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOutput(nil)
		start := time.Now()
		o.await()
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("without progress it ends after %v", took)
		}
		go func() {
			for range 5 {
				time.Sleep(deliveryTimeout * 9 / 10)
				o.delivered()
			}
			close(o.end)
		}()
		start = time.Now()
		o.await()
		if took := time.Since(start); took != 5*deliveryTimeout*9/10 {
			t.Errorf("with progress it ends after %v", took)
		}
	})
}

// late is a Receiver that has a frame sent after the exit, before that is reported.
type late struct {
	*tape
	t *Transport
}

func (l late) Stderr(transport.Line) {
	<-l.t.reaped
	go func() { _ = l.t.Send(context.Background(), transport.Outgoing{Bytes: []byte(`{}`)}) }()
	for range l.news {
		l.mu.Lock()
		sent := len(l.frames) > 0
		l.mu.Unlock()
		if sent {
			return
		}
	}
}

// The exit of a server is not before a frame that was recorded before it.
func TestExit_NotBeforeTheLastFrame(t *testing.T) {
	tr := New(Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"=exit3")})
	r := late{newTape(), tr}
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	<-tr.Done()
	sent, exit := r.frames[0], r.events[len(r.events)-1]
	if exit.What != transport.ProcessExited || exit.Time.Before(sent.Time) {
		t.Errorf("%v at %v, a frame before it at %v", exit.What, exit.Time, sent.Time)
	}
	_ = tr.Close(t.Context())
}

// A frame that the server read is sent, also if the server exits at once because of it.
func TestSend_ExitAfterTheFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := New(Config{})
		go func() {
			w := <-tr.queue
			close(tr.done)
			synctest.Wait() // Send saw the end first
			w.done <- nil
		}()
		if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte(`{}`)}); err != nil {
			t.Errorf("Send: %v", err)
		}
	})
}
