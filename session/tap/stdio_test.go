package tap_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/test/oddframes"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/tap"
	"mcptea/session/tap/pipeline"
)

func TestStdio_KeepsEveryByte(t *testing.T) {
	sent := bytes.Join(oddframes.Lines(1, 3000), nil)
	h := startHost(t, "echo", nil)
	go func() {
		// In pieces that end anywhere.
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+len(rest)%777)
			_, _ = h.stdin.Write(rest[:n])
			rest = rest[n:]
		}
		_ = h.stdin.Close()
	}()
	got, err := io.ReadAll(h.stdout)
	if err != nil {
		t.Fatal(err)
	}
	<-h.ended
	if h.err != nil || h.exit.Code != 0 {
		t.Fatalf("exit %+v, %v", h.exit, h.err)
	}
	want := sha256.Sum256(sent)
	if sha256.Sum256(got) != want {
		t.Error("the server's bytes were changed on their way")
	}
	for _, dir := range []transport.Direction{transport.Out, transport.In} {
		if stream, _ := recorded(t, h.path, dir); sha256.Sum256(stream) != want {
			t.Errorf("the recording has other bytes for %s: %d, want %d", dir, len(stream), len(sent))
		}
	}
	if w := h.warnings.String(); w != "" {
		t.Errorf("warning %q", w)
	}
}

func TestStdio_KeepsEveryByteWhileGateIsActive(t *testing.T) {
	sent := bytes.Join(oddframes.Lines(2, 500), nil)
	h := startHost(t, "echo", nil)
	go func() {
		for i, rest := 0, sent; len(rest) > 0; i++ {
			n := min(len(rest), 1+len(rest)%777)
			_, _ = h.stdin.Write(rest[:n])
			rest = rest[n:]
			// The gate changes in the middle of lines.
			var list []intercept.Breakpoint
			if i%3 == 1 {
				list = []intercept.Breakpoint{{Filter: "method:no-such-method"}}
			}
			_ = h.gate.SetBreakpoints(list)
		}
		_ = h.stdin.Close()
	}()
	got, err := io.ReadAll(h.stdout)
	if err != nil {
		t.Fatal(err)
	}
	<-h.ended
	if !bytes.Equal(got, sent) {
		t.Error("the server's bytes were changed on their way")
	}
	for _, dir := range []transport.Direction{transport.Out, transport.In} {
		if stream, _ := recorded(t, h.path, dir); !bytes.Equal(stream, sent) {
			t.Errorf("the recording has other bytes for %s", dir)
		}
	}
}

func TestStdio_ExitCodeAndStderr(t *testing.T) {
	h := startHost(t, "fail", nil)
	<-h.ended
	if h.err != nil || h.exit.Code != 7 {
		t.Errorf("exit %+v, %v", h.exit, h.err)
	}
	if got := h.stderr.String(); got != "cannot start: the kettle is missing\nno newline at the end" {
		t.Errorf("stderr %q", got)
	}
	var lines []string
	reason := ""
	for _, e := range events(t, h.path) {
		switch e.Kind {
		case record.KindStderr:
			lines = append(lines, e.Text)
		case record.KindConnection:
			reason = e.Connection.Reason
		}
	}
	if strings.Join(lines, "|") != "cannot start: the kettle is missing|no newline at the end" || !strings.Contains(reason, "exited with code 7") {
		t.Errorf("recorded stderr %q, reason %q", lines, reason)
	}
}

func TestStdio_RecordsRequestBeforeResponse(t *testing.T) {
	h := startHost(t, "respond", nil)
	buf := make([]byte, 1000)
	for i := range 200 {
		h.send(fmt.Sprintf("{\"id\":%d}\n", i))
		if _, err := h.stdout.Read(buf); err != nil {
			t.Fatal(err)
		}
	}
	_ = h.stdin.Close()
	<-h.ended
	want := transport.Out
	for _, e := range events(t, h.path) {
		if e.Kind != record.KindFrame {
			continue
		}
		if e.Frame.Dir != want {
			t.Fatalf("event %d is a frame %s, want %s", e.Seq, e.Frame.Dir, want)
		}
		want = 1 - want
	}
}

// The host reads to the end of stdout before the recording is complete.
func TestStdio_EndOfStdoutDoesNotWaitForRecording(t *testing.T) {
	read := make(chan struct{})
	h := startHost(t, "echo", func(h *host) {
		h.observe = func(record.Header) pipeline.Observer { return waitingObserver(read) }
	})
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	_ = h.stdin.Close()
	got, err := io.ReadAll(h.stdout)
	close(read)
	if err != nil || !strings.Contains(string(got), "ping") {
		t.Errorf("the host read %q, %v", got, err)
	}
	<-h.ended
	if stream, _ := recorded(t, h.path, transport.In); !bytes.Equal(stream, got) {
		t.Errorf("the recording has %q", stream)
	}
}

// What a host does not read is recorded all the same.
func TestStdio_HostThatDoesNotRead(t *testing.T) {
	frames := make(countingObserver, 1000)
	h := startHost(t, "respond", func(h *host) {
		h.observe = func(record.Header) pipeline.Observer { return frames }
	})
	const pipe, size = 64 << 10, 1 << 10
	line := `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", size-30) + `"}` + "\n"
	const lines = 4 * pipe / size
	go func() { _, _ = io.WriteString(h.stdin, strings.Repeat(line, lines)) }()
	// A pipe can be full at half of its size: a write that the rest of a page has no room for begins
	// with the next page.
	for range pipe / size / 2 {
		select {
		case <-frames:
		case <-time.After(20 * time.Second):
			t.Fatal("a frame that the host does not take is not recorded")
		}
	}
	if n, err := io.ReadFull(h.stdout, make([]byte, lines*len(line))); err != nil {
		t.Errorf("the host gets %d bytes, %v", n, err)
	}
}

// countingObserver gets a token for each frame of the server.
type countingObserver chan struct{}

func (o countingObserver) Event(e *record.Event) {
	if e.Kind == record.KindFrame && e.Frame.Dir == transport.In {
		o <- struct{}{}
	}
}
func (countingObserver) Close() {}

// waitingObserver receives nothing before the channel is closed.
type waitingObserver chan struct{}

func (o waitingObserver) Event(*record.Event) { <-o }
func (waitingObserver) Close()                {}

func TestStdio_CannotStart(t *testing.T) {
	s := &tap.Stdio{Command: stdio.Config{Argv: []string{"/no/such/server"}}, Warn: func(string) {}}
	if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("error %v", err)
	}
}

func TestStdio_GoesOnWithoutRecording(t *testing.T) {
	h := startHost(t, "echo", func(h *host) {
		h.record = func() (*store.Writer, error) { return nil, errors.New("the disk is gone") }
	})
	h.send("{}\n")
	_ = h.stdin.Close()
	got, _ := io.ReadAll(h.stdout)
	<-h.ended
	if string(got) != "{}\n" || !strings.Contains(h.warnings.String(), "the disk is gone") {
		t.Errorf("got %q, warnings %q", got, h.warnings.String())
	}
}

func TestStdio_RecordingStopsAtLimit(t *testing.T) {
	h := startHost(t, "echo", func(h *host) {
		h.record = func() (*store.Writer, error) {
			return store.NewWriter(store.Options{Path: h.path, Limit: 600 << 10}, record.Header{})
		}
	})
	sent := bytes.Repeat([]byte(`{"jsonrpc":"2.0","method":"x","params":{"v":"`+strings.Repeat("x", 900)+"\"}}\n"), 2000)
	go func() {
		_, _ = h.stdin.Write(sent)
		_ = h.stdin.Close()
	}()
	got, _ := io.ReadAll(h.stdout)
	<-h.ended
	if !bytes.Equal(got, sent) {
		t.Error("the stream was changed")
	}
	_, notes := recorded(t, h.path, transport.In)
	if len(notes) == 0 || !strings.Contains(notes[len(notes)-1], "the recording stops here: the limit of 614 kB is reached") {
		t.Errorf("notes %q", notes)
	}
	if w := h.warnings.String(); !strings.Contains(w, "limit of 614 kB") {
		t.Errorf("warnings %q", w)
	}
}

func TestStdio_HoldsAndEdits(t *testing.T) {
	h := startHost(t, "echo", nil)
	if err := h.gate.SetBreakpoints([]intercept.Breakpoint{{Filter: "dir:out method:tools/call"}}); err != nil {
		t.Fatal(err)
	}
	changes, stop := h.gate.Subscribe()
	defer stop()
	const first, call, last = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`
	h.send(first + "\n" + call + "\r\n" + last + "\n")
	var held []intercept.Held
	for len(held) < 2 || held[1].Row < 0 {
		<-changes
		held = h.gate.State().Held
	}
	const edited = `{"jsonrpc":"2.0","id":2,"method":"edited"}`
	if err := h.gate.Decide(held[0].ID, intercept.Decision{Action: intercept.Forward, Bytes: []byte(edited)}); err != nil {
		t.Fatal(err)
	}
	_ = h.stdin.Close()
	got, _ := io.ReadAll(h.stdout)
	<-h.ended
	if want := first + "\n" + edited + "\r\n" + last + "\n"; string(got) != want {
		t.Errorf("passed\n%s\nwant\n%s", got, want)
	}
	var frames []record.Event
	for _, e := range events(t, h.path) {
		if e.Kind == record.KindFrame {
			frames = append(frames, e)
		}
	}
	for _, h := range held {
		if f := frames[h.Row].Frame; !bytes.Equal(f.Bytes, h.Bytes) || f.Dir != transport.Out {
			t.Errorf("row %d is %s", h.Row, f.Bytes)
		}
	}
	if out, _ := recorded(t, h.path, transport.Out); string(out) != first+"\n"+call+"\r\n"+last+"\n" {
		t.Errorf("recorded as sent by the host: %s", out)
	}
	change := changeOf(t, h.path, held[0].Row)
	if change == nil || change.What != record.Edited || len(change.Sent) != 1 || string(change.Sent[0]) != edited {
		t.Errorf("the record says of the edited frame: %+v", change)
	}
}

func TestStdio_AnswersByHand(t *testing.T) {
	h := startHost(t, "echo", nil)
	if err := h.gate.SetBreakpoints([]intercept.Breakpoint{{Filter: "method:tools/call"}}); err != nil {
		t.Fatal(err)
	}
	changes, stop := h.gate.Subscribe()
	defer stop()
	h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call"}` + "\n")
	for len(h.gate.State().Held) == 0 {
		<-changes
	}
	answer := jsonrpc.EncodeResult(jsonrpc.IDOf("2"), nil)
	if err := h.gate.Decide(1, intercept.Decision{Action: intercept.Respond, Bytes: answer}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(answer)+1)
	if _, err := io.ReadFull(h.stdout, got); err != nil || string(got) != string(answer)+"\n" {
		t.Errorf("got %s, %v", got, err)
	}
	_ = h.stdin.Close()
	<-h.ended
	if in, _ := recorded(t, h.path, transport.In); string(in) != string(answer)+"\n" {
		t.Errorf("recorded %s", in)
	}
	if change := changeOf(t, h.path, 0); change == nil || change.What != record.AnsweredByHand {
		t.Errorf("the record says of the request: %+v", change)
	}
	for _, e := range events(t, h.path) {
		if want := transport.Side(e.Frame.Dir); e.Kind == record.KindFrame && e.Frame.Side != want {
			t.Errorf("the frame %s has the side %q", e.Frame.Bytes, e.Frame.Side)
		}
	}
}
