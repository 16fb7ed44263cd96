package ui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

func TestRevisionsAreCompared(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
				d.press("1d")
				d.sees("The server is started up to 5 more times", "enter compare")
				d.press("<enter>")
				d.sees("The server supports 5 of 5 protocol versions. It was started 5 times.", "completions")
				d.requireGolden()
				d.press("G")
				d.sees("2025-11-25 → 2026-07-28", "tools ping-client: clients that use it fail")
				copied := ""
				d.within(func() { d.model.options.Clipboard = func(text string) error { copied = text; return nil } })
				d.press("y")
				d.sees("Copied comparison")
				if strings.Contains(copied, "\x1b") || !strings.Contains(copied, "\n  + capabilities  /completions: the server offers it now\n") {
					t.Error(copied)
				}
				d.press("<esc>")
				d.lacks("Compare revisions")
			})
		})
	}
}

func TestNothingIsComparedWithoutBeingAsked(t *testing.T) {
	starts := &atomic.Int32{}
	driveServer(t, 80, 24, counting(starts, ""), func(d *driver) {
		d.press("<ctrl+p>compare rev<enter>")
		d.sees("enter compare")
		d.press("<esc>")
		d.lacks("goes on")
		if n := starts.Load(); n != 1 {
			t.Errorf("the server was started %d times", n)
		}
	})
}

func TestAComparisonIsCancelled(t *testing.T) {
	starts := &atomic.Int32{}
	driveServer(t, 80, 24, counting(starts, "discover-silent"), func(d *driver) {
		d.press("1d<enter>")
		d.sees("2026-07-28  response", "waiting", "times out in", "esc close")
		d.press("<esc>")
		before := starts.Load()
		d.sleep(time.Minute)
		if n := starts.Load(); n != before || n != 2 {
			t.Errorf("the server was started %d times, %d of them after it was cancelled", n, n-before)
		}
	})
}

// counting is the demo server with a fault, and counts how often it starts.
func counting(starts *atomic.Int32, fault string) func(context.Context, io.Reader, io.Writer) error {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		starts.Add(1)
		return demo.New(demo.Options{Fault: fault, Offers: sessiontest.Fixed, Exit: func(int) {}}).ServeStdio(ctx, in, out, io.Discard)
	}
}
