package input

import "testing"

func TestWords_Match(t *testing.T) {
	for _, tt := range []struct {
		typed, text string
		want        bool
	}{
		{"", "anything", true},
		{"Kettle", "the kettle is on", true},
		{"kettle on", "the kettle is on", true},
		{"kettle off", "the kettle is on", false},
		{"-kettle", "the kettle is on", false},
		{"-pot kettle", "the kettle is on", true},
		{"kettle -", "the kettle is on", true},
	} {
		if got := ParseWords(tt.typed).Match(tt.text); got != tt.want {
			t.Errorf("%q in %q: %v", tt.typed, tt.text, got)
		}
	}
}
