package record

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
)

// read returns the events of a recording, with their frames copied.
func read(t *testing.T, text []byte) []Event {
	t.Helper()
	lines := NewLines(t.Context(), bytes.NewReader(text))
	defer lines.Close()
	first, err := lines.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.Clone(first), lines)
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		event := *e
		event.Frame.Bytes = bytes.Clone(e.Frame.Bytes)
		events = append(events, event)
	}
	return events
}

var at = time.Unix(1_780_000_000, 5)

// everyKind is a recording with an event of each kind.
func everyKind() []byte {
	x := transport.Exchange{
		ID: 3, Purpose: "message", Method: "POST", URL: "http://h/mcp", Start: at, Repeats: 2, RequestHeader: http.Header{"A": {"b"}},
		Status: 200, FirstByte: 5, ResponseHeader: http.Header{"C": {"d"}}, Took: 9, Sent: 7, Received: 8,
		Err: "closed", ClosedBy: transport.ClosedByUser, Events: 2, LastEventID: "e2", Retry: time.Second,
	}
	message := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b := AppendHeader(nil, Header{Time: 1, Tool: "test", Transport: "http", Target: "http://h/mcp"})
	seq := int64(0)
	add := func(e Event) {
		seq++
		e.Time = at
		b = AppendEvent(b, seq, &e)
	}
	add(Event{Kind: KindConnection, Connection: &Connection{What: ConnectionOpened, Number: 1, Transport: "http", Target: "http://h/mcp"}})
	for _, phase := range transport.ExchangePhases() {
		x.Phase = phase
		add(Event{Kind: KindHTTP, Exchange: &x})
	}
	add(Event{Kind: KindFrame, Frame: transport.Frame{Bytes: message, Dir: transport.In, Exchange: 3, EventID: "e1", EventName: "message"}})
	add(Event{Kind: KindStderr, Text: "caf\xe9"})
	add(Event{Kind: KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, PID: 7, Path: "/bin/x", Argv: []string{"x", "y"}, Dir: "/"}})
	add(Event{Kind: KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStdinClosed, PID: 7, Stopped: true}})
	add(Event{Kind: KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessExited, PID: 7, ExitCode: -1, Signal: "SIGKILL", Expected: true}})
	add(Event{Kind: KindStep, Step: &Step{Name: "answer", State: "done", Detail: "ok", Took: 3}})
	add(Event{Kind: KindNote, Text: "sent again"})
	add(Event{Kind: KindAuthorization, Step: StepOf(oauth.Step{
		Name: oauth.StepConsent, Start: at, State: oauth.Failed, URL: "https://as.example/a?state=s&resource=r",
		Refusal: &oauth.Refusal{Kind: oauth.WrongIssuer, Found: "https://evil.example", Expected: "https://as.example"},
	})})
	add(Event{Kind: KindEnded, Ended: &Ended{ID: jsonrpc.IDOf(`"a"`), Cancelled: true}})
	add(Event{Kind: KindMark, Mark: &Mark{Row: 3, Marked: true, Note: "the \"cause\""}})
	add(Event{Kind: KindMark, Mark: &Mark{Row: 4}})
	add(Event{Kind: KindConnection, Connection: &Connection{What: ConnectionClosed, Number: 1, Reason: "gone"}})
	return b
}

func TestReader_EveryKind(t *testing.T) {
	events := read(t, everyKind())
	sent := transport.Exchange{ID: 3, Phase: transport.ExchangeSent, Purpose: "message", Method: "POST", URL: "http://h/mcp", Start: at, Repeats: 2, RequestHeader: http.Header{"A": {"b"}}}
	headers := sent
	headers.Phase, headers.Status, headers.FirstByte, headers.ResponseHeader = transport.ExchangeHeaders, 200, 5, http.Header{"C": {"d"}}
	done := headers
	done.Phase, done.Took, done.Sent, done.Received, done.Err, done.ClosedBy = transport.ExchangeDone, 9, 7, 8, "closed", transport.ClosedByUser
	done.Events, done.LastEventID, done.Retry = 2, "e2", time.Second
	event := func(seq int64, kind Kind, e Event) Event {
		e.Seq, e.Time, e.Kind, e.Conn = seq, at, kind, 1
		return e
	}
	process := func(p transport.ProcessEvent) *transport.ProcessEvent { p.Time, p.PID = at, 7; return &p }
	want := []Event{
		event(1, KindConnection, Event{Connection: &Connection{What: ConnectionOpened, Number: 1, Transport: "http", Target: "http://h/mcp"}}),
		event(2, KindHTTP, Event{Exchange: &sent}), event(3, KindHTTP, Event{Exchange: &headers}), event(4, KindHTTP, Event{Exchange: &done}),
		event(5, KindFrame, Event{Frame: transport.Frame{Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), Time: at, Dir: transport.In, Exchange: 3, EventID: "e1", EventName: "message"}}),
		event(6, KindStderr, Event{Text: "caf\xe9"}),
		event(7, KindProcess, Event{Process: process(transport.ProcessEvent{What: transport.ProcessStarted, Path: "/bin/x", Argv: []string{"x", "y"}, Dir: "/"})}),
		event(8, KindProcess, Event{Process: process(transport.ProcessEvent{What: transport.ProcessStdinClosed, Stopped: true})}),
		event(9, KindProcess, Event{Process: process(transport.ProcessEvent{What: transport.ProcessExited, ExitCode: -1, Signal: "SIGKILL", Expected: true})}),
		event(10, KindStep, Event{Step: &Step{Name: "answer", State: "done", Detail: "ok", Took: 3}}),
		event(11, KindNote, Event{Text: "sent again"}),
		event(12, KindAuthorization, Event{Step: &Step{
			Name: "consent", State: "failed", URL: "https://as.example/a?resource=r&state=%2A%2A%2A%2A",
			Refused: "wrong issuer", Found: "https://evil.example", Expected: "https://as.example",
		}}),
		event(13, KindEnded, Event{Ended: &Ended{ID: jsonrpc.IDOf(`"a"`), Cancelled: true}}),
		event(14, KindMark, Event{Mark: &Mark{Row: 3, Marked: true, Note: "the \"cause\""}}),
		event(15, KindMark, Event{Mark: &Mark{Row: 4}}),
		event(16, KindConnection, Event{Connection: &Connection{What: ConnectionClosed, Number: 1, Reason: "gone"}}),
	}
	if diff := cmp.Diff(want, events, cmpopts.EquateEmpty(), cmp.AllowUnexported(transport.Ref{}), cmpopts.IgnoreFields(transport.Frame{}, "Envelope"), cmpopts.IgnoreFields(Event{}, "Payload"),
		compareIDs); diff != "" {
		t.Error(diff)
	}
}

// A recording that was cut off anywhere is read up to the cut, with one sentence
// about it.
func TestReader_CutOff(t *testing.T) {
	whole := everyKind()
	header := bytes.IndexByte(whole, '\n') + 1
	for cut := header; cut < len(whole); cut++ {
		events := read(t, whole[:cut])
		lines := bytes.Count(whole[header:cut], []byte("\n"))
		switch onLine := whole[cut-1] == '\n' || whole[cut] == '\n'; {
		case onLine && whole[cut-1] != '\n' && len(events) != lines+1, onLine && whole[cut-1] == '\n' && len(events) != lines:
			t.Fatalf("cut at %d: %d events of %d lines", cut, len(events), lines)
		case !onLine && (len(events) != lines+1 || events[lines].Kind != KindProblem || !strings.Contains(events[lines].Text, "incomplete")):
			t.Fatalf("cut at %d, in line %d: %+v", cut, lines+2, events)
		}
	}
}

// Of a line of any length only the beginning is held.
func TestLines_TooLong(t *testing.T) {
	text := "short\n" + strings.Repeat("x", 20_000) + "\nlast\n" + strings.Repeat("y", 30_000)
	l := NewLines(t.Context(), iotest.OneByteReader(strings.NewReader(text)))
	defer l.Close()
	l.limit = 10_000
	for i, want := range []struct {
		text string
		size int64
		cut  bool
	}{{"short\n", 6, false}, {strings.Repeat("x", longHead) + "\n", 20_001, true}, {"last\n", 5, false}, {strings.Repeat("y", longHead), 30_000, true}} {
		line, err := l.Next()
		if string(line) != want.text || l.Size() != want.size || l.IsCut() != want.cut || (err != nil) != (i == 3) {
			t.Errorf("line %d has %d bytes in memory, size %d, cut %t, %v", i+1, len(line), l.Size(), l.IsCut(), err)
		}
	}
}

func TestReader_GarbageAndNewerVersions(t *testing.T) {
	note := string(AppendEvent(nil, 1, &Event{Kind: KindNote, Time: at, Text: "one"}))
	for name, c := range map[string]struct {
		text string
		want []Kind
		says string
	}{
		"garbage line":  {`{"mcptea":2}` + "\nnot JSON\n\n" + note, []Kind{KindProblem, KindProblem, KindNote}, "line 2 is not an event and was skipped"},
		"unknown kind":  {`{"mcptea":2}` + "\n" + `{"s":1,"t":5,"k":"hologram","x":1}` + "\n" + note, []Kind{KindUnknown, KindNote}, "hologram"},
		"newer version": {`{"mcptea":9}` + "\n" + note, []Kind{KindProblem, KindNote}, "version 9"},
		"wrong length":  {`{"mcptea":2}` + "\n" + `{"s":1,"t":5,"k":"in","n":9,"msg":{}}` + "\n" + note, []Kind{KindProblem, KindNote}, "2 bytes where it says 9"},
		"only a header": {`{"mcptea":2}`, nil, ""},
	} {
		events := read(t, []byte(c.text))
		var kinds []Kind
		var texts string
		for _, e := range events {
			kinds = append(kinds, e.Kind)
			texts += e.Text + "\n"
		}
		if !cmp.Equal(kinds, c.want) || !strings.Contains(texts, c.says) {
			t.Errorf("%s: %v\n%s", name, kinds, texts)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add(everyKind())
	f.Add([]byte("{\"mcptea\":1}\n{\"s\":1,\"t\":5,\"k\":\"http\",\"x\":1,\"method\":\"GET\",\"status\":200}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := NewLines(t.Context(), bytes.NewReader(text))
		defer lines.Close()
		first, err := lines.Next()
		if err != nil {
			return
		}
		r, err := NewReader(first, lines)
		if err != nil {
			return
		}
		for e, err := range r.Events() {
			if err != nil {
				t.Fatal(err)
			}
			_ = e.IsRow()
		}
	})
}

// The memory for a long line is released after it.
func TestLines_MaxMemory(t *testing.T) {
	for size, again := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		l := NewLines(t.Context(), strings.NewReader("line\n"))
		l.buf = make([]byte, 0, size)
		if line, err := l.Next(); string(line) != "line\n" || err != nil {
			t.Errorf("%q, %v", line, err)
		}
		if (cap(l.buf) == size) != again {
			t.Errorf("%d bytes of memory are %d then", size, cap(l.buf))
		}
	}
}

// A source that has grown is read on from its end.
func TestLines_Continue(t *testing.T) {
	var b bytes.Buffer
	l := NewLines(t.Context(), &b)
	for _, want := range []string{"one\n", "two\n"} {
		b.WriteString(want)
		line, err := l.Next()
		if string(line) != want || err != nil {
			t.Errorf("%q, %v, want %q", line, err, want)
		}
		if line, err := l.Next(); len(line) > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%q, %v at the end", line, err)
		}
		l.Continue()
	}
}

// The lines of a pipe, such as the standard input of mcptea, are read to its end, also the last one without
// an ending; the end is reported again.
func TestLines_Pipe(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	l := NewLines(t.Context(), read)
	defer l.Close()
	if _, err := write.WriteString("one\ntwo\nthr"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one\n", "two\n"} {
		if line, err := l.Next(); string(line) != want || err != nil {
			t.Errorf("%q, %v, want %q", line, err, want)
		}
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, want := range []string{"thr", "", ""} {
			if line, err := l.Next(); string(line) != want || !errors.Is(err, io.EOF) {
				t.Errorf("%q, %v at the end, want %q", line, err, want)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the end of the pipe is not noticed")
	}
}

// The time of an event is not before 1970, nor after what a clock can have.
func TestEvent_TimeBounds(t *testing.T) {
	line := AppendEvent(nil, 1, &Event{Kind: KindNote, Time: time.Unix(0, 7), Text: "x"})
	for written, want := range map[string]int64{"7": 7, "0": 0, "-1": 0, "-99999999999999999999": 0} {
		changed := bytes.Replace(line, []byte(`"t":7`), []byte(`"t":`+written), 1)
		var e Event
		if _, err := e.byGrammar(changed, false); err != nil || e.Time.UnixNano() != want {
			t.Errorf("%s: %v, %v", changed, e.Time.UnixNano(), err)
		}
	}
}
