// Package recordingtest makes recordings for tests.
package recordingtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/session/record"
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

// Directory is one with recordings of conversations over stdio: a.mcptea.jsonl, b.mcptea.jsonl and so on.
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
