package inspector

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/session/session"
)

// twoBuilds is a server whose second process is another build.
func twoBuilds() func(context.Context, io.Reader, io.Writer) error {
	old, now := newTracker(), newTracker()
	now.set("initialize", strings.Replace(now.results["initialize"], "0.9.2", "0.9.3", 1))
	now.set("labels", `{"content":[],"structuredContent":{"total":3,"labels":[]}}`)
	now.set("tools/list", strings.Replace(trackerTools, `"inputSchema":{"type":"object"}}]`, `"inputSchema":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}]`, 1))
	var started atomic.Int32
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		if started.Add(1) == 1 {
			return old.serve(ctx, in, out)
		}
		return now.serve(ctx, in, out)
	}
}

func TestCompareServers_SameCallToBoth(t *testing.T) {
	driveServer(t, 140, 40, twoBuilds(), func(d *driver) {
		d.selectTool("labels")
		d.command("item.open")
		d.command("call.send")
		d.command("compare.servers")
		d.sees("Compare with a second server", "demo-server")
		d.press("<enter>")
		d.sees("tracker 0.9.2", "tracker 0.9.3", "this server", "second server", "same call to both", "result.structuredContent.total", "B tracker 0.9.3")
		d.press("<esc>")
		d.command("back")
		d.command("compare.servers")
		d.sees("tracker 0.9.2 (this server)", "tracker 0.9.3 (second server)", "breaking", "comment")
		d.press("<esc>")
		second := d.model.second.Session()
		d.press(":close second<enter>")
		d.sees("The second server is closed.")
		if st := second.State(); st.Phase == session.Ready {
			t.Errorf("the second server is %s", st.Phase)
		}
	})
}

func TestCompareServers_NotConnected(t *testing.T) {
	var starts atomic.Int32
	serve := newTracker().serve
	driveServer(t, 120, 36, func(ctx context.Context, in io.Reader, out io.Writer) error {
		if starts.Add(1) > 1 {
			return nil
		}
		return serve(ctx, in, out)
	}, func(d *driver) {
		d.command("compare.servers")
		d.press("<enter>")
		d.sees("The second server is not connected: ")
	})
}
