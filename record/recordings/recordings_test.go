package recordings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/store"
)

// line is a recorded frame.
func line(seq int, at int64, dir transport.Direction, text string) string {
	b, _ := record.AppendFrame(nil, int64(seq), 0, &transport.Frame{
		Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: time.Unix(0, at), Dir: dir, Ending: "\n",
	})
	return string(b)
}

const header = `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea test","transport":"stdio","target":"node server.js"}
{"s":1,"t":1780000000000000001,"k":"connection","what":"opened","conn":1,"transport":"stdio","target":"node server.js"}
`

var session = header +
	line(2, 1780000000100000000, transport.Out, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`) +
	line(3, 1780000000200000000, transport.In, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"0.9.3"}}}`) +
	string(record.AppendEvent(nil, 4, &record.Event{Kind: record.KindConnection, Time: time.Unix(0, 1780000000200000001), Connection: &record.Connection{What: record.ConnectionReady, Number: 1, Transport: "stdio", Revision: "2025-11-25", Server: "tracker 0.9.3"}})) +
	line(5, 1780000000300000000, transport.Out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)

// call is a call of the tool "get" and its response, which took 5 ms.
func call(n int, result string) string {
	at := 1780000001000000000 + int64(n)*1_000_000_000
	return line(10+2*n, at, transport.Out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get"}}`, n+1)) +
		line(11+2*n, at+5_000_000, transport.In, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, n+1, result))
}

func write(t *testing.T, dir, name, text string, age time.Duration) string {
	t.Helper()
	path := filepath.Join(dir, name+Suffix)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the recordings with their summaries.
func read(t *testing.T, dir string) []Recording {
	t.Helper()
	c := NewCatalog(Options{Dir: dir, Version: "test", Cache: filepath.Join(dir, "summaries.json"), Lint: linted})
	if err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, listed, _ := c.Recordings()
	if !listed {
		t.Error("the directory was not read")
	}
	return list
}

func TestCatalog_Summary(t *testing.T) {
	dir := t.TempDir()
	text := session + call(0, `"result":{"content":[]}`) + call(1, `"error":{"code":-32603,"message":"x"}`) + call(2, `"result":{"content":[],"isError":true}`)
	write(t, dir, "b", text, time.Hour)
	write(t, dir, "a", "hello\n", 2*time.Hour)
	write(t, dir, "c", text+`{"s":99,"t":17`, 3*time.Hour)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := read(t, dir)
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	if !errors.Is(list[1].Err, record.ErrNotARecording) || list[1].Summary != nil {
		t.Errorf("a file that is no recording: %+v", list[1])
	}
	s := list[0].Summary
	if s.Server != "tracker 0.9.3" || s.Revision != "2025-11-25" || s.Target != "node server.js" || s.Transport != "stdio" || s.Failure != "" || s.Damage != "" || s.Partial {
		t.Errorf("%+v", s)
	}
	if s.Out != 5 || s.In != 4 || s.Errors != 2 || s.Duration() != 3005*time.Millisecond {
		t.Errorf("%d out, %d in, %d errors, %v", s.Out, s.In, s.Errors, s.Duration())
	}
	q := s.Requests[0]
	if q.Method != "tools/call" || q.Name != "get" || q.Count != 3 || q.Errors != 2 || q.Median != 5*time.Millisecond || q.Percentile != 5*time.Millisecond {
		t.Errorf("%+v", q)
	}
	sum := 0
	for _, n := range s.Activity {
		sum += n
	}
	if sum != 9 || len(s.Activity) > parts {
		t.Errorf("activity %v", s.Activity)
	}
	if d := list[2].Summary.Damage; !strings.Contains(d, "is incomplete") {
		t.Errorf("a truncated recording: %q", d)
	}
}

// A connection that failed shows why.
func TestCatalog_Failure(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "r", header+`{"s":2,"t":1780000000000000002,"k":"step","name":"start","state":"failed","detail":"no such file","took":1}`+"\n", 0)
	if s := read(t, dir)[0].Summary; s.Failure != "no such file" {
		t.Errorf("%+v", s)
	}
}

// A recording of a tap whose server drifted from the baseline says so in the list.
func TestCatalog_Drift(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "r", session+call(0, `"result":{"content":[]}`)+
		string(record.AppendEvent(nil, 20, &record.Event{Kind: record.KindDrift, Time: time.Unix(0, 1780000002000000000), Text: "tools get changed", Drift: &record.Drift{Row: 4}})), 0)
	if s := read(t, dir)[0].Summary; s.Drift != "tools get changed" {
		t.Errorf("%+v", s)
	}
}

// Summaries are kept beside the recordings, and made again when a file changes.
func TestCatalog_Cache(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "r", session, time.Hour)
	read(t, dir)
	info, err := os.Stat(filepath.Join(dir, "summaries.json"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	stat, _ := os.Stat(path)
	// The same size and time: the summary of before is shown.
	if err := os.WriteFile(path, make([]byte, stat.Size()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, stat.ModTime(), stat.ModTime()); err != nil {
		t.Fatal(err)
	}
	if list := read(t, dir); list[0].Summary == nil || list[0].Summary.Server != "tracker 0.9.3" {
		t.Errorf("%+v", list[0])
	}
	// Another version of mcptea may find something else in it.
	other := NewCatalog(Options{Dir: dir, Version: "other", Cache: filepath.Join(dir, "summaries.json")})
	if err := other.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _, _ := other.Recordings(); list[0].Summary != nil || list[0].Err == nil {
		t.Errorf("another version uses the summary: %+v", list[0])
	}
	write(t, dir, "r", session+call(0, `"result":{}`), 0)
	if list := read(t, dir); list[0].Summary.Frames() != 5 {
		t.Errorf("%+v", list[0].Summary)
	}
	if err := os.WriteFile(filepath.Join(dir, "summaries.json"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := read(t, dir); list[0].Summary.Frames() != 5 {
		t.Errorf("%+v", list[0].Summary)
	}
}

// A recording that is being written is first, is followed, and is not deleted.
func TestCatalog_Live(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "old", session, time.Hour)
	path := filepath.Join(dir, "live"+Suffix)
	st, err := store.Create(store.Options{Path: path}, record.Header{Transport: "stdio", Target: "server"})
	if err != nil {
		t.Fatal(err)
	}
	st.Note("one")
	st.Flush()
	c := NewCatalog(Options{Dir: dir, Version: "test", Cache: filepath.Join(dir, "summaries.json"), Lint: linted})
	c.readAll(t.Context())
	list, _, _ := c.Recordings()
	if len(list) != 2 || !list[0].Live || list[1].Live {
		t.Fatalf("%+v", list)
	}
	if err := c.Delete(path); err == nil || !strings.Contains(err.Error(), "being written") {
		t.Errorf("deleted: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	c.readAll(t.Context())
	list, _, _ = c.Recordings()
	if slices.ContainsFunc(list, func(r Recording) bool { return r.Live }) || len(c.live) != 0 {
		t.Errorf("%+v", list)
	}
	if err := c.Delete(path); err != nil {
		t.Error(err)
	}
	if list, _, _ = c.Recordings(); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

// Active taps are shown with their recordings, also with those of other directories.
func TestCatalog_Taps(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "r", session, time.Hour)
	elsewhere := write(t, t.TempDir(), "e", session, time.Hour)
	c := NewCatalog(Options{Dir: dir, Taps: func(context.Context) map[string]Tap {
		return map[string]Tap{path: {PID: 1, Name: "cursor/tracker"}, elsewhere: {PID: 2}, "/no/such": {PID: 3}}
	}})
	if err := c.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _, _ := c.Recordings()
	if len(list) != 2 || list[0].Path != elsewhere || list[0].Tap.PID != 2 || list[1].Tap.Name != "cursor/tracker" || list[1].Summary == nil || list[0].Summary == nil {
		t.Errorf("%+v", list)
	}
}

func TestLimits_Exceeding(t *testing.T) {
	now := time.Now()
	var list []Recording
	for i, size := range []int64{10, 10, 10, 1 << 20, 10, 10} {
		list = append(list, Recording{Path: fmt.Sprint(i), Size: size, Modified: now.Add(-time.Duration(i+1) * time.Hour)})
	}
	list[5].Live = true
	slices.Reverse(list)
	for _, tt := range []struct {
		limits Limits
		want   []string
	}{
		{Limits{}, nil},
		{DefaultLimits, nil},
		{Limits{Keep: 2}, []string{"2", "3", "4"}},
		{Limits{Age: 150 * time.Minute}, []string{"2", "3", "4"}},
		{Limits{Size: 1000}, []string{"3"}}, // a large one does not take the older ones with it
		{Limits{Size: 5, Always: 3}, []string{"3", "4"}},
		{Limits{Size: 20}, []string{"2", "3", "4"}},           // exactly the first two
		{Limits{Age: 2 * time.Hour}, []string{"2", "3", "4"}}, // the second one is exactly as old
	} {
		var got []string
		for _, r := range tt.limits.Exceeding(list, now) {
			got = append(got, r.Path)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.limits, got, tt.want)
		}
	}
}

func TestDelete_WithMarks(t *testing.T) {
	dir := t.TempDir()
	kept := write(t, dir, "kept", session, 0)
	for _, marked := range []bool{true, false} {
		path := write(t, dir, "r", session, 0)
		if marked {
			if err := os.WriteFile(path+store.MarksSuffix, []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Delete(path); err != nil {
			t.Errorf("marked %v: %v", marked, err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 || files[0].Name() != filepath.Base(kept) {
			t.Errorf("marked %v: the directory has %v, %v", marked, files, err)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	at := time.Unix(1, 0)
	for i := range 100_000 {
		h.add(at.Add(time.Duration(i) * time.Second))
	}
	sum := 0
	for _, n := range h.parts() {
		sum += n
	}
	if got := h.parts(); sum != 100_000 || len(got) > parts || len(got) < parts/2 || slices.Min(got[:len(got)-1]) < 1000 {
		t.Errorf("%d in %v", sum, got)
	}
}

func linted(report func(record.Severity)) Linter { return rules.OfServer(report) }
