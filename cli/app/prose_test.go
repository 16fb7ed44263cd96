package app

import (
	"strings"
	"testing"
)

// On a terminal messages end their lines at blanks, rows are indented, and no wrapped line looks like a message.
func TestScreen_ProseAndRowsAreWrapped(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		print func(s *Screen)
		want  string
	}{
		{
			"prose", 30, func(s *Screen) { s.Prose("mcptea: the server process exited with code 2") },
			"mcptea: the server process\nexited with code 2\n",
		},
		{
			"prose in a pipe", 0, func(s *Screen) { s.Prose("mcptea: the server process exited with code 2") },
			"mcptea: the server process exited with code 2\n",
		},
		{
			"row", 30, func(s *Screen) { s.Row("cause    ", "The command has an option that is unknown.") },
			"  cause     The command has an\n            option that is\n            unknown.\n",
		},
		{
			"row in a pipe", 0, func(s *Screen) { s.Row("cause    ", "The command has an option that is unknown.") },
			"  cause     The command has an option that is unknown.\n",
		},
		{
			"row of several lines", 40, func(s *Screen) { s.Row("stderr", "one\ntwo\x1b[31m") },
			"  stderr one\n         two␛[31m\n",
		},
		{
			"columns of a hint", 30, func(s *Screen) {
				s.Line(s.Hint("Name the server:\n  NAME   a server that another application has\nmcptea info -- mcptea demo --serve"))
			},
			"Name the server:\n  NAME   a server that another\n         application has\nmcptea info -- mcptea demo --serve\n",
		},
		{
			"forged message", 20, func(s *Screen) { s.Prose("mcptea: it reports: mcptea: run this") },
			"mcptea: it reports:\n│ mcptea: run this\n",
		},
	} {
		var b strings.Builder
		tt.print(&Screen{Writer: &b, Terminal: tt.width > 0, Width: tt.width, messages: true})
		if b.String() != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, b.String(), tt.want)
		}
	}
}
