package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/server/rpcserver"
)

func TestClose_UnreadOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outR, outW := io.Pipe()
		in := strings.NewReader(fmt.Sprintf(initializeFrame, "2025-11-25", "{}") + "\n" + call("1", "flood", `{"count":1000000}`) + "\n")
		began := time.Now()
		if err := New(Options{}).ServeStdio(t.Context(), in, outW, io.Discard); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		_ = outR.Close() // lets go of the write
	})
}

func TestWork_TakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- New(Options{}).ServeStdio(t.Context(), inR, outW, io.Discard)
			_ = outW.Close()
		}()
		var output strings.Builder
		read := make(chan struct{})
		go func() {
			_, _ = io.Copy(&output, outR)
			close(read)
		}()
		_, _ = io.WriteString(inW, fmt.Sprintf(initializeFrame, "2025-11-25", "{}")+"\n"+call("1", "long-work", "")+"\n")
		time.Sleep(10*time.Second - time.Millisecond) // of the bubble's clock
		synctest.Wait()
		_ = inW.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		<-read
		// The end of the input leaves it the last millisecond.
		check(t, "long-work", output.String(), []string{`"progress":4,"total":5`, `done: 5 steps in 10 seconds`})
	})
}

func TestContext_EndsTheServer(t *testing.T) {
	inR, inW := io.Pipe()
	defer func() { _ = inW.Close() }()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(Options{}).ServeStdio(ctx, inR, io.Discard, io.Discard) }()
	_, _ = io.WriteString(inW, initializedFrame+"\n") // it is reading
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := io.WriteString(inW, "x"); err == nil {
		t.Error("the input is still being read")
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestServer_EndsWithBrokenOutput(t *testing.T) {
	inR, inW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- New(Options{}).ServeStdio(t.Context(), inR, brokenWriter{}, io.Discard) }()
	_, _ = io.WriteString(inW, request("1", "ping", "")+"\n")
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestLines_TooLong(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader(strings.Repeat("x", rpcserver.MaxBody+1) + "\n" + request("1", "ping", "")) // no newline at the end
	if err := New(Options{}).ServeStdio(t.Context(), in, &out, io.Discard); err != nil {
		t.Error(err)
	}
	check(t, "output", out.String(), []string{`"code":-32700,"message":"the frame is too long"`, `"id":1,"result":{}`})
}
