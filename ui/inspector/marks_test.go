package inspector

import (
	"os"
	"testing"

	"mcptea/demo"
	"mcptea/record/store"
	"mcptea/ui/frames"
)

// Marks and notes are in the recording, and those of an opened recording beside it.
func TestMarks_AreKeptWithTheRecording(t *testing.T) {
	path := recordDemo(t, func(d *driver) {
		d.press("2<enter>hello<enter>")
		d.press("<esc><esc>9<end>mawhy is it slow?<enter>")
		d.sees("“why is it slo", "◆")
	})
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("<home>'")
		d.sees("“why is it slo")
		row := d.model.views.traffic.Selected()
		if m := d.session.Store().MarkAt(row); !m.Marked || m.Note != "why is it slow?" {
			t.Errorf("row %d: %+v", row, m)
		}
		d.sees("◆ why is it slow?")
		d.press("a<ctrl+u>solved<enter>")
		d.sees("“solved”")
		d.press("X")
		d.sees("marked frames #")
		d.press("<down><down><down><pgdown>")
		d.sees("> solved")
		d.press("<esc>")
	})
	if _, err := os.Stat(path + store.MarksSuffix); err != nil {
		t.Error(err)
	}
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("\"")
		d.sees("“solved”")
	})
}

// A number, a time of the day or a time from the selected frame goes to a frame.
func TestCommands_GoToAFrame(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9:3")
		d.sees("Go to frame #3")
		d.press("<enter>")
		if row := d.model.views.traffic.Selected(); row != 2 {
			t.Errorf("row %d", row)
		}
		d.press("X<f2>5<enter>") // not below a window
		d.sees("Nothing matches.")
		d.press("<esc><esc>")
		if row := d.model.views.traffic.Selected(); row != 2 {
			t.Errorf("from a window: row %d", row)
		}
		d.press(":+1h")
		d.sees("Go to", "frame #")
		d.press("<enter>")
		if row, last := d.model.views.traffic.Selected(), d.session.Store().Snapshot().Rows-1; int(row) != last {
			t.Errorf("row %d of %d", row, last)
		}
		d.press(":00:00:00<enter>")
		if row := d.model.views.traffic.Selected(); row != 0 {
			t.Errorf("row %d", row)
		}
		d.press(":9999999<enter>tt:1<enter>")
		d.sees("Latency")
		if row := d.model.views.timeline.Selected(); row != 0 {
			t.Errorf("row %d is selected in the timeline", row)
		}
	})
}

// m in the result of a call marks the frame of its response.
func TestMarks_InTheResult(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<enter>hello<enter>")
		d.press("<ctrl+o>m")
		d.sees("is marked")
		if rows := frames.Marked(d.session.Store()); len(rows) != 1 {
			t.Errorf("marked: %v", rows)
		}
	})
}
