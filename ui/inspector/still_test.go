package inspector

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/pane/logs"
)

// recordedLogs is a recording whose server has written lines to stderr, the last of them a
// needle, and that ends in the middle of everything: while a request waits.
func recordedLogs(t *testing.T, lines int) string {
	t.Helper()
	path := foreignRecording(t, "demo-server")
	at := time.Unix(1780000000, 0)
	var text []byte
	for i := range lines {
		name := "hay"
		if i == lines-1 {
			name = "needle"
		}
		text = record.AppendEvent(text, int64(i+3), &record.Event{Kind: record.KindStderr, Time: at, Text: fmt.Sprint(name, " ", i)})
	}
	ping := []byte(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	text, _ = record.AppendFrame(text, int64(lines+3), 0, &transport.Frame{Time: at, Dir: transport.Out, Bytes: ping, Envelope: jsonrpc.Scan(ping), Ending: "\n"})
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.Write(text); err != nil {
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
func (l slowLog) LogText(e store.Log) (logger, text string, err error) {
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
		d.sees("hay 4998", "5,000")
		d.press("/needle<enter>")
		d.sees("filtering", "0 of 5,000")
		d.sleep(20 * time.Second)
		d.lacks("filtering")
		d.sees("1 of 5,000", "needle 4999")
		before := d.updates.Load()
		d.sleep(time.Hour)
		if n := d.updates.Load() - before; n > 1 { // that of the test
			t.Errorf("%d messages in an hour after the end of a recording", n)
		}
	})
}
