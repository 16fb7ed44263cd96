package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
)

// Printed holds the output of a command, which is untrusted, and its failure.
type Printed struct {
	Name           string // name of the command
	Stdout, Stderr []byte
	Cut            bool // bytes of Stdout are missing
	Err            error
}

// Open opens a window with the output.
func (out Printed) Open(a app.Program) {
	o := &window{title: out.Name, width: 120, long: &doc.Scroll{}}
	texts := []struct {
		label string
		lines []string
	}{{"", outputLines(out.Stdout)}, {"stderr", outputLines(out.Stderr)}}
	o.list, o.compose = o.long, func(d *doc.Doc) {
		if out.Err != nil {
			d.Text(d.Pal.Error, "The command failed: "+out.Err.Error()+".", doc.All)
		}
		empty := true
		for _, t := range texts {
			if len(t.lines) == 0 {
				continue
			}
			if empty = false; t.label != "" {
				d.Blank()
				d.Text(d.Pal.Muted, t.label, doc.All)
			}
			for _, line := range t.lines {
				d.Text(d.Pal.Text, line, doc.All)
			}
		}
		if empty {
			d.Text(d.Pal.Muted, "The command printed nothing.", doc.All)
		}
		if out.Cut {
			d.Text(d.Pal.Warn, "More than "+phrase.Size(int64(len(out.Stdout)))+" was printed; the rest is left out.", doc.All)
		}
	}
	o.commands = []keys.Command{
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy what the command printed", Footer: 11, Run: func() { a.Copy(string(out.Stdout), nil, "output") }, Off: func() string {
			return keys.Reason(len(out.Stdout) == 0, "The command printed nothing on stdout.")
		}},
	}
	a.Open(o)
}

// maxOutputLines bounds the lines of output that the window shows.
const maxOutputLines = 5000

// outputLines returns the lines of a text, without colors.
func outputLines(text []byte) (lines []string) {
	plain := strings.ReplaceAll(strings.ReplaceAll(ansi.Strip(string(text)), "\r\n", "\n"), "\t", "    ")
	if plain = strings.TrimRight(plain, "\n"); plain == "" {
		return nil
	}
	lines = strings.Split(display.SanitizeLines(plain), "\n")
	if len(lines) > maxOutputLines {
		lines = lines[:maxOutputLines]
	}
	return lines
}
