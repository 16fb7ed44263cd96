package browse_test

import (
	"regexp"
	"testing"
	"time"
)

// TestList_Columns reads each column of the lists at a width at which all of them are shown. A column with a minimum width
// is in no golden of a narrower list.
func TestList_Columns(t *testing.T) {
	for kind, want := range map[string]string{
		"tools":     `delete-everything +Gone +│`,
		"resources": `readme +Read me +text/markdown +1\.8 kB`,
	} {
		tb := open(t, kind)
		if screen := tb.Paint(400, 24, true); !regexp.MustCompile(want).MatchString(screen) {
			t.Errorf("no row %s in\n%s", want, screen)
		}
	}
	tb := open(t, "tools")
	tb.choose("echo")
	tb.Press("enter", "a", "enter")
	tb.answer(`"result":{"content":[]}`, 5*time.Millisecond, nil)
	tb.refresh()
	if screen := tb.Paint(400, 24, true); !regexp.MustCompile(`echo +Says back what you said +5\.0 ms`).MatchString(screen) {
		t.Errorf("no state beside echo in\n%s", screen)
	}
}
