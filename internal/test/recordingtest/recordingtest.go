// Package recordingtest makes recordings for tests.
package recordingtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// File writes the recording of a conversation, and returns its path. A line is a frame:
// "> " from the client, "< " from the server. There is a millisecond between two of
// them.
func File(t testing.TB, over, conversation string) string {
	t.Helper()
	at := time.Unix(1_800_000_000, 0)
	b := record.AppendHeader(nil, record.Header{Tool: "mcptea 1.2.3", Transport: over, Target: "server", Time: at.UnixNano()})
	for i, line := range strings.Split(strings.TrimSpace(conversation), "\n") {
		e := record.Event{Kind: record.KindFrame, Time: at.Add(time.Duration(i) * time.Millisecond)}
		e.Frame = transport.Frame{Bytes: []byte(line[2:]), Dir: transport.Out, Ending: "\n"}
		if line[0] == '<' {
			e.Frame.Dir = transport.In
		}
		b = record.AppendEvent(b, int64(i+1), &e)
	}
	path := filepath.Join(t.TempDir(), "session.mcptea.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Directory creates a directory with recordings of conversations over stdio: a.mcptea.jsonl, b.mcptea.jsonl and
// so on.
func Directory(t testing.TB, conversations ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, c := range conversations {
		if err := os.Rename(File(t, "stdio", c), filepath.Join(dir, string(rune('a'+i))+".mcptea.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Timed writes a recording of events at given times, and returns its path. A line is "MS EVENT", with the milliseconds
// after the start; an event is a frame, "> JSON" from the client or "< JSON" from the server, with the name of its side
// after the arrow if it has one (">own JSON"); or "opened N", "ready NAME" or "closed N" of a connection.
func Timed(t testing.TB, h record.Header, events string) string {
	t.Helper()
	start := time.Unix(1_800_000_000, 0)
	h.Time = start.UnixNano()
	b := record.AppendHeader(nil, h)
	for i, line := range strings.Split(strings.TrimSpace(events), "\n") {
		at, event, _ := strings.Cut(line, " ")
		ms, err := strconv.Atoi(at)
		if err != nil {
			t.Fatalf("%q has no time", line)
		}
		e := record.Event{Time: start.Add(time.Duration(ms) * time.Millisecond)}
		what, rest, _ := strings.Cut(event, " ")
		switch what[0] {
		case '>', '<':
			e.Kind = record.KindFrame
			e.Frame = transport.Frame{Bytes: []byte(rest), Dir: transport.Out, Ending: "\n", Note: transport.Note{Side: transport.ParseSide(what[1:])}}
			if what[0] == '<' {
				e.Frame.Dir = transport.In
			}
		default:
			e.Kind = record.KindConnection
			change, ok := map[string]record.ConnectionChange{"opened": record.ConnectionOpened, "ready": record.ConnectionReady, "closed": record.ConnectionClosed}[what]
			if !ok {
				t.Fatalf("%q is no event", line)
			}
			e.Connection = &record.Connection{What: change, Number: 1, Transport: h.Transport, Target: h.Target}
			if change == record.ConnectionReady {
				e.Connection.Server = rest
			} else if n, err := strconv.Atoi(rest); err == nil {
				e.Connection.Number = uint16(n)
			}
		}
		b = record.AppendEvent(b, int64(i+1), &e)
	}
	path := filepath.Join(t.TempDir(), "session.mcptea.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
