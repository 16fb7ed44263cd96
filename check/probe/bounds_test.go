package probe

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/lint"
)

// The pace is that of the newest responses.
func TestNote_Bound(t *testing.T) {
	r := &Runner{server: &Server{}, cfg: Config{Timeout: time.Minute}}
	for range maxPaced {
		r.note(&r.paces, time.Second)
	}
	if len(r.paces) != maxPaced || r.pace() != time.Second {
		t.Errorf("at the bound: %d, %s", len(r.paces), r.pace())
	}
	r.note(&r.paces, time.Millisecond)
	if len(r.paces) != maxPaced || r.paces[maxPaced-1] != time.Millisecond {
		t.Errorf("beyond the bound: %d, the newest %s", len(r.paces), r.paces[len(r.paces)-1])
	}
	if got := r.responseTimeout(); got != paceFactor*time.Second {
		t.Errorf("a response may take %s", got)
	}
	if got := r.quietTime(); got != 2*time.Second {
		t.Errorf("silence lasts %s", got)
	}
}

// Each finding of the linter is taken once, and the first maxLinted are kept.
func TestJournal_LintFindingsBound(t *testing.T) {
	j := &journal{}
	rule := &lint.Entry{ID: "S022"}
	for i := range maxLinted + 1 {
		j.linted(&Conn{linted: true}, lint.Finding{Rule: rule, Fault: lint.Server, Message: fmt.Sprint(i / 2)})
	}
	all := func(located) bool { return true }
	if n := len(j.take(all)); len(j.findings) != maxLinted || n != maxLinted/2 {
		t.Errorf("%d kept, %d taken", len(j.findings), n)
	}
	if again := j.take(all); len(again) != 0 {
		t.Errorf("%d taken twice", len(again))
	}
	j.linted(&Conn{linted: true}, lint.Finding{Rule: rule, Fault: lint.Client})
	if len(j.findings) != maxLinted {
		t.Error("a finding about the client is kept")
	}
}

// A server that floods does not make a run grow: its first frames are kept, all are counted.
func TestJournal_FramesBound(t *testing.T) {
	j := &journal{canary: "canary"}
	frame := transport.Frame{Dir: transport.In, Bytes: []byte("{}")}
	for range maxJournalFrames + 10 {
		j.add(1, frame, 0)
	}
	if len(j.frames) != maxJournalFrames || j.last() != maxJournalFrames+10 {
		t.Errorf("%d are kept, the newest is %d", len(j.frames), j.last())
	}
	if f, ok := j.frame(maxJournalFrames); !ok || f.Seq != maxJournalFrames {
		t.Errorf("the last that is kept is %d", f.Seq)
	}
	if _, ok := j.frame(maxJournalFrames + 1); ok {
		t.Error("a frame is returned that is not kept")
	}
	if j.release(); j.frames != nil || j.last() != maxJournalFrames+10 {
		t.Errorf("%d are kept after the run, the newest is %d", len(j.frames), j.last())
	}
}

// After the end of a probe nothing is sent or reported, and its first reason counts.
func TestRun_EndedSendsNothing(t *testing.T) {
	r := &Run{ctx: t.Context(), report: &Report{Entry: &Entry{}}, runner: &Runner{cfg: Config{Timeout: time.Minute}}}
	r.Skip("no tools")
	r.Unjudged("later")
	r.Case("").Error("It is wrong.")
	r.Measure("n", 1)
	r.Sleep(time.Hour)
	if o := r.Ask(&Conn{r: r.runner}, "ping", []byte("{}")); o.Kind != Unsent {
		t.Errorf("a frame is sent: %s", o.Kind)
	}
	if r.verdict() != Skipped || r.why != "no tools" || len(r.report.Findings) != 0 || r.report.Sent != 0 || r.report.Measure != nil {
		t.Errorf("%s %q %+v", r.verdict(), r.why, r.report)
	}
}

// A server that has its streams opened again and again does not make a connection grow: exchanges
// are forgotten when they have ended.
func TestLink_ExchangesBound(t *testing.T) {
	l := newLink(&journal{canary: "canary"}, &Conn{})
	for id := range uint32(1000) {
		x := transport.Exchange{ID: id + 1, Method: http.MethodPost, Purpose: "message", URL: fmt.Sprint("http://a.example/", id)}
		x.ResponseHeader = http.Header{"Content-Type": {"text/event-stream"}}
		l.Exchange(x)
		l.Frame(transport.Frame{Dir: transport.In, Exchange: x.ID, Bytes: []byte("{}")})
		x.Phase = transport.ExchangeHeaders
		if l.Exchange(x); !l.hasOpenStream() {
			t.Fatal("the stream is not open")
		}
		x.Phase = transport.ExchangeDone
		if l.Exchange(x); l.hasOpenStream() {
			t.Fatal("the stream is still open")
		}
	}
	if len(l.headers) != 0 || len(l.carried) != 0 || l.endpoint != "http://a.example/0" {
		t.Errorf("%d exchanges, %d frames are kept; the endpoint is %s", len(l.headers), len(l.carried), l.endpoint)
	}
	for i := range 10 * maxLines {
		l.Stderr(transport.Line{Text: fmt.Sprint(i)})
	}
	if n := len(l.stderr); n > maxLines || l.stderr[n-1] != fmt.Sprint(10*maxLines-1) {
		t.Errorf("%d lines", n)
	}
}
