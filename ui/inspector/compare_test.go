package inspector

import (
	"io"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// The sides of a comparison name restarts as the header does, also after one that failed; an event of the
// process is not a frame, and cannot be compared.
func TestCompare_AfterAFailedRestart(t *testing.T) {
	started := 0
	flaky := func(_ *process, in io.Reader, out io.Writer) int {
		if started++; started == 2 {
			return 1
		}
		reply(in, out, forecast)
		return 0
	}
	picture{dial: dialProcess(flaky, "node", "x.js"), keys: func(*driver) {}}.run(t, 120, 36, func(d *driver) {
		d.command("restart")
		d.settle()
		d.sees("✗")
		d.command("restart")
		d.settle()
		d.sees("restart 1")
		var responses []int32
		event := store.None
		st := d.session.Store()
		for row := range int32(st.Snapshot().Rows) {
			r, _ := st.Row(row)
			switch r.Kind {
			case jsonrpc.Response:
				responses = append(responses, row)
			case store.KindProcess:
				event = row
			}
		}
		d.within(func() { d.model.diffRows(responses[0], responses[len(responses)-1]) })
		d.settle()
		d.sees("Compare", "restart 1")
		d.lacks("restart 2")
		d.press("<esc>")
		d.within(func() { d.model.diffRows(responses[0], event) })
		d.settle()
		d.sees("an event of the process: only frames can be compared.")
		d.lacks("not valid JSON")
	})
}
