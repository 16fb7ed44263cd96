package inspector

import (
	"errors"
	"strings"
	"testing"

	"mcptea/demo"
)

func TestCopy_SaysWhichClipboardHasIt(t *testing.T) {
	small, large := "text", strings.Repeat("x", 2<<20)
	for _, tc := range []struct {
		name, text string
		system     func(string) error
		want       string
	}{
		{"system", small, func(string) error { return nil }, "Copied frame (4 B)."},
		{"terminal only", small, nil, "through the terminal (OSC 52), which must allow it"},
		{"system fails", small, func(string) error { return errors.New("no display") }, "through the terminal (OSC 52)"},
		{"large, system", large, func(string) error { return nil }, "Copied frame (2.1 MB)."},
		{"large, terminal only", large, nil, "Not copied: frame of 2.1 MB is too large for the clipboard of a terminal"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			drive(t, 120, 36, demo.Options{}, func(d *driver) {
				d.model.options.Clipboard = tc.system
				d.within(func() { d.model.Copy(tc.text, nil, "frame") })
				d.settle()
				d.sees(tc.want)
			})
		})
	}
}
