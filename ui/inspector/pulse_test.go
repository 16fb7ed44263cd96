package inspector

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/demo"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// shownPulse is what the pulse shows, with its styles taken off.
func shownPulse(t *testing.T, p *pulse, theme string) string {
	t.Helper()
	loaded, err := (*themes.Catalog)(nil).Load(theme, true)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, span := range p.spans(paint.NewPalette(loaded, false)) {
		text += span.Text
	}
	return strings.TrimRight(text, " ")
}

func TestPulse_LevelsAndErrors(t *testing.T) {
	var p pulse
	at := time.Unix(3000, 0)
	counts := store.Counts{Rows: 40, FrameCount: record.FrameCount{Out: 20, In: 20}}
	if p.count(at, counts) {
		t.Error("what was there before moves it")
	}
	for _, step := range []struct{ out, errors int }{{1, 0}, {2, 1}, {1000, 0}} {
		counts.Out, counts.Rows, counts.Errors = counts.Out+step.out, counts.Rows+step.out, counts.Errors+step.errors
		if !p.count(at, counts) {
			t.Error("it stands still while something is in it")
		}
		at = at.Add(pulseTime)
	}
	if got := shownPulse(t, &p, "dark"); got != "▁▁▁▁▁▁▁▂▃█" {
		t.Errorf("the pulse is %s", got)
	}
	if got := shownPulse(t, &p, "monochrome"); got != "▁▁▁▁▁▁▁▂!█" {
		t.Errorf("without colors it is %s", got)
	}
	if row := p.steps[pulseSteps-1].row; row != 43 {
		t.Errorf("the newest step begins at row %d", row)
	}
	if p.count(at.Add(pulseSteps*pulseTime), counts) {
		t.Error("it moves after the last frame is out of it")
	}
}

func TestPulse_InTheHeader(t *testing.T) {
	for width, shown := range map[int]bool{120: true, 99: false} {
		drive(t, width, 36, demo.Options{}, func(d *driver) {
			d.sleep(pulseSteps * pulseTime)
			d.call("echo", `{"message":"hi"}`)
			header, _, _ := strings.Cut(d.term.screen(), "\n")
			at := strings.Index(header, "▁▁▁▁▁▁▁▁")
			if (at >= 0) != shown {
				t.Fatalf("at %d: %s", width, header)
			}
			if !shown {
				return
			}
			d.within(func() { d.model.ShowFrame(0) })
			x := ansi.StringWidth(header[:at])
			for step := range pulseSteps {
				d.click(x+step, 0)
				d.settle()
			}
			if row := d.model.views.traffic.Selected(); row != 19 {
				t.Errorf("row %d is selected", row)
			}
			d.sleep(2 * pulseSteps * pulseTime)
			d.within(func() { d.model.Run("pulse") })
			d.sees("There were no frames")
		})
	}
	driveRecording(t, 120, 36, recordDemo(t, func(*driver) {}), func(d *driver) { d.lacks("▁▁▁▁▁▁▁▁") })
}
