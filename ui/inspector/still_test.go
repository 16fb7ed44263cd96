package inspector

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/session/record/store"
	"mcptea/ui/pane/logs"
)

// recordedLogs is a recording whose server has written lines to stderr, the first of them a
// needle, and that ends in the middle of everything: while a request waits.
func recordedLogs(t *testing.T, lines int) string {
	t.Helper()
	path := foreignRecording(t, "demo-server")
	var text strings.Builder
	for i := range lines {
		name := "hay"
		if i == 0 {
			name = "needle"
		}
		fmt.Fprintf(&text, `{"s":%d,"t":1780000000000000000,"k":"stderr","text":"%s %d"}`+"\n", i+3, name, i)
	}
	fmt.Fprintf(&text, `{"s":%d,"t":1780000000000000000,"d":"out","m":{"jsonrpc":"2.0","id":7,"method":"ping"}}`+"\n", lines+3)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.WriteString(text.String()); err != nil {
		t.Fatal(err)
	}
	if err = f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// slowLog takes time in the bubble, where work takes none.
type slowLog struct{ *store.Store }

// LogText implements [logs.Log].
func (l slowLog) LogText(e store.Log) (logger, text string) {
	time.Sleep(100 * time.Microsecond)
	return l.Store.LogText(e)
}

// A filter goes on without keys where the clock stands still, and when it has ended nothing moves.
func TestStill_FilterGoesOn(t *testing.T) {
	driveRecording(t, 120, 36, recordedLogs(t, 5000), func(d *driver) {
		d.within(func() {
			at := slices.IndexFunc(d.model.tabs, func(tab tab) bool { return tab.ID == tabLogs })
			d.model.tabs[at].pane = logs.New(d.model.of(tabLogs), slowLog{d.session.Store()}, d.session)
		})
		d.press("6")
		d.sees("hay 4999", "5,000")
		d.press("/needle<enter>")
		d.sees("filtering", "0 of 5,000")
		d.sleep(20 * time.Second)
		d.lacks("filtering")
		d.sees("1 of 5,000", "needle 0")
		before := d.updates.Load()
		d.sleep(time.Hour)
		if n := d.updates.Load() - before; n > 1 { // that of the test
			t.Errorf("%d messages in an hour after the end of a recording", n)
		}
	})
}
