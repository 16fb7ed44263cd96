package inspector

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/record/recordings"
)

// recordedRows are a response that came, an authorization, a frame that no connection took, and the
// exit of a process: two frames, an event each of authorization and process, and one that was not sent.
const recordedRows = `{"mcptea":2,"t":1795856605000000000,"tool":"mcptea devel","transport":"http","target":"http://127.0.0.1:1/mcp"}
{"s":1,"t":1795856605100000000,"k":"connection","what":"opened","conn":1,"transport":"http","target":"http://127.0.0.1:1/mcp"}
{"s":2,"t":1795856605200000000,"k":"http","phase":"end","x":7,"start":1795856605150000000,"purpose":"authorization","method":"GET","url":"http://127.0.0.1:1/token","status":200}
{"s":3,"t":1795856605300000000,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"s":4,"t":1795856605400000000,"k":"in","id":1,"n":36,"msg":{"jsonrpc":"2.0","id":1,"result":{}}}
{"s":5,"t":1795856605500000000,"k":"http","phase":"request","x":8,"start":1795856605500000000,"purpose":"message","method":"POST","url":"http://127.0.0.1:1/mcp"}
{"s":6,"t":1795856605500000000,"k":"out","x":8,"id":2,"m":"tools/list","nl":"","n":46,"msg":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"s":7,"t":1795856605600000000,"k":"http","phase":"end","x":8,"took":341266,"sent":0,"received":0,"by":"network","error":"connection refused"}
{"s":8,"t":1795856605700000000,"k":"process","what":"exited","pid":12961,"code":2}
{"s":9,"t":1795856605700000000,"k":"note","text":"process exited  code 2"}
{"s":10,"t":1795856605800000000,"k":"connection","what":"closed","conn":1}
`

// Each number of frames is the same: header, tab, title of each view, list of recordings, and lint.
func TestFrameCount_IsOneNumber(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.mcptea.jsonl")
	if err := os.WriteFile(path, []byte(recordedRows), 0o600); err != nil {
		t.Fatal(err)
	}
	catalog := recordings.NewCatalog(recordings.Options{Dir: dir})
	if err := catalog.Read(context.Background()); err != nil {
		t.Fatal(err)
	}
	list, _, err := catalog.Recordings()
	if err != nil || len(list) != 1 || list[0].Summary == nil {
		t.Fatalf("%+v, %v", list, err)
	}
	if sum := list[0].Summary; sum.Frames() != 2 || sum.Out != 1 || sum.In != 1 {
		t.Errorf("the list has %d, %d and %d frames", sum.Frames(), sum.Out, sum.In)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if report, err := lintfile.Lint(context.Background(), file, func(lint.Finding) {}); err != nil || report.Frames != 2 {
		t.Errorf("lint has %d frames, %v", report.Frames, err)
	}
	driveRecording(t, 140, 36, path, func(d *driver) {
		d.press("9")
		d.sees("↑ 1 ↓ 1", "2 exchanges, 2 frames, 2 events, 1 not sent")
		d.press("t")
		d.sees("2 frames, 2 events, 1 not sent")
		d.press("/kind:http<enter>")
		d.sees("1 of 5 rows")
		d.press("ttt") // exchanges again
		d.sees("0 of 2 exchanges, 1 event")
		d.press("/<ctrl+u>kind:request<enter>")
		d.sees("2 of 2 exchanges")
		d.lacks("2 of 2 exchanges,")
	})
}
