package parts_test

import (
	"strings"
	"testing"

	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// A text of one plain line has its name and no count, no numbers and no end; one that is longer, or has characters that
// could be overlooked, has them.
func TestDialog_PlainLineHasNoFrame(t *testing.T) {
	for line, want := range map[string]int{
		"57e1a0": 2, "echo tool=nested": 2, strings.Repeat("a", 60): 4, "a\u202eb": 3, "": 3,
	} {
		if rows := dialog.Read(question.Text{Name: "command", Lines: []string{line}}).Layout(40); rows != want {
			t.Errorf("%q has %d rows, want %d", line, rows, want)
		}
	}
	if rows := dialog.Read(question.Text{Name: "command", Lines: []string{"a", "b"}}).Layout(40); rows != 4 {
		t.Errorf("two lines have %d rows", rows)
	}
}
