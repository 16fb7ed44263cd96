package store

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/record"
)

// The names come from the table of the protocol, the order from here.
func TestLevel_Names(t *testing.T) {
	for token, want := range map[string]Level{
		`"debug"`: LevelDebug, `"info"`: LevelInfo, `"notice"`: LevelNotice, `"warning"`: LevelWarning,
		`"error"`: LevelError, `"critical"`: LevelCritical, `"alert"`: LevelAlert, `"emergency"`: LevelEmergency,
		`"warn"`: LevelUnknown, `"INFO"`: LevelUnknown, `""`: LevelUnknown, `3`: LevelUnknown, `"?"`: LevelUnknown,
	} {
		got := levelOf([]byte(token))
		if got != want {
			t.Errorf("%s is level %d, want %d", token, got, want)
		}
		if want > LevelUnknown && `"`+got.String()+`"` != token {
			t.Errorf("%s is written as %s", token, got)
		}
	}
}

func TestLogs_TextIsBounded(t *testing.T) {
	s := create(t)
	line := strings.Repeat("x", logTextSize)
	for range maxLogs + 100 {
		s.Line(transport.Line{Text: line})
	}
	if s.logs.size > maxLogBytes {
		t.Errorf("%d bytes", s.logs.size)
	}
	kept := 0
	for i := range s.logs.total {
		if l, ok := s.LogAt(i); ok {
			if l.Text != line {
				t.Fatalf("entry %d has lost its text", i)
			}
			kept++
		}
	}
	if kept != maxLogBytes/logTextSize {
		t.Errorf("%d entries are kept", kept)
	}
}

// A long line is in memory with its beginning alone.
func TestLogs_LongLines(t *testing.T) {
	s := create(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	line := strings.Repeat("x", 64<<10)
	for range 2000 {
		s.Line(transport.Line{Text: line})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	const kept, others = 2000 * logTextSize, 16 << 20
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > kept+others {
		t.Errorf("%d bytes are in memory of texts of %d", grown, kept)
	}
	if l, _ := s.LogAt(1999); len(l.Text) != logTextSize {
		t.Errorf("the newest has %d bytes", len(l.Text))
	}
}

func TestLogs_KeepTheNewest(t *testing.T) {
	const maxLogs = 20_000
	s := create(t)
	for i := range maxLogs + 100 {
		s.Line(transport.Line{Text: fmt.Sprintf("line %d", i)})
	}
	total, stderr := s.Logs()
	if newest, _ := s.LogAt(total - 1); newest.Text != fmt.Sprintf("line %d", maxLogs+99) || stderr != total {
		t.Errorf("the newest is %q, %d of %d are of stderr", newest.Text, stderr, total)
	}
	if _, ok := s.LogAt(0); ok {
		t.Error("the oldest is still in memory")
	}
}

// The note that follows the exit of a process is what the exit says; after a frame of the connection it is a note
// of its own.
func TestLogs_NoteAfterAnExit(t *testing.T) {
	for between, want := range map[bool][2]string{false: {"said of it", ""}, true: {"", "said of it"}} {
		s := create(t)
		s.Connection(record.Connection{What: record.ConnectionOpened, Transport: "stdio"})
		s.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessExited, ExitCode: 3}})
		exit := int32(s.Snapshot().Rows) - 1
		if between {
			in(s, `{"jsonrpc":"2.0","method":"notifications/late"}`)
		}
		s.event(record.Event{Kind: record.KindNote, Text: "said of it"})
		s.Flush()
		body, err := s.Body(exit)
		noted := ""
		if l, ok := s.LogAt(s.logs.total - 1); ok && l.Source == LogNote {
			_, noted, _ = s.LogText(l)
		}
		if got := [2]string{string(body), noted}; got != want || err != nil {
			t.Errorf("a frame between them: %v: exit and note are %q, want %q; %v", between, got, want, err)
		}
	}
}
