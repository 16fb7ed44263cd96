package inspector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
	"mcptea/record/recordings"
)

// weatherCalls are calls of two tools; in the second recording one fails in each way.
var weatherCalls = []string{
	`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"weather","version":"1"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
	`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"weather","version":"1"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query"}}`,
	`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"weather","version":"1"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`,
}

// newStatisticsDriver uses the list of recordings of a directory with those of [weatherCalls].
func newStatisticsDriver(t *testing.T, w, h int) *listDriver {
	d := newListDriver(t, w, h)
	d.catalog.dir = recordingtest.Directory(t, weatherCalls...)
	for i, calls := range weatherCalls {
		path := filepath.Join(d.catalog.dir, string(rune('a'+i))+recordings.Suffix)
		d.catalog.list = append(d.catalog.list, recordings.Recording{Path: path, Size: int64(len(calls)), Modified: listNow, Summary: &recordings.Summary{Server: "weather 1", Started: listNow}})
	}
	d.look()
	return d
}

// The statistics are a view of the list of recordings, and lead to the calls that failed.
func TestStatistics_LeadToTheFailedCalls(t *testing.T) {
	raced.Never(t, "draws screens in one goroutine")
	d := newStatisticsDriver(t, 120, 36)
	d.press("t")
	d.sees("Statistics", "of all time", "by failed in", "6 calls in 3 recordings", "1 tool error", "3 error responses", "1 without a response", "2 of 3")
	d.press("down")
	d.sees("4 calls in 2 recordings", "2 of 2")
	d.press("enter")
	d.sees("Failed calls of query", "weather 1")
	d.press("down", "enter")
	if c := d.m.Chosen; !d.quit || !c.Failed || c.Filter != `tool:"query" -status:ok` || filepath.Dir(c.Path) != d.catalog.dir {
		t.Errorf("chosen is %+v", c)
	}
}

// One recording with a failure is opened without a question, and none says why not.
func TestStatistics_OneFailureOpens(t *testing.T) {
	raced.Never(t, "draws screens in one goroutine")
	d := newStatisticsDriver(t, 80, 24)
	d.press("t", "G")
	d.sees("2 calls in 2 recordings")
	d.press("enter")
	if c := d.m.Chosen; !d.quit || c.Filter != `tool:"forecast" -status:ok` || filepath.Base(c.Path) != "c"+recordings.Suffix {
		t.Errorf("chosen is %+v", c)
	}
	d = newStatisticsDriver(t, 80, 24)
	for _, name := range []string{"b", "c"} {
		if err := os.Remove(filepath.Join(d.catalog.dir, name+recordings.Suffix)); err != nil {
			t.Fatal(err)
		}
	}
	d.press("t", "enter")
	d.sees("Nothing failed here.", "1 call in 1 recording")
	d.press("t")
	d.sees("Recordings")
}

// A shorter time has fewer calls: those of the recordings are of 2027, which is after each of them here,
// and the files are older than a day.
func TestStatistics_Period(t *testing.T) {
	raced.Never(t, "draws screens in one goroutine")
	d := newStatisticsDriver(t, 120, 36)
	for i := range weatherCalls {
		path := filepath.Join(d.catalog.dir, string(rune('a'+i))+recordings.Suffix)
		if err := os.Chtimes(path, listNow.AddDate(0, 0, -10), listNow.AddDate(0, 0, -10)); err != nil {
			t.Fatal(err)
		}
	}
	d.press("t", "[")
	d.sees("of 30 days", "6 calls in 3 recordings")
	d.press("[")
	d.sees("of 7 days", "No calls in 0 recordings of 7 days.")
	d.press("[", "[")
	d.sees("of 24 h", "This is the shortest time.")
	d.press("]", "]", "]")
	d.sees("of all time", "6 calls in 3 recordings")
}

// Names of foreign servers and tools are painted, never carried out, and no row is broken.
func TestStatistics_HostileNames(t *testing.T) {
	raced.Never(t, "draws screens in one goroutine")
	for _, size := range hostileSizes {
		d := newStatisticsDriver(t, size[0], size[1])
		path := filepath.Join(d.catalog.dir, "a"+recordings.Suffix)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b = []byte(strings.ReplaceAll(string(b), `forecast`, `\u001b[31mred\u001b]0;title\u0007\u202e\n`))
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		w := &watched{driver: &driver{t: t}, bad: map[string]bool{}}
		for _, key := range []string{"t", "down", "down", "down", "enter", "esc", "G", "enter"} {
			d.press(key)
			content := d.m.View().Content
			w.clean(key, content, "\n")
			for row := range strings.SplitSeq(content, "\n") {
				if got := ansi.StringWidth(row); got != size[0] {
					t.Errorf("%s: a row of %d cells, not %d: %q", key, got, size[0], ansi.Strip(row))
				}
			}
		}
	}
}
